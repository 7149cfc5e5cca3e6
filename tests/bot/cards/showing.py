"""Cards as a person reads them, and what must hold of every card of every state a test reaches."""

from __future__ import annotations

import json
import re
from copy import deepcopy
from typing import Any

from bot.cards.model import Card
from bot.cards.session import cards
from core.domain import commands as c
from core.domain.apply import apply
from core.domain.event import Draft, Event
from core.domain.facts import CheckValue, TaskProgressed
from core.domain.model import Session
from core.domain.reading import Reading, Reply, TaskSpec
from tests.core.domain.world import ALICE, World

IDS = re.compile(r"\b(task|att|pd|msg|apr|ix|evt)_\d+")
OURS = re.compile(r"\b(lanes?|turns?|attempts?|harness|settled?|ledger)\b", re.IGNORECASE)
SHA = "4e2f9ab1c07d55aa"


def command(key: str, line: str, *after: str, **more: Any) -> TaskSpec:
    return TaskSpec(key=key, title=line[:80], content=line, after=after, **more)


def prose(key: str, title: str, *after: str, **more: Any) -> TaskSpec:
    return TaskSpec(key=key, title=title, content=title, target="coder", after=after, **more)


def proof(line: str, code: int | None = 0) -> CheckValue:
    return CheckValue(criterion=f"{line} passes", command=line, exit_code=code, commit=SHA)


def shop() -> World:
    """A session on the repository shop; nothing was said yet."""
    world = World()
    world.do(c.StartSession(by=ALICE, place="web:1", surface="web", title=""))
    world.do(c.NameRepo(by=ALICE, path="/src/shop"))
    world.do(
        c.RecordRepo(path="/src/shop", root="/src/shop", name="shop", base_branch="main", base_commit=SHA, worker="w1")
    )
    return world


def later(world: World, ms: int = 1_000) -> None:
    world.now += ms


def progress(world: World, task: str, **said: Any) -> None:
    """What a worker observed; it goes past the rules, as in the product."""
    fact = TaskProgressed(task_id=world.id(task), **said)
    draft = Draft(id=world.new_id("evt"), payload=fact, source="worker", task_id=world.id(task))
    for state in (world.state, world.shadow):
        apply(state, Event.stamp(state.id, state.seq + 1, world.now, draft))


def answered(code: str, params: dict[str, str], text: str = "hm") -> World:
    """A message that was answered with the reply ``code``."""
    world = shop()
    reading = Reading(kind="question", reply=Reply(code=code, params=params))
    world.do(c.RecordReading(message_id=world.say(text), reading=reading))
    return world


def all_cards(state: Session) -> dict[str, Card]:
    """Every card by key. Checks what holds of all of them, in both languages."""
    found = cards(state)
    by_key = {card.key: card for card in found}
    assert len(by_key) == len(found), "two cards with one key"
    assert [card.digest() for card in cards(deepcopy(state))] == [card.digest() for card in found]
    for language in ("en", "zh"):
        other = deepcopy(state)
        other.language = language
        shown = cards(other)
        assert [card.key for card in shown] == list(by_key), "the language changes which cards there are"
        for card in shown:
            _check(card)
    return by_key


def _check(card: Card) -> None:
    assert card.title.strip()
    assert len(card.notify) <= 140
    assert Card.from_json(json.loads(json.dumps(card.to_json()))) == card
    seen = read(card)
    assert not IDS.search(seen), seen
    assert not OURS.search(seen), seen


def read(card: Card) -> str:
    """Title, lines and buttons as text. Times are left out: they depend on where it is read."""
    rows = [card.title, *(f"{line.mark} {line.text}".strip() for line in card.lines)]
    if card.buttons:
        rows.append(" ".join(f"[{button.label}]" for button in card.buttons))
    return "\n".join(rows)


def shown(world: World, key: str) -> str:
    """The card of that key, or whose key begins so when it is the only one."""
    found = all_cards(world.state)
    names = [name for name in found if name == key] or [name for name in found if name.startswith(key)]
    assert len(names) == 1, (key, sorted(found))
    return read(found[names[0]])
