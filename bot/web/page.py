"""``GET /``: the page itself, or the way in to it."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from bot.web.console import Console, console_of
from bot.web.door import cookie_name

HERE = Path(__file__).parent
STATIC = HERE / "static"
COOKIE_S = 30 * 24 * 3600


async def page(request: Request) -> Response:
    """With the right ``token``: a cookie, and on to the same address without it. Without a cookie: how to get in."""
    console = console_of(request)
    token = request.query_params.get("token")
    if token is not None and console.door.knows(token):
        return _let_in(request, console)
    if not console.door.signed_in(request.headers):
        return HTMLResponse(_templates().get_template("door.html").render(), 401)
    html = _templates().get_template("page.html").render(boot=json.dumps(_boot(console), ensure_ascii=False))
    return HTMLResponse(html)


def _let_in(request: Request, console: Console) -> Response:
    answer = RedirectResponse("/", 303)
    answer.set_cookie(
        cookie_name(request.headers),
        console.door.pass_(),
        max_age=COOKIE_S,
        path="/",
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
    )
    return answer


def _boot(console: Console) -> dict[str, Any]:
    """What the page must know before it asks: who looks at it, which repositories have names, which agents there are."""
    repos = {name: repo.path for name, repo in console.desk.settings.repos.items()}
    return {
        "person": console.person.name,
        "repos": [{"name": name, "path": path} for name, path in repos.items()],
        "agents": list(console.agents),
        "language": console.desk.settings.language,
    }


@cache
def _templates() -> Environment:
    return Environment(loader=FileSystemLoader(HERE / "templates"), autoescape=True)
