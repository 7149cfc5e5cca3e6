"""Draws ``docs/states.md`` from the tables the domain runs on: ``python -m docs.draw_states``.

The rule: the page is made, never edited, so it cannot say anything the code does not do; a test compares the two.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from inspect import cleandoc
from pathlib import Path

from core.domain.tables import MACHINES, AttemptPhase, InteractionStatus, PlanStatus, TaskStatus

PAGE = Path(__file__).with_name("states.md")
STATES: Mapping[str, type[StrEnum]] = {
    "task": TaskStatus,
    "attempt": AttemptPhase,
    "interaction": InteractionStatus,
    "plan": PlanStatus,
}
HEAD = """\
# States

Made by `python -m docs.draw_states` from `core/domain/tables.py`. A move that is not drawn here is refused with the names
of the state and of the trigger, and nothing changes. Each machine begins in the state its first arrow leads to.
"""

Table = Mapping[tuple[str, str], frozenset[str]]


def page() -> str:
    """The whole page as Markdown."""
    return "\n".join([HEAD, *(section(name, table) for name, table in MACHINES.items())])


def section(name: str, table: Table) -> str:
    """One machine: what its states mean, the diagram, and the same as a table."""
    states = STATES[name]
    lines = [f"## {name.capitalize()}", "", cleandoc(states.__doc__ or "").replace("``", "`"), ""]
    lines += ["```mermaid", "stateDiagram-v2", *_arrows(states, table), "```", ""]
    lines += ["| trigger | from | to |", "|---|---|---|", *_rows(states, table), ""]
    return "\n".join(lines)


def _arrows(states: type[StrEnum], table: Table) -> Iterator[str]:
    order = [state.value for state in states]
    labels: dict[tuple[str, str], list[str]] = {}
    for (source, trigger), targets in table.items():
        for target in targets:
            labels.setdefault((source, target), []).append(trigger)
    yield f"    [*] --> {order[0]}"
    for source, target in sorted(labels, key=lambda ends: (order.index(ends[0]), order.index(ends[1]))):
        yield f"    {source} --> {target}: {', '.join(sorted(labels[source, target]))}"
    for state in order:
        if not any(source == state for source, _ in table):
            yield f"    {state} --> [*]"


def _rows(states: type[StrEnum], table: Table) -> Iterator[str]:
    order = [state.value for state in states]
    for trigger in dict.fromkeys(trigger for _, trigger in table):
        ends: dict[tuple[str, ...], list[str]] = {}
        for source in order:
            if (source, trigger) in table:
                targets = tuple(sorted(table[source, trigger], key=order.index))
                ends.setdefault(targets, []).append(source)
        for targets, sources in ends.items():
            yield f"| {trigger} | {', '.join(sources)} | {' or '.join(targets)} |"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
