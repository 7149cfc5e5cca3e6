"""The record of what was shown: read back whole, counted by the ledger, never older than it was."""

from __future__ import annotations

from dataclasses import replace

from bot.cards.model import Button, Card, Line
from bot.posts import Post, read_posts, write_post
from core.ledger.port import Ledger

CARD = Card(
    key="plan:P1",
    kind="plan",
    title="P1 · 商店 — shop",
    lines=(Line("`pytest -q`", mark="+", ts=1_700_000_000_000),),
    buttons=(Button("Apply", "apply", "P1", 1, "primary"),),
    mentions=("alice",),
)
POST = Post("plan:P1", "web:1", 1, CARD.digest(), posted=1_000, edited=1_000, card=CARD.to_json())


async def test_what_was_written_is_read_back(ledger: Ledger) -> None:
    assert await read_posts(ledger, "web", "ps_1") == []
    assert await write_post(ledger, "web", "ps_1", POST, 3)
    (post,) = await read_posts(ledger, "web", "ps_1")
    assert replace(post, card={}) == replace(POST, card={})
    assert Card.from_json(post.card) == CARD


async def test_the_revision_counts_the_writes_whatever_the_writer_thinks(ledger: Ledger) -> None:
    for seq, told in ((3, 1), (4, 1), (4, 99)):
        assert await write_post(ledger, "web", "ps_1", replace(POST, revision=told), seq)
    (post,) = await read_posts(ledger, "web", "ps_1")
    assert post.revision == 3


async def test_a_state_older_than_the_one_shown_is_not_written(ledger: Ledger) -> None:
    assert await write_post(ledger, "web", "ps_1", replace(POST, digest="new"), 9)
    assert not await write_post(ledger, "web", "ps_1", replace(POST, digest="old"), 8)
    (post,) = await read_posts(ledger, "web", "ps_1")
    assert (post.digest, post.revision) == ("new", 1)


async def test_messages_are_in_the_order_of_their_posting_and_of_one_session_on_one_surface(ledger: Ledger) -> None:
    for key, posted in (("reply:b", 2_000), ("plan:P1", 1_000), ("reply:a", 2_000)):
        await write_post(ledger, "web", "ps_1", replace(POST, key=key, posted=posted), 3)
    await write_post(ledger, "cli", "ps_1", replace(POST, key="other"), 3)
    await write_post(ledger, "web", "ps_2", replace(POST, key="other"), 3)
    assert [p.key for p in await read_posts(ledger, "web", "ps_1")] == ["plan:P1", "reply:a", "reply:b"]
