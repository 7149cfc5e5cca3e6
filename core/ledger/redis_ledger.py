"""The ledger on Redis or Valkey: the three parts as one, over the two clients of ``connect``.

The rule: this is where a process builds its ledger; nothing else opens a connection to the log.
"""

from __future__ import annotations

from core.ledger.connect import Clients, connect
from core.ledger.keys import Bounds, Keys
from core.ledger.outage import Patience
from core.ledger.redis_feeds import RedisFeeds
from core.ledger.redis_log import RedisLog
from core.ledger.redis_shelf import RedisShelf


class RedisLedger(RedisLog, RedisFeeds, RedisShelf):
    """A ``Ledger``. ``clients`` are closed with it."""

    def __init__(
        self, clients: Clients, workspace: str, *, bounds: Bounds | None = None, patience: Patience | None = None
    ) -> None:
        super().__init__(clients, Keys(workspace), bounds or Bounds(), patience or Patience())

    async def close(self) -> None:
        await self._clients.close()


def open_ledger(
    url: str, workspace: str, *, bounds: Bounds | None = None, patience: Patience | None = None
) -> RedisLedger:
    """A ledger for ``redis://``, ``rediss://`` or ``unix://``; the first call connects.

    Raises Refused("redis_url") or Refused("workspace_name").
    """
    return RedisLedger(connect(url), workspace, bounds=bounds, patience=patience)
