"""A real Chromium for every test that looks at a page."""

from __future__ import annotations

import os
import shutil
from collections.abc import AsyncIterator

import pytest
from playwright.async_api import Browser, async_playwright, expect

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update")


expect.set_options(timeout=15_000)  # ms; two cores may be busy with other tests


@pytest.fixture
async def browser() -> AsyncIterator[Browser]:
    """The machine's own Chromium; without one the test is skipped on a laptop and fails in CI."""
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        if os.environ.get("CI"):
            pytest.fail("no Chromium on this machine")
        pytest.skip("no Chromium on this machine")
    async with async_playwright() as playwright:
        found = await playwright.chromium.launch(executable_path=program, args=list(ARGUMENTS))
        yield found
        await found.close()
