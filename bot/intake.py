"""Anything a person did becomes one command, whatever surface they did it on.

Access is checked here, before anything is classified or stored. Words that act (``stop``, ``approve A5``) are recognised by
``bot.control``; everything else is a message, kept and read later.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from bot.answers import ANSWERS
from bot.control import Control, parse_control
from bot.words import Language, refusal_text
from bot.words import language_of as language_of_text
from core.access import Person, Right, permit
from core.domain import commands as c
from core.domain.model import Session
from core.domain.reading import Reading, Reply
from core.domain.views import find_interaction
from core.errors import Refused
from core.ids import new_id
from core.service import Service

TITLE_CHARS = 80


@dataclass(frozen=True, slots=True)
class Answer:
    """What the person is told privately; ``text`` is empty when the thread itself shows what happened."""

    ok: bool
    session_id: str
    code: str = ""
    text: str = ""


class Intake:
    """One per bot process; it holds nothing but the door."""

    def __init__(self, service: Service, language: Literal["auto", "en", "zh"] = "auto") -> None:
        """``language`` other than auto is spoken whatever people write in."""
        self._service = service
        self._language = language

    async def open(self, person: Person, *, place: str, surface: str, title: str = "") -> Answer:
        """The session of ``place``, begun now if there is none."""
        by = permit(person, "ask")
        session_id = await self._service.ledger.bind(place, new_id("ps"))
        state = await self._service.state(session_id)
        if not state.seq:
            command = c.StartSession(by=by, place=place, surface=surface, title=title[:TITLE_CHARS])
            await self._service.handle(session_id, command, dedupe=f"start:{session_id}")
        return Answer(True, session_id)

    async def said(self, person: Person, session_id: str, text: str, *, ref: str = "") -> Answer:
        """A message, or words that act. ``ref`` is the platform's own id of it: the same one twice is one."""
        state = await self._service.state(session_id)
        language = language_of_text(text) if self._language == "auto" else self._language
        try:
            control = parse_control(text)
            command = c.AddMessage(
                by=permit(person, "ask"), text=text, language=language, ref=ref, reading=_own_reading(state, control)
            )
            await self._service.handle(session_id, command, dedupe=f"say:{session_id}:{ref}" if ref else None)
            if control is not None and control.action in ACTIONS:
                return await self._act(person, state, control, f"act:{session_id}:{ref}" if ref else None)
        except Refused as refused:
            return Answer(False, session_id, refused.code, refusal_text(refused, language))
        return Answer(True, session_id)

    async def tapped(
        self,
        person: Person,
        session_id: str,
        action: str,
        subject: str,
        *,
        revision: int = 0,
        text: str = "",
        digest: str = "",
        drop: tuple[str, ...] = (),
        contents: dict[str, str] | None = None,
    ) -> Answer:
        """A button, with the revision its card showed and the text of its box."""
        state = await self._service.state(session_id)
        control = Control(action, subject, text, revision, digest, drop, contents or {})
        try:
            return await self._act(person, state, control, None)
        except Refused as refused:
            return Answer(False, session_id, refused.code, refusal_text(refused, _language(state)))

    async def name_repo(self, person: Person, session_id: str, path: str) -> Answer:
        state = await self._service.state(session_id)
        try:
            await self._service.handle(session_id, c.NameRepo(by=permit(person, "ask"), path=path))
        except Refused as refused:
            return Answer(False, session_id, refused.code, refusal_text(refused, _language(state)))
        return Answer(True, session_id)

    async def _act(self, person: Person, state: Session, control: Control, dedupe: str | None) -> Answer:
        make = ACTIONS.get(control.action)
        if make is None:
            raise Refused("unknown_action", action=control.action[:40])
        right, build = make
        try:
            command = build(permit(person, right), state, control)
            await self._service.handle(state.id, command, dedupe=dedupe)
        except Refused:
            if dedupe is not None:  # the same words delivered once more, later, must not find something to act on
                await self._service.ledger.append(state.id, (), expected_seq=None, dedupe=dedupe)
            raise
        return Answer(True, state.id)


