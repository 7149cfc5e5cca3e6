"""Words that act: the whole of a message, in any case, in two languages; anything more than the words is a message."""

from __future__ import annotations

import pytest

from bot.control import parse_control

ACTS = [
    # English
    ("stop", "stop", "", ""),
    ("Stop", "stop", "", ""),
    ("STOP!", "stop", "", ""),
    ("  stop.  ", "stop", "", ""),
    ("stop\n", "stop", "", ""),
    ("stop T3", "stop", "T3", ""),
    ("Stop t3.", "stop", "T3", ""),
    ("apply P1", "apply", "P1", ""),
    ("Apply p12", "apply", "P12", ""),
    ("approve A1", "approve", "A1", ""),
    ("Approve a1", "approve", "A1", ""),
    ("approve A1 once", "approve", "A1", ""),
    ("APPROVE A1 ONCE", "approve", "A1", ""),
    ("approve P2", "approve", "P2", ""),
    ("reject A5", "reject", "A5", ""),
    ("reject A5 too risky", "reject", "A5", "too risky"),
    ("Reject a5: too risky", "reject", "A5", "too risky"),
    ("reject P1, not now", "reject", "P1", "not now"),
    ("rework T3 say how often", "rework", "T3", "say how often"),
    ('rework t1 say "Your cart is empty" instead of NaN', "rework", "T1", 'say "Your cart is empty" instead of NaN'),
    ("accept T3", "accept", "T3", ""),
    ("pause T3", "pause", "T3", ""),
    ("resume T3", "resume", "T3", ""),
    ("continue T3", "resume", "T3", ""),
    ("cancel T3", "cancel", "T3", ""),
    ("retry T3", "retry", "T3", ""),
    ("retry T3 the network is back", "retry", "T3", "the network is back"),
    ("why T2", "why", "T2", ""),
    ("why T2?", "why", "T2", ""),
    ("why  t2 ?", "why", "T2", ""),
    ("status", "status", "", ""),
    ("Status?", "status", "", ""),
    ("help", "help", "", ""),
    # Chinese, with and without the space nobody writes
    ("停", "stop", "", ""),
    ("停止", "stop", "", ""),
    ("停下！", "stop", "", ""),
    ("停止 T3", "stop", "T3", ""),
    ("停止T3。", "stop", "T3", ""),
    ("应用 P1", "apply", "P1", ""),
    ("执行P1", "apply", "P1", ""),
    ("批准 A1", "approve", "A1", ""),
    ("同意A1", "approve", "A1", ""),
    ("批准 A1 一次", "approve", "A1", ""),
    ("拒绝 A1 太危险", "reject", "A1", "太危险"),
    ("拒绝A1：太危险", "reject", "A1", "太危险"),
    ("驳回 p2", "reject", "P2", ""),
    ("返工 T3 改一下报错", "rework", "T3", "改一下报错"),
    ("验收 T3", "accept", "T3", ""),
    ("接受T3", "accept", "T3", ""),
    ("暂停 T3", "pause", "T3", ""),
    ("恢复 T3", "resume", "T3", ""),
    ("继续T3", "resume", "T3", ""),
    ("取消 T3", "cancel", "T3", ""),
    ("重试 T3，网络好了", "retry", "T3", "网络好了"),
    ("为什么 T2？", "why", "T2", ""),
    ("为何T2", "why", "T2", ""),
    ("状态", "status", "", ""),
    ("进度？", "status", "", ""),
    ("帮助", "help", "", ""),
    # work whose end nobody knows
    ("again Q1 nothing was written", "again", "Q1", "nothing was written"),
    ("重新开始 Q1 没有写入", "again", "Q1", "没有写入"),
    ("done Q2: I saw the tag", "done", "Q2", "I saw the tag"),
    ("failed q2", "failed", "Q2", ""),
    ("wait Q1", "wait", "Q1", ""),
    ("等待Q1", "wait", "Q1", ""),
    ("cancel Q1", "give_up", "Q1", ""),
    # the branch
    ("merge", "merge", "", ""),
    ("合并", "merge", "", ""),
    ("merge later.", "later", "", ""),
]

MESSAGES = [
    # a sentence that only begins, or ends, with such a word
    "stop the deploy from failing",
    "stop the deploy from failing when the cache is cold",
    "please stop",
    "stop it",
    "stop T3 and T4",
    "stop T3, then start over",
    "don't stop",
    "nonstop",
    "stopped",
    "停止部署失败的问题",
    "不要停",
    "approve the plan",
    "approve A1 and A2",
    "approve A1 twice",
    "I approve A1",
    "apply P1 tomorrow",
    "accept T3 input as JSON",
    "cancel T3 retries",
    "status of T3",
    "statuses",
    "help me with the login",
    "why is T2 slow?",
    "why T2 and T3?",
    "批准这个",
    "状态机有问题",
    # quotes and code say what somebody else said
    "> stop",
    "  > stop",
    "`stop`",
    "```\nstop\n```",
    "> approve A1",
    '"stop"',
    # several lines are a message
    "stop\nthe world",
    "reject A1 too risky\nuse the other folder",
    "approve A1\napprove A2",
    "rework T3 first\nsecond",
    # the word alone, or with a name of another kind
    "approve",
    "approve A",
    "approve 1",
    "reject",
    "rework T3",
    "rework A3 more",
    "accept P1",
    "pause A1",
    "stop A1",
    "stop P1",
    "why A5",
    "merge T1",
    "merge the footer into the page",
    "wait for it",
    "again T1",
    "approve A1234567",
    "approve A１",
    # nothing
    "",
    "   ",
    "\n\n",
    # not words of ours
    "halt",
    "statsu",
    "go",
    "yes",
    "好的",
]


@pytest.mark.parametrize(("text", "action", "subject", "said"), ACTS)
def test_words_that_act(text: str, action: str, subject: str, said: str) -> None:
    control = parse_control(text)
    assert control is not None
    assert (control.action, control.subject, control.text) == (action, subject, said)
    assert (control.revision, control.digest, control.drop, control.contents) == (0, "", (), {})


@pytest.mark.parametrize("text", MESSAGES)
def test_everything_else_is_a_message(text: str) -> None:
    assert parse_control(text) is None


@pytest.mark.parametrize("text", ["stop " * 20_000, "reject A1 " + "x " * 20_000, "停" * 40_000, ">" * 40_000])
def test_a_very_long_message_is_looked_at_in_no_time(text: str) -> None:
    control = parse_control(text)
    assert control is None or control.action == "reject"
