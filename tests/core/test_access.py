"""Who may do what: rights come from roles, and only this check makes an authority."""

from __future__ import annotations

from itertools import combinations
from typing import get_args

import pytest

from core.access import RIGHTS, Person, Right, Role, permit
from core.domain.commands import Permitted
from core.errors import Refused

ROLES: tuple[Role, ...] = get_args(Role)
EXPECTED: dict[Role, set[Right]] = {
    "member": {"ask", "stop"},
    "approver": {"ask", "stop", "decide", "settle"},
    "owner": {"ask", "stop", "decide", "settle", "merge"},
}


@pytest.mark.parametrize("right", get_args(Right))
@pytest.mark.parametrize("roles", [set(some) for n in range(4) for some in combinations(ROLES, n)])
def test_a_person_may_do_what_one_of_their_roles_may(roles: set[Role], right: Right) -> None:
    person = Person("alice", frozenset(roles))
    if any(right in EXPECTED[role] for role in roles):
        assert permit(person, right) == Permitted("alice", right)
        return
    with pytest.raises(Refused) as refused:
        permit(person, right)
    assert refused.value.code == "not_allowed"
    assert refused.value.params == {"person": "alice", "right": right}


def test_every_role_has_its_rights() -> None:
    assert RIGHTS == EXPECTED
