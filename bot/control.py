"""Words that act: everything a button does, a word does too, in any case, in English and Chinese.

Only a whole message of one line counts: a quote, a code block, several lines or a sentence that happens to begin with such
a word is a message like any other ("stop the deploy from failing" stops nothing).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

NAME = r"(?P<name>[TPAQ][0-9]{1,6})"
TASK = r"(?P<name>T[0-9]{1,6})"
QUESTION = r"(?P<name>Q[0-9]{1,6})"
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


def _act(english: str, chinese: str, rest: str = "") -> re.Pattern[str]:
    """The word and a name behind it; Chinese is written without a space between the two."""
    return re.compile(rf"(?:(?:{english})\s+|(?:{chinese})\s*){rest}", re.IGNORECASE)


def _alone(words: str, rest: str = "") -> re.Pattern[str]:
    return re.compile(rf"(?:{words}){rest}", re.IGNORECASE)


WORDS: tuple[tuple[re.Pattern[str], str], ...] = (
    (_alone("stop|停|停止|停下", r"[.!。！]?"), "stop"),
    (_act("stop", "停|停止|停下", rf"{TASK}[.!。！]?"), "stop"),
    (_act("apply", "应用|执行", NAME), "apply"),
    (_act("approve", "批准|同意", rf"{NAME}(?:\s+once|\s*一次)?"), "approve"),
    (_act("reject", "拒绝|驳回", rf"{NAME}{REST}"), "reject"),
    (_act("rework", "返工", rf"{TASK}[\s:,：，]+(?P<text>\S.*)"), "rework"),
    (_act("accept", "验收|接受", TASK), "accept"),
    (_act("pause", "暂停", TASK), "pause"),
    (_act("resume|continue", "恢复|继续", TASK), "resume"),
    (_act("cancel", "取消", TASK), "cancel"),
    (_act("retry", "重试", rf"{TASK}{REST}"), "retry"),
    (_act("again", "重新开始", rf"{QUESTION}{REST}"), "again"),
    (_act("done", "标记完成", rf"{QUESTION}{REST}"), "done"),
    (_act("failed", "标记失败", QUESTION), "failed"),
    (_act("wait", "等待", QUESTION), "wait"),
    (_act("cancel", "取消", QUESTION), "give_up"),
    (_alone("merge|合并", r"[.!。！]?"), "merge"),
    (_alone("merge later|以后合并", r"[.!。！]?"), "later"),
    (_act("why", "为什么|为何", rf"{TASK}\s*[?？]?"), "why"),
    (_alone("status|状态|进度", r"\s*[?？]?"), "status"),
    (_alone("help|帮助", r"\s*[?？]?"), "help"),
)


def parse_control(text: str) -> Control | None:
    """The act a whole message is, or None. Quotes, code and several lines are messages."""
    line = text.strip()
    if line.startswith((">", "`")) or len(line.splitlines()) != 1:
        return None
    for pattern, action in WORDS:
        found = pattern.fullmatch(line)
        if found is not None:
            groups = found.groupdict()
            return Control(action, (groups.get("name") or "").upper(), (groups.get("text") or "").strip())
    return None
