"""The page from its first look to an accepted report."""

from __future__ import annotations

import asyncio

import pytest
from playwright.async_api import Browser, expect

from core.domain import commands as c
from tests.bot.web.browsing import card, looking, press
from tests.bot.web.conftest import OpenSeat
from tests.bot.web.story import Seat, Story

pytestmark = pytest.mark.browser


DIFF = "diff --git a/cart.py b/cart.py\n--- a/cart.py\n+++ b/cart.py\n@@ -1 +1 @@\n-total = sum( x )\n+total = sum(x)\n"
EVIL = '<img src=x onerror="document.title=1"> <!channel> \u202eevil & `<b>code</b>`'


async def only_session(seat: Seat) -> Story:
    """The session the page began, as soon as it is there."""
    async with asyncio.timeout(5):
        while True:
            listed = (await seat.client.get("/api/sessions")).json()["sessions"]
            if listed:
                return Story(seat, listed[0]["id"])
            await asyncio.sleep(0.02)


async def test_the_empty_console_asks_for_a_repository_and_says_what_it_can_do(seat: Seat, browser: Browser) -> None:
    async with looking(browser, seat) as page:
        await expect(page.get_by_role("heading", name="Which repository shall we work on?")).to_be_visible()
        await expect(
            page.get_by_text("I can only run commands here. To add an agent: threadlead agents")
        ).to_be_visible()
        examples = page.locator(".examples button")
        await expect(examples).to_have_count(3)
        await examples.first.click()
        box = page.get_by_label("Message", exact=True)
        await expect(box).to_be_focused()
        await expect(box).to_have_value("run the tests, then format with ruff and run them again")
        await page.get_by_label("Path of a local git repository").fill("/srv/none")
        await press(page, "Use it")
        story = await only_session(seat)
        await expect(page.get_by_text("Looking at /srv/none")).to_be_visible()
        await story.do(c.RecordRepo(path="/srv/none", problem="not_a_repository"))
        await expect(page.get_by_text("/srv/none is not a git repository")).to_be_visible()
        await story.repository()
        await expect(page.locator("#head")).to_contain_text("shop main @ 4e2f9ab1")
        await expect(page.locator("#path")).to_have_count(0)


async def test_with_an_agent_nothing_is_said_about_commands_only(open_seat: OpenSeat, browser: Browser) -> None:
    async with (
        open_seat(agents=("claude",), repos={"shop": {"path": "/srv/shop"}}) as seat,
        looking(browser, seat) as page,
    ):
        await page.get_by_role("button", name="shop").click()
        await expect(page.get_by_text("Looking at /srv/shop")).to_be_visible()
        await expect(page.get_by_text("I can only run commands here")).to_have_count(0)


async def test_the_first_minute(seat: Seat, browser: Browser) -> None:
    """alice says it, applies the plan, sees it worked on, and accepts: one card is edited, one is new."""
    async with looking(browser, seat) as page:
        box = page.get_by_label("Message", exact=True)
        await box.fill("run the tests, then format")
        await box.press("Enter")
        await expect(page.locator(".message")).to_contain_text("run the tests, then format")
        story = await only_session(seat)
        await expect(page.locator('.sign[data-state="received"]')).to_be_visible()
        await story.repository()
        await story.planned("again, with a plan")
        plan = card(page, "plan:P1")
        await expect(plan.get_by_role("button")).to_have_text(["Apply", "Edit", "Reject", "Only a question"])
        async with page.expect_response("**/api/commands"):
            await press(page, "Apply")
        await story.show()
        await expect(plan).to_contain_text("P1 applied by alice")
        for name in ("T1", "T2"):
            await story.reported(await story.started(name), files=4)
        attempt = await story.started("T3")
        await story.output("T3", "\x1b[32m..........\x1b[0m 214 passed\n")
        await expect(plan.locator(".output pre")).to_have_text(".......... 214 passed\n")
        await expect(plan.get_by_role("button", name="Stop")).to_be_visible()
        await story.reported(attempt, diff=DIFF, files=4)
        await expect(page.locator(".card")).to_have_count(2)
        await expect(page.locator("#announce")).to_contain_text("Ready for review")
        await press(page, "Show diff")
        dialog = page.get_by_role("dialog")
        await expect(dialog.locator(".added")).to_have_text("+total = sum(x)")
        await expect(dialog.locator(".removed")).to_have_text("-total = sum( x )")
        await page.keyboard.press("Escape")
        await expect(dialog).to_have_count(0)
        async with page.expect_response("**/api/commands"):
            await press(page, "Accept")
        await story.show()
        await expect(page.locator(".card").last).to_contain_text("Accepted by alice")
        await expect(page.locator('#board [data-status="done"] .task')).to_have_count(3)


async def test_a_chinese_browser_gets_a_chinese_page(asked: Story, browser: Browser) -> None:
    async with looking(browser, asked.seat, asked.id, locale="zh-CN") as page:
        await expect(page.get_by_role("button", name="发送")).to_be_visible()
        await expect(page.locator("#board h3").first).to_contain_text("待审批")
        await expect(page.locator("html")).to_have_attribute("lang", "zh")
