"""Whatever is written and however the session stands, the rules return, and what they propose can be applied."""

from __future__ import annotations

import asyncio
import itertools

from hypothesis import given, settings
from hypothesis import strategies as st

from core.domain.decide.plans import propose
from core.domain.decide.scribe import Scribe
from core.domain.model import Message, Session
from core.domain.reading import Reading
from core.domain.tables import TaskStatus
from jobs.manager.contract import Surroundings
from tests.jobs.manager.thread import BARE, CHECKS, STAFFED, add, engine

COMMON = (
    "T1 T2 t9 the cache retry docs tests and , then don't drop pause resume first leave for now fix run `pytest -q` lint `T1`"
    " > ? . ! : :: - 1. if maybe it them again everything also after is done when until in parallel yes instead of"
    " 先 别 取消 缓存 文档 不要 了 吗 ？ ， 然后 再 跑 测试 同时"
)
WORDS = (*COMMON.split(), "\n", "\n```\n", "", "\ue0000\ue001", "\x00", "\u202e")
SENTENCES = st.lists(st.sampled_from(WORDS), max_size=25).map(" ".join)
ANY_SIGNS = st.text(st.characters(), max_size=300)  # broken ones as well
TEXTS = st.one_of(ANY_SIGNS, SENTENCES)
TITLES = st.sampled_from(["Cache the reads", "Fix the retry", "Write the docs", "pytest -q", "缓存读取", "", "T1"])


@st.composite
def sessions(draw: st.DrawFn) -> Session:
    state = Session(id="ps_1", seq=1)
    for number in range(1, draw(st.integers(0, 4)) + 1):
        earlier = [f"T{n}" for n in range(1, number)]
        after = tuple(draw(st.lists(st.sampled_from(earlier), unique=True))) if earlier else ()
        status = draw(st.sampled_from(list(TaskStatus)))
        done = status is TaskStatus.COMPLETED and draw(st.booleans())
        add(state, f"T{number}", draw(TITLES), status.value, after, done=done)
    return state


def read(text: str, state: Session, around: Surroundings) -> Reading:
    return asyncio.run(engine().read(Message(id="msg_1", author="alice", text=text, ts=1), state, around))


@settings(max_examples=250, deadline=None)
@given(TEXTS, sessions(), st.sampled_from([BARE, STAFFED]))
def test_every_text_is_read_and_every_proposal_can_be_applied(text: str, state: Session, around: Surroundings) -> None:
    reading = read(text, state, around)
    assert reading.kind != "control"
    assert not (reading.reply and reading.proposal)
    if reading.proposal is None:
        return
    count = itertools.count()
    propose(Scribe(state, 1, lambda prefix: f"{prefix}_{next(count)}"), "msg_1", reading.proposal)
    for spec in reading.proposal.create:
        assert spec.target in ("shell", *around.agents)
        if spec.target == "shell":
            assert spec.content in CHECKS.values() or spec.content.split()[0] in text or spec.content == "mypy ."


@settings(max_examples=100, deadline=None)
@given(SENTENCES, sessions())
def test_the_same_words_in_the_same_session_are_read_the_same(text: str, state: Session) -> None:
    assert read(text, state, STAFFED) == read(text, state, STAFFED)


@settings(max_examples=100, deadline=None)
@given(SENTENCES, sessions())
def test_quoted_words_do_nothing(text: str, state: Session) -> None:
    quoted = "\n".join(f"> {line}" for line in text.split("\n"))
    assert read(quoted, state, STAFFED).kind == "note"
