"""Who may do what. The only maker of ``Permitted``, the authority every command of a person carries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from core.domain.commands import Permitted
from core.errors import Refused

Role = Literal["member", "approver", "owner"]
Right = Literal["ask", "decide", "stop", "settle", "merge"]

RIGHTS: dict[Role, frozenset[Right]] = {
    "member": frozenset({"ask", "stop"}),
    "approver": frozenset({"ask", "stop", "decide", "settle"}),
    "owner": frozenset({"ask", "stop", "decide", "settle", "merge"}),
}


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody a surface has identified. ``name`` is what people see; ``roles`` come from the surface's own check."""

    name: str
    roles: frozenset[Role] = frozenset()


def permit(person: Person, right: Right) -> Permitted:
    """Raises Refused("not_allowed") naming the right that is missing."""
    if not any(right in RIGHTS[role] for role in person.roles):
        raise Refused("not_allowed", person=person.name, right=right)
    return Permitted(person.name, right)
