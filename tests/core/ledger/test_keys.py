"""The table of keys is the truth about what a workspace holds."""

from __future__ import annotations

import re

import pytest
from redis.asyncio import Redis

from core.errors import Refused
from core.ledger.keys import DAY_S, TABLE, KeyRow, Keys, plain
from core.ledger.port import Claim, Control, Effects, TaskChange, Timer
from core.ledger.redis_ledger import RedisLedger
from tests.core.ledger.facts import said

EXPECTED_TTL_S = {"seen": 7 * DAY_S, "sent": 300, "ctl": DAY_S, "blob": 30 * DAY_S}


async def use_everything(ledger: RedisLedger) -> None:
    effects = Effects(
        surfaces=["slack"],
        changes=[TaskChange("task_1", "ready", "running")],
        timers=[Timer("t", 1, "ses_1", "stall")],
        controls=[Control("att_1", "cancel")],
        fences={"task_1": 1},
        claims=[Claim("w1", "att_1", 1)],
    )
    await ledger.append("ses_1", [said("a")], expected_seq=0, effects=effects, dedupe="slack:T1:1.5")
    await ledger.save_snapshot("ses_1", 1, b"state")
    await ledger.publish("worker", {"id": "w1"})
    await ledger.bind("slack:T1:C1", "ses_1")
    await ledger.put_blob(b"report")
    await ledger.set_newer("posts:web:ses_1", "card", "{}", 1)
    await ledger.set_hash("worker:w1", {"load": "0"}, ttl_ms=8_000)
    await ledger.index_put("workers", "w1", 1)


def row_of(name: str) -> KeyRow:
    """The table's row for a key, exact names before patterns."""
    fits = [row for row in TABLE if re.fullmatch(re.sub("<[^>]+>", ".+", row.pattern), name)]
    return min(fits, key=lambda row: "<" in row.pattern)


async def test_every_key_in_use_stands_in_the_table_with_its_type_and_life(
    redis_ledger: RedisLedger, redis_url: str, workspace: str
) -> None:
    await use_everything(redis_ledger)
    prefix = f"tl:{{{workspace}}}:"
    used: set[str] = set()
    async with Redis.from_url(redis_url, decode_responses=True, protocol=2) as admin:
        async for key in admin.scan_iter(match=prefix.replace("{", "[{]").replace("}", "[}]") + "*"):
            row = row_of(str(key).removeprefix(prefix))
            used.add(row.pattern)
            assert await admin.type(key) == row.type, key
            ttl = await admin.ttl(key)
            head = row.pattern.partition(":")[0]
            assert ttl == pytest.approx(EXPECTED_TTL_S.get(head, 8 if head == "worker" else -1), abs=5), key
    assert used == {row.pattern for row in TABLE} - {"import:<token>"}  # gone when an import ends


@pytest.mark.parametrize("name", ["", "-x", "a b", "a}b", "{a", "é", "a" * 64, "a\n", "../x", "a:b"])
def test_a_workspace_name_that_could_leave_its_hash_tag_is_refused(name: str) -> None:
    with pytest.raises(Refused, match="workspace_name"):
        Keys(name)


def test_a_workspace_is_the_hash_tag_of_all_its_keys() -> None:
    keys = Keys("acme-2")
    named = [keys.log("s"), keys.seen("}{x}"), keys.feed("out:{slack}"), keys.due, keys.hash("posts:{a}")]
    assert all(key.startswith("tl:{acme-2}:") for key in named)


def test_wild_text_becomes_a_digest_and_plain_text_stays_readable() -> None:
    assert plain("slack:T1:C1:1700000000.0001") == "slack:T1:C1:1700000000.0001"
    wild = ["", "a b", "é", "x" * 201, "\ud800", "a\n", plain("a b")]
    shown = [plain(text) for text in wild]
    assert len(set(shown)) == len(wild)
    assert all(re.fullmatch("sha256-[0-9a-f]{64}", text) for text in shown)
