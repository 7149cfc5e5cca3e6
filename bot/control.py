"""Words that act: everything a button does, a word does too, in any case, in English and Chinese.

Only a whole message counts: a quote, a code block or a sentence that happens to begin with such a word is a message like
any other ("stop the deploy from failing" stops nothing).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

NAME = r"(?P<name>[TPAQ]\d{1,6})"
REST = r"(?:[\s:,：，]+(?P<text>\S.*))?"


@dataclass(frozen=True, slots=True)
class Control:
    """One act. ``subject`` is a short name, or an id when it came from a button; "" where the word stands alone."""

    action: str
    subject: str = ""
    text: str = ""
    revision: int = 0
    digest: str = ""
    drop: tuple[str, ...] = ()
    contents: dict[str, str] = field(default_factory=dict)


def _word(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"^\s*{pattern}\s*$", re.IGNORECASE | re.DOTALL)


WORDS: tuple[tuple[re.Pattern[str], str], ...] = (
    (_word(r"(?:stop|停|停止|停下)(?:\s+(?P<name>T\d{1,6}))?[.!。!！]?"), "stop"),
    (_word(rf"(?:apply|应用|执行)\s+{NAME}"), "apply"),
    (_word(rf"(?:approve|批准|同意)\s+{NAME}(?:\s+once)?"), "approve"),
    (_word(rf"(?:reject|拒绝|驳回)\s+{NAME}{REST}"), "reject"),
    (_word(rf"(?:rework|返工)\s+{NAME}\s+(?P<text>\S.*)"), "rework"),
    (_word(rf"(?:accept|验收|接受)\s+{NAME}"), "accept"),
    (_word(rf"(?:pause|暂停)\s+{NAME}"), "pause"),
    (_word(rf"(?:resume|continue|恢复|继续)\s+{NAME}"), "resume"),
    (_word(rf"(?:cancel|取消)\s+{NAME}"), "cancel"),
    (_word(rf"(?:retry|重试)\s+{NAME}{REST}"), "retry"),
    (_word(rf"(?:why|为什么|为何)\s+{NAME}\s*[?？]?"), "why"),
    (_word(r"(?:status|状态|进度)\s*[?？]?"), "status"),
    (_word(r"(?:help|帮助)\s*[?？]?"), "help"),
)

TASK_WORDS = frozenset({"stop", "pause", "resume", "cancel", "retry", "rework", "accept", "why"})


def parse_control(text: str) -> Control | None:
    """The act a whole message is, or None. Quotes and code are messages."""
    if text.lstrip().startswith((">", "`")):
        return None
    for pattern, action in WORDS:
        found = pattern.match(text)
        if found is None:
            continue
        groups = found.groupdict()
        name = (groups.get("name") or "").upper()
        if action in TASK_WORDS and name and name[0] != "T":
            return None
        return Control(action, name, (groups.get("text") or "").strip())
    return None
