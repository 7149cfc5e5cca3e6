"""Writing in the page: at once on the screen, once in the log, whatever the line does."""

from __future__ import annotations

import asyncio

import pytest
from playwright.async_api import Browser, Route, expect

from tests.bot.web.browsing import looking, press
from tests.bot.web.story import Story

pytestmark = pytest.mark.browser

READ_ONCE = "performance.getEntriesByType('resource').some((e) => e.name.includes('/api/state'))"


async def test_a_message_is_there_before_it_has_arrived_and_is_sent_again_when_it_was_lost(
    story: Story, browser: Browser
) -> None:
    async with looking(browser, story.seat, story.id) as page:
        await page.route("**/api/commands", lambda route: route.abort(), times=1)
        await page.get_by_label("Message", exact=True).fill("run the tests")
        await press(page, "Send")
        await expect(page.locator(".message")).to_contain_text("run the tests")
        await page.get_by_role("button", name="Try again").click()
        await expect(page.locator('.sign[data-state="received"]')).to_be_visible()
        await expect(page.locator(".message")).to_have_count(1)
        assert len((await story.state()).messages) == 1


async def test_a_message_whose_answer_was_lost_is_shown_once(story: Story, browser: Browser) -> None:
    async def lose(route: Route) -> None:
        await route.fetch()
        await route.abort()

    async with looking(browser, story.seat, story.id) as page:
        await page.route("**/api/commands", lose)
        await page.get_by_label("Message", exact=True).fill("run the tests")
        await press(page, "Send")
        await expect(page.locator('.sign[data-state="received"]')).to_be_visible()
        await expect(page.locator(".message")).to_have_count(1)
        await expect(page.get_by_role("button", name="Try again")).to_have_count(0)


async def test_words_that_cannot_be_are_answered_to_the_person_alone(story: Story, browser: Browser) -> None:
    async with looking(browser, story.seat, story.id) as page:
        await page.get_by_label("Message", exact=True).fill("approve A7")
        await press(page, "Send")
        await expect(page.locator(".note")).to_contain_text("There is no A7 here")
        await expect(page.locator(".message")).to_have_count(1)


async def test_enter_sends_and_shift_enter_does_not(story: Story, browser: Browser) -> None:
    async with looking(browser, story.seat, story.id) as page:
        await page.keyboard.press("Tab")
        await expect(page.locator(".skip")).to_be_focused()
        await page.locator("h1").click()
        await page.keyboard.press("/")
        await page.keyboard.type("one")
        await page.keyboard.press("Shift+Enter")
        await page.keyboard.type("two")
        await page.keyboard.press("Enter")
        await expect(page.locator(".message .words")).to_have_text("one\ntwo")
        await expect(page.locator(".message .words")).to_have_css("white-space", "pre-wrap")


async def test_while_the_stream_is_down_the_page_says_so_and_still_goes_on(story: Story, browser: Browser) -> None:
    async with looking(browser, story.seat, story.id) as page:
        await expect(page.locator("#trouble")).to_be_hidden()
        async with asyncio.timeout(15):
            while not await page.evaluate(READ_ONCE):  # asked from outside: the page itself may evaluate no text
                await asyncio.sleep(0.05)
        await page.route("**/api/events*", lambda route: route.abort())
        async with asyncio.timeout(15):
            while not await page.locator("#trouble").is_visible():
                story.seat.console.live.let_go()  # again: a stream asked for before the cut may join after it
                await asyncio.sleep(0.05)
        await expect(page.locator("#trouble")).to_have_text("Reconnecting …")
        await story.said("still heard")
        await expect(page.locator(".message")).to_contain_text("still heard")
        await page.unroute("**/api/events*")
        await expect(page.locator("#trouble")).to_be_hidden()


async def test_another_session_is_one_click_away_and_says_what_waits(asked: Story, browser: Browser) -> None:
    other = await Story.begin(asked.seat)
    await other.said("an other thing " + "w" * 300)
    async with looking(browser, asked.seat, other.id) as page:
        row = page.locator("#sessions a", has_text="run the tests")
        await expect(row.locator(".badge")).to_contain_text("1")
        await row.click()
        await expect(page.locator("h1")).to_have_text("run the tests, then format")
        await expect(page).to_have_title("(1) run the tests, then format · Threadlead")
        await page.go_back()
        await expect(page.locator("h1")).to_contain_text("an other thing")


async def test_an_address_of_no_session_says_so_and_asks_no_further(story: Story, browser: Browser) -> None:
    for at in ("ps_0198b4c2d1f07c3e9a5b000000000000", "..%2fetc"):
        async with looking(browser, story.seat, at) as page:
            await expect(page.locator("#trouble")).to_have_text("There is no such session.")
            await page.locator("#sessions a").click()
            await expect(page.locator("#trouble")).to_be_hidden()
