"""How a sentence of ours is filled: a row of two languages, named fields, and nothing that can fail."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

Language = Literal["en", "zh"]
Row = tuple[str, str]  # English, Chinese

_CJK = re.compile(r"[\u3400-\u9fff]")


def language_of(text: str) -> Language:
    """Chinese when any of it is; people mix English words into Chinese, hardly ever the other way round."""
    return "zh" if _CJK.search(text) else "en"


class _Params(dict[str, object]):
    """Missing parameters show as nothing, so that a text never fails."""

    def __missing__(self, key: str) -> str:
        return ""


def fill(row: Row, language: Language, params: Mapping[str, object]) -> str:
    """Put ``params`` into the row's text. Only named fields of our own texts are looked up, never a person's text."""
    return row[language == "zh"].format_map(_Params(params))


def coded(table: Mapping[str, Row], code: str, language: Language, params: Mapping[str, object]) -> str:
    """The row of ``code``, or the code itself with its parameters when the table has none."""
    row = table.get(code)
    if row is not None:
        return fill(row, language, params).strip()
    shown = ", ".join(f"{k}: {v}" for k, v in params.items() if v)
    return f"{code.replace('_', ' ')}{f' ({shown})' if shown else ''}"