def _language(state: Session) -> Language:
    return "zh" if state.language == "zh" else "en"


def _own_reading(state: Session, control: Control | None) -> Reading | None:
    """Words that say themselves what they are need no engine: they are kept as such, with the answer they ask for."""
    if control is None:
        return None
    answer = ANSWERS.get(control.action)
    reply = None if answer is None else Reply(code="said", params={"text": answer(state, control, _language(state))})
    return Reading(kind="control", rationale=control.action, reply=reply)


Build = Callable[[c.Permitted, Session, Control], c.Command]


def _plan(decision: str) -> Build:
    def build(by: c.Permitted, state: Session, x: Control) -> c.Command:
        return c.DecidePlan(by=by, plan=x.subject, revision=x.revision, decision=decision, reason=x.text)  # type: ignore[arg-type]

    return build


def _edit(by: c.Permitted, state: Session, x: Control) -> c.Command:
    return c.EditPlan(by=by, plan=x.subject, revision=x.revision, drop=x.drop, contents=x.contents)


def _approval(decision: str) -> Build:
    """``reject P1`` and ``reject A1`` are the same word for a plan and an approval."""

    def build(by: c.Permitted, state: Session, x: Control) -> c.Command:
        if x.subject.upper().startswith("P"):
            plan_word = "apply" if decision == "approve" else "reject"
            return c.DecidePlan(by=by, plan=x.subject, revision=x.revision, decision=plan_word, reason=x.text)  # type: ignore[arg-type]
        return c.DecideApproval(
            by=by,
            interaction=x.subject,
            decision=decision,  # type: ignore[arg-type]
            reason=x.text,
            digest=x.digest,
        )

    return build


def _reconcile(decision: str) -> Build:
    def build(by: c.Permitted, state: Session, x: Control) -> c.Command:
        interaction = find_interaction(state, x.subject)
        return c.DecideReconcile(by=by, interaction=interaction.id, decision=decision, reason=x.text)  # type: ignore[arg-type]

    return build


def _settle(accept: bool) -> Build:
    def build(by: c.Permitted, state: Session, x: Control) -> c.Command:
        return c.Settle(by=by, subject=x.subject, accept=accept, feedback=x.text, revision=x.revision)

    return build


def _change(change: str) -> Build:
    def build(by: c.Permitted, state: Session, x: Control) -> c.Command:
        return c.ChangeTask(by=by, change=change, task=x.subject, reason=x.text)  # type: ignore[arg-type]

    return build


def _latest_flow(state: Session) -> str:
    """The flow that ``merge`` by word is about: the one the last report was for."""
    return next(reversed(state.flows), "")


def _merge(merge: bool) -> Build:
    def build(by: c.Permitted, state: Session, x: Control) -> c.Command:
        return c.DecideMerge(by=by, flow=x.subject or _latest_flow(state), merge=merge)

    return build


ACTIONS: dict[str, tuple[Right, Build]] = {
    "apply": ("decide", _plan("apply")),
    "question": ("decide", _plan("question")),
    "change": ("ask", _plan("change")),
    "edit": ("decide", _edit),
    "approve": ("decide", _approval("approve")),
    "reject": ("decide", _approval("reject")),
    "reject_stop": ("decide", _approval("reject_stop")),
    "wait": ("decide", _reconcile("wait")),
    "again": ("decide", _reconcile("again")),
    "done": ("decide", _reconcile("done")),
    "failed": ("decide", _reconcile("failed")),
    "give_up": ("decide", _reconcile("cancel")),
    "accept": ("settle", _settle(True)),
    "rework": ("settle", _settle(False)),
    "stop": ("stop", _change("stop")),
    "pause": ("stop", _change("pause")),
    "resume": ("decide", _change("resume")),
    "cancel": ("decide", _change("cancel")),
    "retry": ("decide", _change("retry")),
    "merge": ("merge", _merge(True)),
    "later": ("settle", _merge(False)),
}
