"""Facts for tests of the ledger, which does not care what a fact means."""

from __future__ import annotations

from itertools import count

from core.domain.event import Draft, Payload, register

_ids = count(1)


@register
class Said(Payload):
    TYPE = "test.said"
    text: str
    weight: float = 0.0


def said(text: str, *, id_: str | None = None, task_id: str | None = None) -> Draft:
    return Draft(id=id_ or f"evt_{next(_ids)}", payload=Said(text=text), task_id=task_id)
