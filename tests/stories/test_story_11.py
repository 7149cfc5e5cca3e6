"""Story 11: the console, the first minute. A fresh data folder, ``threadlead up``, the printed link; played by clicks."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, expect

from tests.bot.web.browsing import press

pytestmark = [pytest.mark.process, pytest.mark.browser]

SLOW_MS = 30_000


def git(repo: Path, *args: str) -> str:
    who = ["-c", "user.name=alice", "-c", "user.email=alice@example.org"]
    return subprocess.run(["git", *who, *args], cwd=repo, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A small Python repository that ruff would format differently."""
    repo = tmp_path / "shop"
    (repo / "tests").mkdir(parents=True)
    (repo / "tests" / "test_shop.py").write_text(
        "import   shop\ndef test_total( ):\n    assert shop.total([1, 2])==3\n"
    )
    (repo / "shop.py").write_text("def total(items):\n  return sum( items )\n")
    (repo / "pyproject.toml").write_text(
        '[project]\nname = "shop"\nversion = "0"\n[tool.ruff]\n[tool.pytest.ini_options]\npythonpath = ["."]\n'
    )
    (repo / ".gitignore").write_text("__pycache__/\n.pytest_cache/\n.ruff_cache/\n")
    git(repo, "init", "--quiet", "--initial-branch=main")
    git(repo, "add", "--all")
    git(repo, "commit", "--quiet", "--message", "A shop")
    return repo


class Up:
    """A running ``threadlead up``: its link, and its end by Ctrl-C."""

    def __init__(self, process: asyncio.subprocess.Process, link: str) -> None:
        self.process, self.link = process, link

    async def ctrl_c(self) -> int:
        self.process.send_signal(signal.SIGINT)
        async with asyncio.timeout(20):
            await self.process.communicate()
        assert self.process.returncode is not None
        return self.process.returncode


@asynccontextmanager
async def up(data: Path, port: int) -> AsyncIterator[Up]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith("THREADLEAD_") and k != "REDIS_URL"}
    env = {
        **kept,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "THREADLEAD_DATA": str(data),
        "THREADLEAD_WEB__PERSON": "alice",
        "THREADLEAD_WORKER__ID": "laptop",
    }
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot.cli", "up", "--port", str(port)),
        env=env,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        yield Up(process, await _link(process))
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGTERM)
            await process.communicate()


async def _link(process: asyncio.subprocess.Process) -> str:
    assert process.stdout is not None
    said = b""
    async with asyncio.timeout(30):
        while line := await process.stdout.readline():
            said += line
            found = re.search(rb"http://\S+", line)
            if found:
                return found[0].decode()
    raise AssertionError(f"no link was printed:\n{said.decode()}")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


async def say(page: Page, text: str) -> None:
    await page.locator("#box").fill(text)
    await page.locator("#box").press("Enter")


def heading(page: Page, text: str) -> object:
    return expect(page.get_by_role("heading", name=re.compile(text)).last)


async def test_a_fresh_machine_runs_tests_formats_and_merges_by_clicks(
    browser: Browser, shop: Path, tmp_path: Path
) -> None:
    port = free_port()
    async with up(tmp_path / "data", port) as first:
        page = await browser.new_page(viewport={"width": 1280, "height": 800})
        await page.goto(first.link)
        await expect(page.get_by_text("I can only run commands here. To add an agent:")).to_be_visible()
        assert await page.locator("#start button").count() >= 3, "three things one can say"

        await page.get_by_label("Path of a local git repository").fill(str(shop))
        await press(page, "Use it")
        await say(page, "run the tests, then format with ruff and run them again")

        plan = page.locator('[data-key="plan:P1"]')
        await expect(plan.get_by_role("heading")).to_have_text(
            re.compile(r"P1 · shop, from main @ \w{8}"), timeout=SLOW_MS
        )
        for line in ("T1 pytest -q", "T2 ruff format . (after T1)", "T3 pytest -q (after T2)"):
            await expect(plan).to_contain_text(line)
        for name in ("Apply", "Edit", "Reject", "Only a question"):
            await expect(plan.get_by_role("button", name=name, exact=True)).to_be_visible()
        assert git(shop, "worktree", "list").count("\n") == 1, "nothing has started before Apply"

        await press(page, "Apply")
        report = page.locator('[data-key="report:T3:1"]')
        await expect(report.get_by_role("heading")).to_have_text(
            re.compile(r"Ready for review · 2 files, \+\d+ −\d+ · pytest -q exit 0 · 1 passed"), timeout=SLOW_MS
        )
        await expect(plan).to_contain_text("T1 pytest -q · done · exit 0 · 1 passed")
        assert "sum( items )" in (shop / "shop.py").read_text(), "the person's checkout is untouched until the merge"

        await press(page, "Accept")
        await press(page, "Merge to main")
        await expect(report.get_by_role("heading")).to_have_text(
            re.compile(r"Merged to main as \w{8} by alice · worktree removed"), timeout=SLOW_MS
        )
        assert "sum(items)" in (shop / "shop.py").read_text()
        assert git(shop, "status", "--porcelain") == ""
        assert git(shop, "worktree", "list").count("\n") == 1
        assert git(shop, "branch", "--list", "threadlead/*") == ""

        await say(page, "make the login page prettier")
        await expect(page.get_by_role("heading", name="I have no agent to do that here").last).to_be_visible(
            timeout=SLOW_MS
        )
        await expect(page.locator('[data-key^="plan:"]')).to_have_count(1)
        await expect(page.get_by_role("button", name="Accept", exact=True)).to_have_count(0)
        items = await page.locator("#items > li").count()
        assert await first.ctrl_c() == 0

    async with up(tmp_path / "data", port) as second:
        await page.goto(second.link)
        await expect(page.locator("#items > li")).to_have_count(items, timeout=SLOW_MS)
        await expect(page.get_by_role("heading", name="Merged to main as")).to_be_visible()
        assert await second.ctrl_c() == 0
    await page.close()
