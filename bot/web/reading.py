"""The routes that only look: sessions, the state of one, a plan to edit, an artifact."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from bot.cards.common import page_of
from bot.cards.plan import op_lines
from bot.posts import read_posts
from bot.web import shapes, view
from bot.web.board import board, graphs
from bot.web.console import console_of, known_state, language_of
from core.domain.model import Plan, Session
from core.domain.views import find_plan
from core.errors import Refused


async def sessions(request: Request) -> Response:
    return JSONResponse({"sessions": await console_of(request).overview.sessions()})


async def state(request: Request) -> Response:
    """All that the page shows of a session, in the page's language where the words are ours."""
    console, language = console_of(request), language_of(request)
    session_id = shapes.query(request, "session", shapes.SESSION_ID)
    surface = view.surface_of(await known_state(console, session_id))
    posts = await read_posts(console.desk.ledger, surface, session_id)
    workers = await console.overview.workers()
    found = await known_state(console, session_id)  # after the posts: a card is never newer than the board beside it
    return JSONResponse(
        {
            "seq": found.seq,
            "session": view.head(found, language),
            "conversation": view.conversation(found, posts),
            "board": board(found, language),
            "graph": graphs(found, language),
            "workers": workers,
        }
    )


async def plan(request: Request) -> Response:
    """A plan's operations as they can be edited: each may be dropped, and a new task's content replaced."""
    found = await known_state(console_of(request), shapes.query(request, "session", shapes.SESSION_ID))
    wanted = find_plan(found, request.query_params.get("plan", ""))
    return JSONResponse({"plan": wanted.short, "revision": wanted.revision, "ops": _operations(found, wanted)})


def _operations(found: Session, wanted: Plan) -> list[dict[str, Any]]:
    words = op_lines(page_of(found), wanted)
    return [
        {
            "key": op.key,
            "kind": op.kind,
            "mark": line.mark,
            "words": line.text,
            "content": (op.spec.content or op.spec.title) if op.spec else None,
            "command": bool(op.spec and op.spec.target == "shell"),
        }
        for op, line in zip(wanted.ops, words, strict=False)  # lines about what stays come after the operations
    ]


async def artifact(request: Request) -> Response:
    """An output or a diff the session's reports speak of, as text; any other digest is not here for this session."""
    console = console_of(request)
    digest: str = request.path_params["digest"]
    found = await known_state(console, shapes.query(request, "session", shapes.SESSION_ID))
    data = await console.desk.ledger.get_blob(digest) if digest in view.artifacts_of(found) else None
    if data is None:
        raise Refused("unknown_artifact")
    kind = "attachment" if "download" in request.query_params else "inline"
    return Response(
        data.decode("utf-8", "replace"),
        media_type="text/plain; charset=utf-8",
        headers={"Content-Disposition": f'{kind}; filename="{digest[:12]}.txt"'},
    )
