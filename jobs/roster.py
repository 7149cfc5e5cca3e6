"""Which workers there are, and which attempts are alive: registrations and leases, both ended by silence.

Keys: hash ``worker:<id>``, index ``workers`` (id by end of lease), index ``leases`` (attempt by end of lease).
"""

from __future__ import annotations

import os
import platform
import socket
from dataclasses import dataclass

from core.errors import Refused
from core.ledger.port import Ledger
from core.routing import worker_place
from core.settings import Settings

FOREVER = 1 << 53  # the largest score a sorted set keeps exactly


@dataclass(frozen=True, slots=True)
class WorkerRow:
    """A registered worker. ``alive`` while its lease lasts; ``busy`` of ``slots`` attempts are with it."""

    id: str
    hostname: str
    slots: int
    alive: bool
    last_seen: int
    busy: int


async def register(ledger: Ledger, settings: Settings, pid: int) -> None:
    """Take this worker's id. Raises Refused("worker_id_taken") while another living process holds it."""
    worker = settings.worker
    row = await ledger.get_hash(f"worker:{worker.id}")
    ends = dict(await ledger.index_range("workers", 0, FOREVER)).get(worker.id, 0)
    if row and ends > await ledger.now() and not _mine(row, pid):
        raise Refused("worker_id_taken", worker=worker.id, hostname=row.get("hostname", ""), pid=row.get("pid", ""))
    await ledger.set_hash(
        f"worker:{worker.id}",
        {
            "worker_id": worker.id,
            "hostname": socket.gethostname(),
            "os": platform.system().lower(),
            "shell": os.path.basename(os.environ.get("SHELL", "sh")),
            "capabilities": "git,terminal",
            "slots": str(worker.slots),
            "pid": str(pid),
        },
    )
    await beat(ledger, settings)
    await ledger.publish("worker", {"worker": worker.id, "status": "online"})


def _mine(row: dict[str, str], pid: int) -> bool:
    """The holder is this process, or was one on this machine that is gone."""
    if row.get("hostname") != socket.gethostname():
        return False
    holder = int(row.get("pid", "0") or 0)
    if holder in (0, pid):
        return True
    try:
        os.kill(holder, 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False


async def beat(ledger: Ledger, settings: Settings) -> None:
    """Say that the worker lives; also on the worker feed, which is not the ledger."""
    worker = settings.worker
    now = await ledger.now()
    await ledger.index_put("workers", worker.id, now + int(worker.lease_s * 1000))
    busy = await ledger.holders(worker_place(worker.id))
    status = "busy" if busy else "idle"
    await ledger.publish(
        "worker",
        {"worker": worker.id, "status": status, "load": f"{len(busy)}/{worker.slots}", "ts": str(now)},
    )


async def leave(ledger: Ledger, settings: Settings) -> None:
    await ledger.index_drop("workers", settings.worker.id)
    await ledger.publish("worker", {"worker": settings.worker.id, "status": "offline"})


async def roster(ledger: Ledger) -> list[WorkerRow]:
    """Every worker seen so far that has not left."""
    now = await ledger.now()
    rows = []
    for worker_id, ends in await ledger.index_range("workers", 0, FOREVER):
        row = await ledger.get_hash(f"worker:{worker_id}")
        busy = len(await ledger.holders(worker_place(worker_id)))
        rows.append(WorkerRow(worker_id, row.get("hostname", ""), int(row.get("slots", "0")), ends > now, ends, busy))
    return rows


async def renew(ledger: Ledger, holder: str, lease_ms: int) -> None:
    """Keep an attempt alive for ``lease_ms`` more."""
    await ledger.index_put("leases", holder, await ledger.now() + lease_ms)


async def drop_lease(ledger: Ledger, holder: str) -> None:
    await ledger.index_drop("leases", holder)


async def expired_leases(ledger: Ledger) -> list[str]:
    return [holder for holder, _ in await ledger.index_range("leases", 0, await ledger.now())]
