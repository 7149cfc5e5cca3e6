"""Messages that ask for no work: greetings, thanks, a bare yes, questions about the work."""

from __future__ import annotations

import re
import unicodedata

from core.domain.model import Session, Task
from core.domain.reading import Reading, Reply
from core.domain.views import open_interactions, open_proposals, terminal
from jobs.manager.rules import lexicon as words
from jobs.manager.rules.refer import Referee, named
from jobs.manager.rules.split import Said

_APOSTROPHE = re.compile(r"'s\b")
NOTE = Reading(kind="note", confidence=0.9, rationale="asks for nothing")


def plain_words(text: str) -> list[str]:
    """Lower-case words without signs and pictures."""
    low = _APOSTROPHE.sub("", text.lower())
    kept = "".join(c if unicodedata.category(c)[0] in "LN" or c in "'-" else " " for c in low)
    return kept.split()


def small_talk(heard: Said, state: Session) -> Reading | None:
    """The reading of a message that is only talk; None when it may say more."""
    spoken = plain_words(heard.text)
    if not spoken:
        return NOTE
    return _bare_decision(spoken, state) or _pleasantry(spoken, state)


def _bare_decision(spoken: list[str], state: Session) -> Reading | None:
    """A lone yes or no decides nothing; the answer names what it may have been meant for."""
    shorts = {short.lower() for short in state.shorts} | {x.short.lower() for x in state.interactions.values()}
    spoken = [word for word in spoken if word not in shorts] or spoken
    phrase = "-".join(spoken)
    if not (phrase in words.YES_OR_NO | words.YES_OR_NO_PHRASES or all(word in words.YES_OR_NO for word in spoken)):
        return None
    waiting = open_interactions(state)
    if waiting:
        return _answer(waiting[0].short)
    proposals = open_proposals(state)
    if proposals and phrase in words.PLAN_WORDS:
        return _answer(proposals[-1].short)
    return NOTE


def _answer(short: str) -> Reading:
    reply = Reply(code="not_a_decision", params={"short": short})
    return Reading(kind="answer", confidence=0.9, rationale="a bare yes or no", reply=reply)


def _pleasantry(spoken: list[str], state: Session) -> Reading | None:
    if not all(word in words.CHAT for word in spoken):
        return None
    if is_fresh(state) and any(word in words.GREETINGS or word in ("help", "帮助") for word in spoken):
        return hello()
    return NOTE


def hello() -> Reading:
    return Reading(kind="note", confidence=0.9, rationale="a greeting", reply=Reply(code="hello"))


def is_fresh(state: Session) -> bool:
    """No plan was ever made here."""
    return not state.plans and not state.tasks and not state.version


def question(text: str, state: Session, referee: Referee) -> Reading:
    """An answer about one task, about all, or nothing; a question never changes the plan."""
    about = _about(text, state, referee)
    if len(about) == 1:
        return _reply("about_task", "a question about one task", task=about[0].short)
    if state.tasks and (about or words.STATUS.search(text)):
        return _reply("status", "a question about the work")
    if is_fresh(state) and (words.ABILITIES.search(text) or words.QUESTION.search(text.strip(" ?？"))):
        return _reply("hello", "a question before there is any work")
    return NOTE


def _about(text: str, state: Session, referee: Referee) -> tuple[Task, ...]:
    shorts = named(text, state)
    if shorts:
        return tuple(shorts)
    return referee.mentioned(text)


def _reply(code: str, rationale: str, **params: str) -> Reading:
    return Reading(kind="question", confidence=0.85, rationale=rationale, reply=Reply(code=code, params=params))


def unsettled(state: Session) -> list[Task]:
    """Tasks that have not ended, in the order they were made."""
    return [task for task in state.tasks.values() if not terminal(task)]
