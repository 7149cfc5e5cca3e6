"""Where tasks stand on the board and in the graph; pure."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.web.board import COLUMNS, board, is_command, label_of, place
from core.domain.model import Session, Task
from core.domain.tables import TaskStatus


def task(status: TaskStatus, **more: str) -> Task:
    known = {"title": "pytest -q", "content": "pytest -q", "target": "shell"} | more
    made = Task("task_1", "T1", known["title"], known["content"], known["target"], "pd_1", "flow_1", "alice", 1)
    made.status, made.wish, made.outcome = status, known.get("wish", ""), known.get("outcome", "")
    return made


@pytest.mark.parametrize("status", list(TaskStatus))
def test_every_task_stands_in_exactly_one_column(status: TaskStatus) -> None:
    state = Session(id="ps_1", tasks={"task_1": task(status)})
    for language in ("en", "zh"):
        columns = board(state, language)
        assert [column["status"] for column in columns] == list(COLUMNS)
        assert sum(len(column["tasks"]) for column in columns) == 1


@pytest.mark.parametrize(
    ("english", "chinese", "made"),
    [
        ("Waiting", "待投递", task(TaskStatus.QUEUED)),
        ("Assigned", "待执行", task(TaskStatus.SUBMITTED)),
        ("Working", "进行中", task(TaskStatus.WORKING)),
        ("Needs approval", "待审批", task(TaskStatus.WAITING_APPROVAL)),
        ("Blocked", "受阻", task(TaskStatus.BLOCKED)),
        ("Paused", "已暂停", task(TaskStatus.PAUSED)),
        ("Review", "待验收", task(TaskStatus.COMPLETED)),
        ("Done", "已完成", task(TaskStatus.COMPLETED, outcome="success")),
        ("Failed", "失败", task(TaskStatus.FAILED)),
        ("Cancelled", "已取消", task(TaskStatus.CANCELLED)),
        ("stopping", "停止中", task(TaskStatus.WORKING, wish="stop")),
    ],
)
def test_a_state_has_one_word_in_each_language(english: str, chinese: str, made: Task) -> None:
    assert (label_of(made, "en"), label_of(made, "zh")) == (english, chinese)


def test_only_a_command_is_shown_as_code() -> None:
    assert is_command(task(TaskStatus.QUEUED))
    assert is_command(task(TaskStatus.QUEUED, title="x" * 79 + "…", content="x" * 200))
    assert not is_command(task(TaskStatus.QUEUED, target="claude"))
    assert not is_command(task(TaskStatus.QUEUED, title="Run the tests"))


def test_a_long_edge_runs_through_gaps_of_its_own() -> None:
    rows, routes = place({"a": [], "b": ["a"], "c": ["b", "a"]})
    assert rows == [["a"], ["b", ""], ["c"]]
    assert routes == {("a", "c"): [(1, 1)]}


def test_a_long_chain_needs_no_recursion() -> None:
    rows, _ = place({str(n): [str(n - 1)] if n else [] for n in range(1_500)})
    assert len(rows) == 1_500


@given(st.lists(st.sets(st.integers(0, 11), max_size=4), min_size=1, max_size=12))
def test_everything_stands_below_what_it_waits_for(wishes: list[set[int]]) -> None:
    before = {str(n): [str(b) for b in sorted(wish) if b < n] for n, wish in enumerate(wishes)}
    rows, routes = place(before)
    layer = {node: n for n, row in enumerate(rows) for node in row if node}
    assert sorted(layer) == sorted(before)
    for target, sources in before.items():
        assert layer[target] == max((layer[s] + 1 for s in sources), default=0)
        for source in sources:
            via = routes.get((source, target), [])
            assert [spot[0] for spot in via] == list(range(layer[source] + 1, layer[target]))
            assert all(rows[row][order] == "" for row, order in via)
