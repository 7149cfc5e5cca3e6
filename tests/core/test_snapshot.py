"""A snapshot is a short cut: equal to the state it was made of, or ignored."""

from __future__ import annotations

import pytest

from core import snapshot
from core.domain.model import Session
from tests.core.domain.golden_log import story


def test_a_state_comes_back_equal_with_everything_in_it() -> None:
    state = story().state
    assert snapshot.unpack(snapshot.pack(state)) == state
    assert snapshot.unpack(snapshot.pack(Session(id="ps_1"))) == Session(id="ps_1")


def test_a_restored_state_goes_on_like_the_original() -> None:
    world = story()
    restored = snapshot.unpack(snapshot.pack(world.state))
    assert restored is not None
    world.state = restored
    world.say("and then?")


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[:-1],
        lambda data: b"0" * 16 + data[16:],
        lambda data: data.partition(b"\n")[0] + b"\nnull",
        lambda data: data.partition(b"\n")[0] + b'\n{"id": 5}',
    ],
    ids=["empty", "cut", "another version", "nothing", "another shape"],
)
def test_what_cannot_be_trusted_is_ignored(damage: object) -> None:
    data = snapshot.pack(story().state)
    assert callable(damage)
    assert snapshot.unpack(damage(data)) is None
