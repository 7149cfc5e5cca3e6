"""Every Redis key of a workspace: its name, type, life and owner, in one table.

The rule: nothing else builds a key name. The workspace is the hash tag, so a workspace lives in one slot of a cluster
and one script may touch all of its keys. Names people or platforms chose are bounded before they are part of a key.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import Literal, NamedTuple

from core.errors import Bug, Refused

DAY_S = 86_400
SEEN_TTL_S = 7 * DAY_S  # longer than any platform redelivers
SENT_TTL_S = 300  # longer than a client goes on retrying one append
CONTROL_TTL_S = DAY_S  # longer than an attempt waits for an answer
IMPORT_TTL_S = 3_600  # a half-written import removes itself
CONTROL_LENGTH = 1_000

KeyType = Literal["stream", "string", "hash", "set", "zset"]


class KeyRow(NamedTuple):
    """One row of the table; ``pattern`` stands after ``tl:{workspace}:``."""

    pattern: str
    type: KeyType
    life: str
    owner: str
    what: str


TABLE: tuple[KeyRow, ...] = (
    KeyRow("log:<session>", "stream", "for ever", "append.lua", "events, id <seq>-0; fields e (JSON), t (ms)"),
    KeyRow("snap:<session>", "string", "for ever", "snapshots", "<seq>: and the folded state, compressed"),
    KeyRow("seen:<key>", "string", "7 days", "append.lua", "dedupe key -> <first>-<last> <session>"),
    KeyRow("sent:<event>", "string", "5 minutes", "append.lua", "first event of an append -> <first>-<last> <session>"),
    KeyRow("fence:<session>", "hash", "for ever", "append.lua", "task -> number of its current attempt"),
    KeyRow("slots:<place>", "set", "for ever", "append.lua", "who holds one of the place's claims"),
    KeyRow("sessions", "zset", "for ever", "append.lua", "session by ts of its last event"),
    KeyRow("feed:session", "stream", "trimmed", "append.lua", "session, seq, type, id, task, ts of every event"),
    KeyRow("feed:task", "stream", "trimmed", "append.lua", "session, seq, task, from, to, ts of every task change"),
    KeyRow("feed:<name>", "stream", "trimmed", "publish", "live only: worker heartbeats, progress"),
    KeyRow("out:<surface>", "stream", "until acked", "append.lua", "session, seq to show there; group poster"),
    KeyRow("due", "zset", "until done", "append.lua", "timer by due time (ms)"),
    KeyRow("timers", "hash", "until done", "append.lua", "timer -> its JSON"),
    KeyRow("ctl:<attempt>", "stream", "1 day", "append.lua", "kind, body for the running attempt"),
    KeyRow("bind:<place>", "string", "for ever", "bind", "chat place -> session"),
    KeyRow("blob:<sha256>", "string", "30 days (setting)", "put_blob", "artifact, compressed"),
    KeyRow("import:<token>", "string", "1 hour", "import_events", "a log on its way in; renamed when complete"),
    KeyRow("posts:<surface>:<session>", "hash", "for ever", "poster", "card key -> order, revision, what was shown"),
    KeyRow("worker:<id>", "hash", "lease", "worker", "registration, load"),
    KeyRow("workers", "zset", "for ever", "worker", "worker by last heartbeat"),
)
# Heads only the ledger's own methods may touch; every other head is free for hashes and indexes.
RESERVED = frozenset(row.pattern.partition(":")[0] for row in TABLE) - {"posts", "worker", "workers"}

_WORKSPACE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,62}")
_PLAIN = re.compile(r"(?!sha256-)[\x21-\x7e]{1,200}")
_NAME = re.compile(r"[a-z][a-z0-9_.-]{0,63}")
_DIGEST = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """How much is kept: feed length in entries (approximate), artifact life in seconds and size in bytes."""

    feed_length: int = 10_000
    outbox_length: int = 100_000  # only a dead surface gets this far; its cards are drawn anew from the log
    blob_ttl_s: int = 30 * DAY_S
    blob_bytes: int = 8 * 1024 * 1024
    event_bytes: int = 256 * 1024  # the domain cuts at 4 KiB; this is the last net


def plain(text: str) -> str:
    """``text`` when it is short printable ASCII, else its digest; no two texts share a result."""
    if _PLAIN.fullmatch(text):
        return text
    return "sha256-" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def valid_digest(digest: str) -> bool:
    return _DIGEST.fullmatch(digest) is not None


class Keys:
    """Key names of one workspace. Raises Refused("workspace_name") for a name that could not be a hash tag."""

    def __init__(self, workspace: str) -> None:
        if not _WORKSPACE.fullmatch(workspace):
            raise Refused("workspace_name", name=workspace[:80])
        self.workspace = workspace
        self._w = f"tl:{{{workspace}}}:"
        self.sessions = self._w + "sessions"
        self.due = self._w + "due"
        self.timers = self._w + "timers"
        self.session_feed = self.feed("session")
        self.task_feed = self.feed("task")

    def log(self, session_id: str) -> str:
        return f"{self._w}log:{plain(session_id)}"

    def snap(self, session_id: str) -> str:
        return f"{self._w}snap:{plain(session_id)}"

    def seen(self, dedupe: str) -> str:
        return f"{self._w}seen:{plain(dedupe)}"

    def sent(self, token: str) -> str:
        return f"{self._w}sent:{plain(token)}"

    def fence(self, session_id: str) -> str:
        return f"{self._w}fence:{plain(session_id)}"

    def slots(self, place: str) -> str:
        return f"{self._w}slots:{plain(place)}"

    def feed(self, feed: str) -> str:
        """``out:<surface>`` is an outbox, every other name a feed."""
        if is_outbox(feed):
            return f"{self._w}out:{plain(feed.removeprefix('out:'))}"
        if not _NAME.fullmatch(feed):
            raise Bug("feed_name", name=feed[:80])
        return f"{self._w}feed:{feed}"

    def control(self, attempt_id: str) -> str:
        return f"{self._w}ctl:{plain(attempt_id)}"

    def bind(self, place: str) -> str:
        return f"{self._w}bind:{plain(place)}"

    def blob(self, digest: str) -> str:
        return f"{self._w}blob:{digest}"

    def incoming(self, token: str) -> str:
        return f"{self._w}import:{token}"

    def hash(self, key: str) -> str:
        """``<head>:<rest>`` with a head of the caller's own."""
        head, colon, rest = key.partition(":")
        if not (colon and rest and _NAME.fullmatch(head)) or head in RESERVED:
            raise Bug("hash_key", key=key[:80])
        return f"{self._w}{head}:{plain(rest)}"

    def index(self, name: str) -> str:
        if not _NAME.fullmatch(name) or name in RESERVED:
            raise Bug("index_name", name=name[:80])
        return self._w + name


def is_outbox(feed: str) -> bool:
    return feed.startswith("out:")
