"""Who gets in: the token link, the cookie, other sites, other names, and what is never served."""

from __future__ import annotations

import httpx
import pytest
from starlette.datastructures import Headers

from bot.web.door import CSP, Door, hosts_of, objection
from core.settings.model import Web
from tests.bot.web.story import TOKEN, Seat, Story

DOOR = Door(TOKEN, hosts_of(Web()))
HOST = "127.0.0.1:7373"


def asks(method: str = "POST", path: str = "/api/commands", **headers: str) -> tuple[int, str] | None:
    sent = {"host": HOST, "authorization": f"Bearer {TOKEN}", "content-type": "application/json"}
    sent |= {name.replace("_", "-"): value for name, value in headers.items()}
    return objection(DOOR, method, path, Headers({name: value for name, value in sent.items() if value}))


@pytest.mark.parametrize(
    ("refused", "headers"),
    [
        (None, {}),
        (None, {"origin": f"http://{HOST}", "sec_fetch_site": "same-origin"}),
        ((403, "other_origin"), {"origin": "https://evil.example"}),
        ((403, "other_origin"), {"origin": "http://127.0.0.1:8000", "sec_fetch_site": "same-site"}),
        ((403, "other_origin"), {"origin": "null"}),
        ((403, "other_origin"), {"sec_fetch_site": "cross-site"}),
        ((401, "not_signed_in"), {"authorization": ""}),
        ((401, "not_signed_in"), {"authorization": "Bearer wrong"}),
        ((401, "not_signed_in"), {"authorization": "", "cookie": "threadlead-7373=wrong"}),
        ((403, "other_origin"), {"authorization": "", "cookie": f"threadlead-7373={DOOR.pass_()}"}),
        ((415, "not_json"), {"content_type": "text/plain"}),
        ((415, "not_json"), {"content_type": "application/x-www-form-urlencoded"}),
        ((421, "unknown_host"), {"host": "rebound.example:7373"}),
        ((421, "unknown_host"), {"host": "127.0.0.1.evil.example"}),
        ((421, "unknown_host"), {"host": "[bad"}),
    ],
)
def test_a_post_is_refused_by_the_first_rule_it_breaks(
    refused: tuple[int, str] | None, headers: dict[str, str]
) -> None:
    assert asks(**headers) == refused


@pytest.mark.parametrize("host", ["localhost:7373", "127.0.0.1", "[::1]:7373", "LOCALHOST", "lead.example.org"])
def test_the_console_answers_to_its_own_names_only(host: str) -> None:
    door = Door(TOKEN, hosts_of(Web(open_host="Lead.example.org")))
    asked = Headers({"host": host, "authorization": f"Bearer {TOKEN}"})
    assert objection(door, "GET", "/api/sessions", asked) is None


def test_the_token_is_not_shown_with_the_door() -> None:
    assert TOKEN not in repr(DOOR)


async def test_the_link_sets_a_strict_cookie_and_leaves_the_address_without_the_token(seat: Seat) -> None:
    async with httpx.AsyncClient(base_url=seat.url, trust_env=False) as fresh:
        answer = await fresh.get("/", params={"token": TOKEN})
        assert (answer.status_code, answer.headers["location"]) == (303, "/")
        cookie = answer.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=strict" in cookie
        assert TOKEN not in cookie
        page = await fresh.get("/")
        assert page.status_code == 200
        assert page.headers["content-security-policy"] == CSP
        assert page.headers["referrer-policy"] == "no-referrer"
        assert page.headers["x-content-type-options"] == "nosniff"
        assert page.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("address", ["/", "/?token=", "/?token=wrong", "/?token=%F0%9F%92%A5"])
async def test_without_the_link_the_page_says_how_to_get_in(seat: Seat, address: str) -> None:
    async with httpx.AsyncClient(base_url=seat.url, trust_env=False) as stranger:
        answer = await stranger.get(address)
        assert answer.status_code == 401
        assert "threadlead up" in answer.text
        assert "data-boot" not in answer.text


@pytest.mark.parametrize("path", ["/api/sessions", "/api/state", "/api/events", "/api/plan", "/metrics", "/api/none"])
async def test_a_stranger_reads_nothing(seat: Seat, path: str) -> None:
    async with httpx.AsyncClient(base_url=seat.url, trust_env=False) as stranger:
        assert (await stranger.get(path)).json()["code"] == "not_signed_in"


async def test_another_site_changes_nothing_though_the_browser_sends_the_cookie(story: Story) -> None:
    before = (await story.state()).seq
    body = {"kind": "say", "session": story.id, "text": "rm -rf /"}
    for headers in ({"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
        answer = await story.seat.client.post("/api/commands", json=body, headers=headers)
        assert answer.status_code == 403
    assert (await story.state()).seq == before


async def test_a_program_may_use_the_token_itself(seat: Seat) -> None:
    async with httpx.AsyncClient(base_url=seat.url, trust_env=False) as program:
        answer = await program.post("/api/sessions", json={}, headers={"Authorization": f"Bearer {TOKEN}"})
        assert answer.status_code == 201


@pytest.mark.parametrize(
    "path",
    [
        "/static/../app.py",
        "/static/..%2fapp.py",
        "/static/%2e%2e/app.py",
        "/static/....//app.py",
        "/static//etc/passwd",
    ],
)
async def test_no_path_leads_out_of_the_static_folder(seat: Seat, path: str) -> None:
    """httpx tidies paths, so this one is sent as it is."""
    answer = await seat.client.send(seat.client.build_request("GET", httpx.URL(seat.url, raw_path=path.encode())))
    assert answer.status_code in (404, 405)
    assert "import" not in answer.text
