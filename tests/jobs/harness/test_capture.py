"""The beginning and the end of an output, within bounds."""

from __future__ import annotations

import pytest

from jobs.harness.capture import Capture

LINES = b"".join(b"line %d\n" % number for number in range(100))  # 790 bytes


def captured(data: bytes, step: int, head: int, tail: int) -> bytes:
    capture = Capture(head, tail)
    for start in range(0, len(data), step):
        capture.add(data[start : start + step])
    assert capture.total == len(data)
    return capture.data()


@pytest.mark.parametrize("step", [1, 7, 64, 1000])
@pytest.mark.parametrize(("head", "tail"), [(400, 390), (0, 790), (1000, 0), (1, 5000)])
def test_what_fits_is_kept_whole_however_it_comes(step: int, head: int, tail: int) -> None:
    assert captured(LINES, step, head, tail) == LINES


@pytest.mark.parametrize("step", [1, 7, 64, 1000])
def test_the_middle_is_left_out_between_lines_and_its_size_is_said(step: int) -> None:
    kept = captured(LINES, step, 100, 100)
    head, _, rest = kept.decode().partition("\n[… ")
    said, _, tail = rest.partition(" bytes left out here …]\n")
    assert LINES.decode().startswith(head)
    assert head.endswith("\n")
    assert LINES.decode().endswith(tail)
    assert tail.startswith("line ")
    assert len(head) + int(said) + len(tail) == len(LINES)


def test_one_endless_line_is_bounded_too() -> None:
    kept = captured(b"x" * 100_000, 999, 1000, 1000)
    assert kept.startswith(b"x" * 1000 + b"\n[")
    assert len(kept) < 2100
