"""The fold: one function per fact, picked from one table, changing the state its caller owns.

``apply`` trusts the log: what may happen was settled by ``decide`` before the fact was written, so nothing here refuses.
The cost of a fact does not grow with the session: every index a rule needs is kept by the folds.
"""

from __future__ import annotations

from collections.abc import Iterable

from core.domain.event import Event
from core.domain.folds import FOLDS
from core.domain.model import Session


def apply(state: Session, event: Event) -> None:
    """Fold ``event`` into ``state``. ``event.seq`` must be the next one; a gap is a bug of the caller."""
    if event.seq != state.seq + 1:
        raise ValueError(f"{state.id}: event {event.seq} cannot follow {state.seq}")
    fold_one = FOLDS.get(event.type)
    if fold_one is not None:
        fold_one(state, event, event.payload)
    state.seq = event.seq
    state.updated_at = event.ts


def fold(session_id: str, events: Iterable[Event]) -> Session:
    """The state a whole log folds to."""
    state = Session(id=session_id)
    for event in events:
        apply(state, event)
    return state
