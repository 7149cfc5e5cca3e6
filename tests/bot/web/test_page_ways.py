"""The page for everyone: keyboard, phone, dark room, screen reader; and nobody else is asked anything."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.async_api import Browser, expect

from tests.bot.web.browsing import card, looking
from tests.bot.web.story import Story

pytestmark = pytest.mark.browser


PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}


LUMINANCE = """(selector) => {
    const [r, g, b] = getComputedStyle(document.querySelector(selector)).backgroundColor.match(/[\\d.]+/g).map(Number);
    return (0.2126 * r + 0.7152 * g + 0.0722 * b) / 255;
}"""


NAMES = """() => [...document.querySelectorAll('button, a, input, textarea, select, summary, [role=button]')]
    .filter((e) => e.checkVisibility())
    .filter((e) => !(e.getAttribute('aria-label') || e.textContent.trim() || e.labels?.length)).map((e) => e.outerHTML)"""


async def test_the_graph_is_walked_with_the_keyboard(asked: Story, browser: Browser) -> None:
    async with looking(browser, asked.seat, asked.id) as page:
        await page.get_by_role("tab", name="Board").focus()
        await page.keyboard.press("ArrowRight")
        await expect(page.get_by_role("tab", name="Graph")).to_be_focused()
        node = page.get_by_role("button", name="T2 ruff format ., Waiting, after T1")
        await node.focus()
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("tab", name="Board")).to_have_attribute("aria-selected", "true")
        await expect(page.locator("details[open] > summary:focus")).to_contain_text("ruff format .")


async def test_on_a_phone_one_column_is_shown_at_a_time_and_nothing_is_cut_off(asked: Story, browser: Browser) -> None:
    await asked.said("averyveryverylongwordwithoutanyspaces" * 8)
    async with looking(browser, asked.seat, asked.id, **PHONE) as page:
        await expect(page.get_by_label("Message", exact=True)).to_be_visible()
        await expect(page.locator("#board")).to_be_hidden()
        for panel in ("Work", "Sessions", "Conversation"):
            await page.locator(".panels").get_by_role("button", name=panel).click()
            assert await page.evaluate("document.documentElement.scrollWidth") <= 360
        height = await card(page, "approval:A1").get_by_role("button", name="Approve once").bounding_box()
        assert height is not None
        assert height["height"] >= 40
        async with page.expect_response("**/api/commands"):
            await card(page, "approval:A1").get_by_role("button", name="Approve once").tap()
        await asked.show()
        await expect(card(page, "approval:A1")).to_contain_text("A1 approved once by alice")


@pytest.mark.parametrize(("scheme", "dark"), [("dark", True), ("light", False)])
async def test_the_page_follows_the_colour_scheme(
    asked: Story, browser: Browser, tmp_path: Path, scheme: str, dark: bool
) -> None:
    async with looking(browser, asked.seat, asked.id, color_scheme=scheme) as page:
        await expect(card(page, "approval:A1")).to_be_visible()
        for selector in ("body", ".talk", ".card", ".task", "#box"):
            assert (await page.evaluate(LUMINANCE, selector) < 0.25) is dark, selector
        picture = await page.screenshot(path=tmp_path / f"{scheme}.png")
        assert len(picture) > 10_000


async def test_everything_one_can_press_has_a_name_and_the_regions_have_theirs(asked: Story, browser: Browser) -> None:
    async with looking(browser, asked.seat, asked.id) as page:
        await expect(card(page, "approval:A1")).to_be_visible()
        assert await page.evaluate(NAMES) == []
        for role, name in (("navigation", "Sessions"), ("region", "Conversation"), ("complementary", "Work")):
            await expect(page.get_by_role(role, name=name, exact=True)).to_be_visible()  # type: ignore[arg-type]
        await expect(page.locator("[role=log]")).to_have_attribute("aria-live", "polite")
        when = page.locator(".message time").first
        assert "202" in (await when.get_attribute("title") or "")


async def test_nothing_is_asked_of_anybody_else(asked: Story, browser: Browser) -> None:
    async with looking(browser, asked.seat, asked.id) as page:
        asked_of: list[str] = []
        page.on("request", lambda request: asked_of.append(request.url))
        await page.reload()
        await expect(card(page, "approval:A1")).to_be_visible()
        assert asked_of
        assert [url for url in asked_of if not url.startswith(asked.seat.url)] == []
