"""``decide``: from a state and a command to the facts that follow, or ``Refused`` with nothing changed.

One rule per command in the modules beside this one; ``RULES`` lists them all. What follows from any set of facts
(a flow that ended, a plan change that is now complete) is added once, in ``follow``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from core.domain import commands as c
from core.domain.decide import attempts, interactions, plans, sessions, tasks
from core.domain.decide.follow import follow
from core.domain.decide.scribe import IdSource, Scribe
from core.domain.event import Draft
from core.domain.model import Session

RULES: dict[type[c.Command], Callable[[Scribe, Any], None]] = {
    c.StartSession: sessions.start,
    c.NameRepo: sessions.name_repo,
    c.RecordRepo: sessions.record_repo,
    c.AddMessage: sessions.add_message,
    c.RecordReading: sessions.record_reading,
    c.DecidePlan: plans.decide_plan,
    c.EditPlan: plans.edit_plan,
    c.ChangeTask: tasks.change_task,
    c.Settle: tasks.settle,
    c.DecideMerge: tasks.decide_merge,
    c.RecordMerge: tasks.record_merge,
    c.Dispatch: attempts.dispatch,
    c.ClaimAttempt: attempts.claim,
    c.AcceptAttempt: attempts.accept,
    c.EndAttempt: attempts.end,
    c.LoseAttempt: attempts.lose,
    c.RequestApproval: interactions.request,
    c.DecideApproval: interactions.decide_approval,
    c.ExpireApproval: interactions.expire,
    c.DecideReconcile: interactions.decide_reconcile,
}


def decide(state: Session, command: c.Command, now: int, new_id: IdSource) -> list[Draft]:
    """The facts that follow from ``command`` at ``now`` (ms UTC). Never changes ``state``.

    Raises:
        Refused: with a code a surface can put into words.
    """
    scribe = Scribe(state, now, new_id)
    RULES[type(command)](scribe, command)
    follow(scribe)
    return scribe.drafts
