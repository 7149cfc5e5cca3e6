"""The list of sessions, and who works for them. A session that cannot be read is listed with its trouble.

A session is folded again only when it has changed since it was last listed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.web.view import title_of, waiting
from core.errors import Refused
from core.ledger.port import Ledger
from core.routing import worker_place
from core.service import Service

SESSIONS = 100  # newest listed
WORKERS = 50
FOREVER = 1 << 53  # the largest score a sorted set keeps exactly
SETTLED_MS = 2_000  # an entry this old can get no second event of the same millisecond


class Overview:
    """One per process; what it remembers can be read again at any time."""

    def __init__(self, ledger: Ledger, service: Service) -> None:
        self._ledger, self._service = ledger, service
        self._known: dict[str, tuple[int, dict[str, Any]]] = {}

    async def sessions(self) -> list[dict[str, Any]]:
        """Newest first: id, title, repo, waiting (short names), running, updated_at, problem."""
        now = await self._ledger.now()
        listed = await self._ledger.sessions(SESSIONS)
        rows = [await self._row(session_id, ts, now) for session_id, ts in listed]
        kept = {session_id for session_id, _ in listed}
        self._known = {i: known for i, known in self._known.items() if i in kept}
        return rows

    async def _row(self, session_id: str, ts: int, now: int) -> dict[str, Any]:
        known = self._known.get(session_id)
        if known is not None and known[0] == ts:
            return known[1]
        row = await self._read(session_id, ts)
        if now - ts > SETTLED_MS:
            self._known[session_id] = (ts, row)
        return row

    async def _read(self, session_id: str, ts: int) -> dict[str, Any]:
        row: dict[str, Any] = {"id": session_id, "updated_at": ts, "title": "", "repo": "", "waiting": [], "running": 0}
        try:
            state = await self._service.state(session_id)
        except Refused as refused:
            return {**row, "problem": refused.code}
        repo = state.repo.name or state.repo.path if state.repo else ""
        row.update(title=title_of(state), repo=repo, waiting=waiting(state), running=len(state.live_tasks), problem="")
        return row

    async def workers(self) -> list[dict[str, Any]]:
        """Registered workers: id, hostname, alive, slots, busy, and until when they are believed to live (ms UTC)."""
        now = await self._ledger.now()
        found = await self._ledger.index_range("workers", 0, FOREVER)
        return [await self._worker(worker_id, ends, now) for worker_id, ends in found[-WORKERS:]]

    async def _worker(self, worker_id: str, ends: int, now: int) -> dict[str, Any]:
        row: Mapping[str, str] = await self._ledger.get_hash(f"worker:{worker_id}")
        slots = row.get("slots", "0")
        return {
            "id": worker_id,
            "hostname": row.get("hostname", ""),
            "os": row.get("os", ""),
            "alive": ends > now,
            "slots": int(slots) if slots.isdecimal() else 0,
            "busy": len(await self._ledger.holders(worker_place(worker_id))),
            "lease_ends": ends,
        }
