"""The job that understands one message: read it with the engine, record what was understood. It never acts."""

from __future__ import annotations

import structlog

from core.assembly import Desk
from core.domain import commands as c
from core.domain.model import Session
from core.domain.reading import Reading, Reply
from core.domain.views import active_flow
from core.errors import Refused
from jobs.manager.facts import with_facts
from jobs.repo_check import check_repo
from jobs.understanding import Understanding

log = structlog.get_logger()


async def read_message(desk: Desk, understanding: Understanding, session_id: str, message_id: str) -> None:
    """Read the message unless it has been read. A proposal the domain refuses is answered, not dropped."""
    state = await desk.service.state(session_id)
    message = state.messages.get(message_id)
    if message is None or (message.kind and not message.waits_for):
        return
    if state.repo is not None and state.repo.problem == "checking":
        return  # what can be proposed depends on it; the scheduler has the message read when the check is done
    reading = with_facts(await understanding.read(message, state), state)
    if (
        reading.proposal is not None
        and active_flow(state) is None
        and state.repo is not None
        and not state.repo.problem
    ):
        await check_repo(desk, session_id)  # a new branch starts from where the base is now, and the card says so
        state = await desk.service.state(session_id)
    command = _wanting_repo(state, message_id, reading)
    try:
        await desk.service.handle(session_id, command)
    except Refused as refused:
        if refused.code == "already_read":
            return
        log.info("proposal_refused", code=refused.code, session=session_id)
        await desk.service.handle(session_id, _answered(message_id, reading, refused))


def _wanting_repo(state: Session, message_id: str, reading: Reading) -> c.RecordReading:
    """A proposal needs a repository to be about; until there is one the message waits, and is read again then."""
    repo = state.repo
    if reading.proposal is None or (repo is not None and not repo.problem):
        return c.RecordReading(message_id=message_id, reading=reading)
    waiting = reading.model_copy(update={"proposal": None, "reply": Reply(code="which_repo")})
    return c.RecordReading(message_id=message_id, reading=waiting, waits_for="repo")


def _answered(message_id: str, reading: Reading, refused: Refused) -> c.RecordReading:
    reply = Reply(code="cannot_plan", params={"code": refused.code, **{k: str(v) for k, v in refused.params.items()}})
    return c.RecordReading(message_id=message_id, reading=reading.model_copy(update={"proposal": None, "reply": reply}))
