"""Cards in the page: buttons, boxes, refusals, and that all they say is text."""

from __future__ import annotations

import asyncio

import pytest
from playwright.async_api import Browser, Route, expect

from tests.bot.web.browsing import card, looking, press
from tests.bot.web.story import Story, command_task

pytestmark = pytest.mark.browser


EVIL = '<img src=x onerror="document.title=1"> <!channel> \u202eevil & `<b>code</b>`'


async def test_a_button_that_asks_opens_a_box_and_escape_sends_nothing(asked: Story, browser: Browser) -> None:
    async with looking(browser, asked.seat, asked.id) as page:
        approval = card(page, "approval:A1")
        await expect(approval.locator("pre")).to_have_text("rm -rf build-cache")
        reject = approval.get_by_role("button", name="Reject", exact=True)
        await reject.click()
        await expect(page.get_by_role("dialog").get_by_role("textbox")).to_be_focused()
        await page.keyboard.press("Escape")
        await expect(reject).to_be_focused()
        assert (await asked.state()).open_interactions
        await reject.click()
        await page.get_by_role("dialog").get_by_role("textbox").fill("keep the cache")
        async with page.expect_response("**/api/commands"):
            await page.get_by_role("dialog").get_by_role("button", name="Reject").click()
        await asked.show()
        await expect(approval).to_contain_text("A1 rejected by alice")
        await expect(approval).to_contain_text("keep the cache")
        await expect(approval.get_by_role("button")).to_have_count(0)


async def test_a_box_that_is_needed_may_not_be_left_empty(story: Story, browser: Browser) -> None:
    await story.repository()
    await story.planned(specs=(command_task("a", "pytest -q"),))
    await story.seat.command(kind="tap", session=story.id, action="apply", subject="P1", revision=1)
    await story.reported(await story.started("T1"))
    async with looking(browser, story.seat, story.id) as page:
        await press(page, "Rework")
        dialog = page.get_by_role("dialog")
        await dialog.get_by_role("textbox").fill("   ")
        await dialog.get_by_role("button", name="Rework").click()
        await expect(dialog).to_be_visible()
        await dialog.get_by_role("textbox").fill("run them twice")
        async with page.expect_response("**/api/commands"):
            await dialog.get_by_role("button", name="Rework").click()
        await expect(dialog).to_have_count(0)
        await story.show()
        assert (await story.task("T1")).verdicts[-1].feedback == "run them twice"


async def test_a_refusal_is_said_beside_the_card(asked: Story, browser: Browser) -> None:
    """Somebody else decides in the terminal while alice's card still has its buttons."""
    async with looking(browser, asked.seat, asked.id) as page:
        approval = card(page, "approval:A1")
        await expect(approval.get_by_role("button")).to_have_count(3)
        await asked.seat.command(kind="tap", session=asked.id, action="approve", subject="A1", digest="d1")
        await approval.get_by_role("button", name="Approve once").click()
        await expect(approval.get_by_role("alert")).to_contain_text("already decided by alice")
        await expect(approval.get_by_role("button", name="Approve once")).to_be_enabled()


async def test_buttons_rest_while_the_answer_is_awaited(asked: Story, browser: Browser) -> None:
    async with looking(browser, asked.seat, asked.id) as page:
        gate, posts = asyncio.Event(), 0

        async def hold(route: Route) -> None:
            nonlocal posts
            posts += 1
            await gate.wait()
            await route.continue_()

        await page.route("**/api/commands", hold)
        approve = card(page, "approval:A1").get_by_role("button", name="Approve once")
        await approve.click()
        await expect(approve).to_be_disabled()
        async with page.expect_response("**/api/commands"):
            gate.set()
        await asked.show()
        await expect(card(page, "approval:A1")).to_contain_text("A1 approved once by alice")
        assert posts == 1


async def test_a_plan_is_edited_in_a_dialog(story: Story, browser: Browser) -> None:
    await story.repository()
    await story.planned()
    async with looking(browser, story.seat, story.id) as page:
        await press(page, "Edit")
        dialog = page.get_by_role("dialog")
        await expect(dialog.get_by_role("checkbox")).to_have_count(3)
        for tick in await dialog.get_by_role("checkbox").all():
            await tick.uncheck()
        await dialog.get_by_role("button", name="Save").click()
        await expect(dialog.get_by_role("alert")).to_have_text("Nothing would be left to do.")
        for number in (0, 1):
            await dialog.get_by_role("checkbox").nth(number).check()
        await dialog.get_by_role("textbox").first.fill("pytest -x")
        await dialog.get_by_role("button", name="Save").click()
        await expect(dialog).to_have_count(0)
        await story.show()
        plan = card(page, "plan:P1")
        await expect(plan).to_contain_text("changed by alice")
        await expect(plan.locator(".lines code")).to_have_text(["pytest -x", "ruff format ."])


async def test_a_card_is_edited_in_place_and_the_keyboard_stays_where_it_was(asked: Story, browser: Browser) -> None:
    async with looking(browser, asked.seat, asked.id) as page:
        stop = card(page, "plan:P1").get_by_role("button", name="Stop")
        await stop.focus()
        await page.evaluate("document.querySelector('[data-key=\"plan:P1\"]').marked = true")
        await asked.progress("T1", step=3, steps=4, current_step="collecting again")
        await expect(card(page, "plan:P1")).to_contain_text("step 3 of 4: collecting again")
        await expect(stop).to_be_focused()
        assert await page.evaluate("document.querySelector('[data-key=\"plan:P1\"]').marked")


async def test_what_people_and_agents_write_is_text(story: Story, browser: Browser) -> None:
    await story.repository()
    await story.planned(EVIL, (command_task("a", EVIL[:70]),))
    await story.seat.command(kind="tap", session=story.id, action="apply", subject="P1", revision=1)
    await story.reported(await story.started("T1"), output=f"{EVIL}\x1b]0;title\x07")
    async with looking(browser, story.seat, story.id) as page:
        await expect(page.locator(".message .words")).to_contain_text("<img src=x onerror=")
        await expect(page.locator(".message .words code")).to_have_text("<b>code</b>")
        await press(page, "Show output")
        await expect(page.get_by_role("dialog").locator("pre")).to_have_text(EVIL)
        assert await page.locator("#items img, #items b, dialog img").count() == 0
        assert await page.title() != "1"
