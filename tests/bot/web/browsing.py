"""A person at the page: signing in, finding a card, pressing its buttons."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from playwright.async_api import Browser, Locator, Page

from tests.bot.web.story import TOKEN, Seat


@asynccontextmanager
async def looking(browser: Browser, seat: Seat, at: str = "", **context: Any) -> AsyncIterator[Page]:
    """A page signed in by the link; it fails the test when the browser complains of anything."""
    opened = await browser.new_context(**({"viewport": {"width": 1280, "height": 800}} | context))
    page = await opened.new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda said: complaints.append(said.text) if "Content Security" in said.text else None)
    await page.goto(f"{seat.url}/?token={TOKEN}" + (f"#{at}" if at else ""))
    assert TOKEN not in page.url
    yield page
    await opened.close()
    assert complaints == []


def card(page: Page, key: str) -> Locator:
    return page.locator(f'[data-key="{key}"] .card')


async def press(page: Page, name: str) -> None:
    await page.get_by_role("button", name=name, exact=True).last.click()
