"""The routes that do something: begin a session, say, tap, name the repository, look at a waiting task again."""

from __future__ import annotations

from dataclasses import asdict
from uuid import uuid4

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from bot.intake import Answer
from bot.web import shapes
from bot.web.console import Console, console_of, known_state
from core.domain.views import dispatchable, find_task


async def begin(request: Request) -> Response:
    console = console_of(request)
    wanted = await shapes.read(request, shapes.NEW_SESSION)
    answer = await console.intake.open(console.person, place=f"web:{wanted.place or uuid4()}", surface="web")
    return JSONResponse({"session": answer.session_id}, 201)


async def command(request: Request) -> Response:
    """Answer as JSON; 409 when what was asked for cannot be, with the words for the person who asked."""
    console = console_of(request)
    wanted = await shapes.read(request, shapes.COMMAND)
    await known_state(console, wanted.session)
    console.counts.commands += 1
    answer = await _carry_out(console, wanted)
    if not answer.ok:
        console.counts.refusals += 1
    return JSONResponse(asdict(answer), 200 if answer.ok else 409)


async def _carry_out(console: Console, wanted: shapes.Say | shapes.Tap | shapes.Repo) -> Answer:
    intake, person = console.intake, console.person
    if isinstance(wanted, shapes.Say):
        return await intake.said(person, wanted.session, wanted.text, ref=wanted.ref)
    if isinstance(wanted, shapes.Repo):
        return await intake.name_repo(person, wanted.session, wanted.path)
    return await intake.tapped(
        person,
        wanted.session,
        wanted.action,
        wanted.subject,
        revision=wanted.revision,
        text=wanted.text,
        digest=wanted.digest,
        drop=wanted.drop,
        contents=dict(wanted.contents),
    )


async def dispatch(request: Request) -> Response:
    """Wake the scheduler for a task that is ready. Asking again changes nothing: the log decides what is dispatched."""
    console = console_of(request)
    wanted = await shapes.read(request, shapes.DISPATCH)
    state = await known_state(console, wanted.session)
    task = find_task(state, wanted.task)
    ready = dispatchable(state, task)
    if ready:
        change = {"session": state.id, "task": task.id, "from": "queued", "to": "queued"}
        await console.desk.ledger.publish("task", change)
    return JSONResponse({"dispatched": ready})
