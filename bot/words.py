"""Every sentence a person reads, in English and Chinese, as tables and small functions.

A code picks the row; parameters fill it. An unknown code is shown as itself rather than hidden. Words such as lane, turn,
attempt, harness, settle and ledger never appear here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from core.errors import Refused

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


def say(code: str, language: Language, /, **params: object) -> str:
    """A word or sentence of ``TEXTS``."""
    return fill(TEXTS[code], language, params)


STATUS: dict[str, Row] = {
    "queued": ("waiting", "待投递"),
    "submitted": ("assigned", "待执行"),
    "working": ("working", "进行中"),
    "waiting_approval": ("needs approval", "待审批"),
    "blocked": ("blocked", "受阻"),
    "paused": ("paused", "已暂停"),
    "completed": ("in review", "待验收"),
    "done": ("done", "已完成"),
    "failed": ("failed", "失败"),
    "cancelled": ("cancelled", "已取消"),
    "cancelling": ("cancelling", "取消中"),
    "pausing": ("pausing", "暂停中"),
    "stopping": ("stopping", "停止中"),
}

TEXTS: dict[str, Row] = {
    "apply": ("Apply", "应用"),
    "edit": ("Edit", "编辑"),
    "reject": ("Reject", "拒绝"),
    "only_question": ("Only a question", "只是提问"),
    "make_change": ("Make it a change", "作为变更"),
    "stop": ("Stop", "停止"),
    "resume_x": ("Resume {name}", "恢复 {name}"),
    "retry_x": ("Retry {name}", "重试 {name}"),
    "approve_once": ("Approve once", "批准一次"),
    "reject_stop": ("Reject and stop", "拒绝并停止"),
    "accept": ("Accept", "验收"),
    "accept_anyway": ("Accept anyway", "仍然验收"),
    "rework": ("Rework", "返工"),
    "rework_with": ("Rework with this", "按此返工"),
    "show_diff": ("Show diff", "查看差异"),
    "show_output": ("Show output", "查看输出"),
    "merge_to": ("Merge to {branch}", "合并到 {branch}"),
    "later": ("Later", "以后再说"),
    "wait": ("Wait", "继续等待"),
    "start_again": ("Start again", "重新开始"),
    "mark_done": ("Mark done", "标记完成"),
    "mark_failed": ("Mark failed", "标记失败"),
    "cancel_task": ("Cancel it", "取消任务"),
    "why_reject": ("Why not? The agent is told.", "为什么？会告诉执行者。"),
    "why_again": ("Why start again? Its effects may repeat.", "为什么重新开始？其影响可能重复。"),
    "why_done": ("How do you know it is done?", "如何得知已完成？"),
    "what_rework": ("What should be different?", "需要改什么？"),
    "why_retry": ("Why again? (optional)", "为什么重试？（可选）"),
    "plan_title": ("{short} · {repo}, from {branch} @ {sha}", "{short} · {repo}，基于 {branch} @ {sha}"),
    "plan_title_bare": ("{short}", "{short}"),
    "op_create": ("{name} {title}", "{name} {title}"),
    "after": ("after {names}", "在 {names} 之后"),
    "op_cancel": ("Cancel {name} {title} ({state})", "取消 {name} {title}（{state}）"),
    "op_pause": ("Pause {name} {title} (its work so far is kept)", "暂停 {name} {title}（保留已有成果）"),
    "op_resume": ("Go on with {name} {title}", "继续 {name} {title}"),
    "op_release": (
        "Start now {name} {title} (no longer waits for {other})",
        "立即开始 {name} {title}（不再等待 {other}）",
    ),
    "op_waits_less": ("{name} {title} no longer waits for {other}", "{name} {title} 不再等待 {other}"),
    "op_follow": ("{name} {title} waits for {other} as well", "{name} {title} 也等待 {other}"),
    "op_stays": ("{names} stays", "{names} 不变"),
    "op_stay": ("{names} stay", "{names} 不变"),
    "collateral": ("Because of this {names} cannot start any more", "因此 {names} 将无法开始"),
    "will_ask": ("Will probably ask for: {asks}", "可能会请求：{asks}"),
    "edited_by": ("changed by {by}", "由 {by} 修改"),
    "nothing_yet": ("Nothing is changed until you apply it.", "应用之前不会有任何变化。"),
    "plan_applied": ("{short} applied by {by}", "{short} 已由 {by} 应用"),
    "plan_applying": (
        "{short} applied by {by} · waiting for {names} to stop",
        "{short} 已由 {by} 应用 · 正在等待 {names} 停止",
    ),
    "plan_rejected": ("{short} rejected by {by} · nothing changed", "{short} 已被 {by} 拒绝 · 没有任何变化"),
    "plan_question": (
        "{short} read as a question by {by} · nothing changed",
        "{by} 表示 {short} 只是提问 · 没有任何变化",
    ),
    "plan_superseded": ("{short} was replaced", "{short} 已被取代"),
    "exit": ("exit {code}", "退出码 {code}"),
    "files": ("{files} files, +{added} −{removed}", "{files} 个文件，+{added} −{removed}"),
    "one_file": ("1 file, +{added} −{removed}", "1 个文件，+{added} −{removed}"),
    "no_files": ("no files changed", "没有文件变化"),
    "on_worker": ("on {worker}", "在 {worker} 上"),
    "step": ("step {step} of {steps}: {current}", "第 {step}/{steps} 步：{current}"),
    "round": ("round {round}", "第 {round} 轮"),
    "because": ("because {by}: {text}", "因为 {by}：{text}"),
    "waits_for": ("waits for {names}", "等待 {names}"),
    "waits_worker": ("waits for a free worker", "等待空闲的执行机"),
    "waits_repo": ("waits for the repository", "等待代码库"),
    "started_from": ("started from {name}'s commit", "从 {name} 的提交开始"),
    "handoffs": ("with what {names} handed over", "带有 {names} 的交接"),
    "interrupted": ("stopped; Resume goes on with it", "已停止；可恢复"),
    "no_report": ("ended without a report", "没有报告就结束了"),
    "approval_timeout": ("nobody answered {short}", "{short} 无人答复"),
    "delivery_uncertain": ("not known whether it finished", "不确定是否完成"),
    "paused_by": ("paused by {by}", "由 {by} 暂停"),
    "because_failed": ("cannot start: {name} failed", "无法开始：{name} 失败"),
    "because_cancelled": ("cannot start: {name} was cancelled", "无法开始：{name} 已取消"),
    "approval_title": (
        "{short} needs you · {task} wants to run `{command}`",
        "{short} 需要你 · {task} 想运行 `{command}`",
    ),
    "folder": ("In {folder}", "目录 {folder}"),
    "its_folder": ("its own folder", "它自己的目录"),
    "why_asked": ("Because it {reasons}", "因为：{reasons}"),
    "risk": ("Risk: {risk}", "风险：{risk}"),
    "low": ("low", "低"),
    "medium": ("medium", "中"),
    "high": ("high", "高"),
    "open_until": ("Open until", "有效至"),
    "notify_approval": (
        "{short}: {task} wants to run `{command}`. Approve? Answer `approve {short}` or `reject {short}`.",
        "{short}：{task} 想运行 `{command}`。批准吗？回复 `approve {short}` 或 `reject {short}`。",
    ),
    "approved": ("{short} approved once by {by} · {task} goes on", "{short} 已由 {by} 批准一次 · {task} 继续"),
    "rejected": (
        "{short} rejected by {by} · nothing ran · {task} goes on without it",
        "{short} 已被 {by} 拒绝 · 没有执行 · {task} 不用它继续",
    ),
    "rejected_ends": (
        "{short} rejected by {by} · nothing ran",
        "{short} 已被 {by} 拒绝 · 没有执行",
    ),
    "rejected_stop": (
        "{short} rejected by {by} · nothing ran · {task} is stopped",
        "{short} 已被 {by} 拒绝 · 没有执行 · {task} 已停止",
    ),
    "approval_gone": ("{short} is over: {cause} · nothing ran", "{short} 已失效：{cause} · 没有执行"),
    "cause_turn": ("the work ended before anyone answered", "工作在答复之前已结束"),
    "cause_task": ("the task was cancelled", "任务已取消"),
    "cause_timeout": ("nobody answered in time", "无人及时答复"),
    "cause_recovery": ("the worker was lost while it waited", "等待期间执行机失联"),
    "cause_requester": ("it was withdrawn", "请求已撤回"),
    "ready": ("Ready for review", "可以验收"),
    "task_ready": ("{task} is ready for review", "{task} 可以验收"),
    "all_ready": ("All {count} tasks are done, ready for review", "全部 {count} 个任务已完成，可以验收"),
    "proven": ("proven", "已证实"),
    "failed_mark": ("failed", "未通过"),
    "claimed": ("only claimed", "仅为声称"),
    "not_run": ("check not run", "检查未运行"),
    "biggest": ("Biggest change: {what}", "最大改动：{what}"),
    "branch": ("Branch {branch}", "分支 {branch}"),
    "accepted": ("Accepted by {by}", "已由 {by} 验收"),
    "accepted_task": ("{task} accepted by {by}", "{task} 已由 {by} 验收"),
    "sent_back": ("{task} sent back by {by}", "{task} 被 {by} 退回"),
    "report_over": ("{task}: this report was replaced", "{task}：此报告已被取代"),
    "merging": ("Merging to {branch} …", "正在合并到 {branch} …"),
    "merged": (
        "Merged to {branch} as {sha} by {by} · worktree removed",
        "已由 {by} 合并到 {branch}（{sha}）· 工作目录已删除",
    ),
    "merge_refused": (
        "Not merged: {why}. The work stays accepted; nothing was changed.",
        "未合并：{why}。成果仍视为已验收；没有任何改动。",
    ),
    "merge_later": ("Not merged yet. The work stays on {branch}.", "尚未合并。成果保留在 {branch}。"),
    "look_at": ("To look at it: git diff {base}...{branch}", "查看：git diff {base}...{branch}"),
    "flow_summary": ("{name}: finished", "{name}：已结束"),
    "counts": ("{parts}", "{parts}"),
    "n_done": ("{n} done", "{n} 个完成"),
    "n_cancelled": ("{n} cancelled", "{n} 个取消"),
    "n_failed": ("{n} failed", "{n} 个失败"),
    "n_rounds": ("{n} rounds", "{n} 轮"),
    "took": ("took {time}", "用时 {time}"),
    "uncertain_title": (
        "Not known whether {task} finished",
        "不确定 {task} 是否完成",
    ),
    "uncertain_lease": (
        "{worker} was lost while it worked. What it did after that is not known, and it is not sent again by itself.",
        "{worker} 在工作时失联。之后做了什么不得而知，也不会自动重发。",
    ),
    "uncertain_worker_restarted": (
        "{worker} was restarted while it worked. What it had done by then is not known, and it is not sent again by itself.",
        "{worker} 在工作时重启。当时已做了什么不得而知，也不会自动重发。",
    ),
    "uncertain_grace": (
        "{worker} did not answer the stop in time. Whether it still runs is not known.",
        "{worker} 未在时限内响应停止。是否仍在运行不得而知。",
    ),
    "last_heard": ("Last heard: {step}", "最后得知：{step}"),
    "needed_by": ("{task} is needed by {names}", "{names} 需要 {task}"),
    "nothing_so_far": ("Nothing yet.", "还没有任何任务。"),
    "waiting_for_you": ("Waiting for you: {names}", "等待你决定：{names}"),
    "waiting_by": ("Waiting for {worker}, by {by}", "由 {by} 决定等待 {worker}"),
    "resolved_again": ("{task}: started again by {by} — {reason}", "{task}：由 {by} 重新开始 — {reason}"),
    "resolved_done": ("{task}: marked done by {by} — {reason}", "{task}：由 {by} 标记完成 — {reason}"),
    "resolved_failed": ("{task}: marked failed by {by}", "{task}：由 {by} 标记失败"),
    "resolved_cancel": ("{task}: cancelled by {by}", "{task}：由 {by} 取消"),
    "resolved_late_report": ("{task}: its report arrived after all", "{task}：报告终于到达"),
    "no_report_title": ("{task} ended without a report", "{task} 没有报告就结束了"),
}

REPLIES: dict[str, Row] = {
    "said": ("{text}", "{text}"),
    "hello": (
        "Hello. Tell me what should be done, for example: run the tests, then format with ruff and run them again.",
        "你好。告诉我要做什么，例如：先跑测试，然后用 ruff 格式化，再跑一遍测试。",
    ),
    "which_repo": (
        "Which repository? Name its folder on this machine; I read this again then.",
        "哪个代码库？请给出它在本机的目录，之后我会重新读这条消息。",
    ),
    "no_agent": (
        "I have no agent to do that here, and it is not a command. To add one: `threadlead agents`. Nothing was started.",
        "这里没有能做这件事的智能体，而且它也不是命令。添加方法：`threadlead agents`。没有启动任何任务。",
    ),
    "cannot_plan": ("I cannot plan that: {code}. Nothing was started.", "无法这样安排：{code}。没有启动任何任务。"),
    "which_task": ("Which task do you mean: {tasks}?", "你指的是哪个任务：{tasks}？"),
    "unsure_change": (
        "I am not sure that this should change the plan. If so, say `cancel {tasks}` or `pause {tasks}`. Nothing is stopped.",
        "我不确定这是否要改变计划。可以说 `cancel {tasks}` 或 `pause {tasks}`。没有停止任何任务。",
    ),
    "not_a_decision": (
        "That alone does not decide. Answer `approve {short}`, `reject {short} <why>`, or use a button.",
        "仅凭这句话不能决定。请回复 `approve {short}`、`reject {short} <原因>`，或使用按钮。",
    ),
    "unknown_task": (
        "There is no task called {name} here. Nothing was changed.",
        "这里没有叫 {name} 的任务。没有任何变化。",
    ),
    "no_check": (
        "I do not know how to {check} here: the repository names no such command. Say the command itself.",
        "我不知道这里如何做 {check}：代码库没有给出这样的命令。请直接写出命令。",
    ),
    "nothing_to_change": ("{task} is {status}; there is nothing to change.", "{task} 处于 {status}，无需改变。"),
    "edit_plan": (
        "{name} is part of {plan}, which is not applied yet. Edit {plan} instead.",
        "{name} 属于尚未应用的 {plan}，请改为编辑 {plan}。",
    ),
    "too_many_beside": (
        "That would wait for {count} tasks; at most {limit}.",
        "这要等待 {count} 个任务；最多 {limit} 个。",
    ),
    "too_long": ("That is too long: at most {limit} characters.", "太长了：最多 {limit} 个字符。"),
    "too_many_tasks": (
        "That is too many tasks for one plan; at most {limit}.",
        "一个计划里任务太多了；最多 {limit} 个。",
    ),
    "offer_rework": ("For {task}:", "关于 {task}："),
}

OBSTACLES: dict[str, Row] = {
    "dependency": ("waits for {ref} ({detail})", "等待 {ref}（{detail}）"),
    "repo": ("waits for a usable repository", "等待可用的代码库"),
    "approval": ("waits for someone to decide {ref}", "等待有人决定 {ref}"),
    "reconcile": (
        "waits for someone to decide {ref}: not known whether it finished",
        "等待有人决定 {ref}：不确定是否完成",
    ),
    "running": ("nothing is in its way: it is {detail} on {ref}", "没有阻碍：正在 {ref} 上（{detail}）"),
    "capacity": ("waits for a free worker", "等待空闲的执行机"),
    "review": (
        "waits for someone to accept it: `accept {ref}` or `rework {ref} <what>`",
        "等待验收：`accept {ref}` 或 `rework {ref} <内容>`",
    ),
    "paused": ("is paused by {ref}; `resume {name}` goes on", "由 {ref} 暂停；`resume {name}` 可继续"),
    "blocked": ("is stopped ({detail}); `resume {name}` goes on", "已停下（{detail}）；`resume {name}` 可继续"),
    "nothing": ("nothing is in its way any more: it is {detail}", "已没有阻碍：{detail}"),
}

REFUSALS: dict[str, Row] = {
    "illegal_move": ("{name} is {state}, so that is not possible now.", "{name} 处于{state}，现在不能这样做。"),
    "already_decided": (
        "{short} was already decided by {by}: {decision}. {reason}",
        "{short} 已由 {by} 决定：{decision}。{reason}",
    ),
    "card_stale": (
        "{short} has changed since this was shown. Look at it once more.",
        "{short} 在显示之后已变化，请重新查看。",
    ),
    "plan_changed": (
        "The tasks have moved on: applying {short} would now also stop {names}. Edit or reject it.",
        "任务已有变化：应用 {short} 还会影响 {names}。请编辑或拒绝。",
    ),
    "empty_plan": ("Nothing would be left to do.", "这样就没有要做的事了。"),
    "empty_message": ("There is nothing in that message.", "消息是空的。"),
    "message_too_long": ("That is too long: at most {limit} characters.", "太长了：最多 {limit} 个字符。"),
    "content_too_long": ("That is too long: at most {limit} characters.", "太长了：最多 {limit} 个字符。"),
    "unknown_task": ("There is no task {name} here.", "这里没有任务 {name}。"),
    "unknown_plan": ("There is no plan {name} here.", "这里没有计划 {name}。"),
    "unknown_interaction": ("There is no {name} here.", "这里没有 {name}。"),
    "unknown_session": ("There is no such session.", "没有这个会话。"),
    "unknown_action": ("There is no such action.", "没有这个操作。"),
    "nothing_running": ("Nothing is running.", "没有正在运行的任务。"),
    "not_running": ("{name} is not running.", "{name} 没有在运行。"),
    "already_stopping": ("{name} is already stopping.", "{name} 正在停止。"),
    "still_running": ("{name} still runs.", "{name} 仍在运行。"),
    "decide_first": (
        "Decide {short} first: it is not known whether {name} finished.",
        "请先决定 {short}：不确定 {name} 是否完成。",
    ),
    "retry_the_cause": (
        "{name} failed only because of {cause}. Retry that.",
        "{name} 只是因为 {cause} 而失败，请重试后者。",
    ),
    "never_retried": ("{name} cannot be retried. Ask for it anew.", "{name} 不能重试，请重新提出。"),
    "nothing_to_review": ("Nothing waits for review.", "没有待验收的内容。"),
    "feedback_needed": ("Say what should be different.", "请说明需要改什么。"),
    "reason_needed": ("Say why.", "请说明原因。"),
    "which_task": ("Which one: {names}?", "哪一个：{names}？"),
    "already_accepted": ("{name} was already accepted.", "{name} 已验收。"),
    "not_mergeable": ("There is nothing to merge now.", "现在没有可合并的内容。"),
    "expired": ("{short} is no longer open.", "{short} 已失效。"),
    "repo_fixed": (
        "This session works on {name}. Begin another session for another repository.",
        "本会话使用 {name}。其他代码库请新建会话。",
    ),
    "bad_path": ("That is not a path.", "这不是路径。"),
    "not_allowed": ("{person} may not do that here ({right}).", "{person} 在此无权这样做（{right}）。"),
    "not_a_question": ("{short} is not open as a question.", "{short} 不是提问。"),
    "lost_race": ("Somebody else was faster. Look again.", "有人先了一步，请重新查看。"),
}

REPO_PROBLEMS: dict[str, Row] = {
    "checking": ("looking …", "检查中 …"),
    "path_missing": ("There is no folder {path}.", "没有目录 {path}。"),
    "path_not_absolute": ("Give the whole path, beginning with / or ~.", "请给出完整路径，以 / 或 ~ 开头。"),
    "not_a_repository": (
        "{path} is not a git repository. Run `git init` there, or name another folder.",
        "{path} 不是 git 代码库。",
    ),
    "no_commits": ("{path} has no commit yet. Make a first one.", "{path} 还没有提交，请先提交一次。"),
    "bare_repository": ("{path} is a bare repository; name a checkout.", "{path} 是裸库，请给出检出目录。"),
    "detached_head": ("{path} is on no branch. Check one out first.", "{path} 不在任何分支上，请先检出分支。"),
    "repository_not_trusted": (
        "{path} belongs to another user, so git does not trust it.",
        "{path} 属于其他用户，git 不信任它。",
    ),
    "git_missing": ("git is not installed on the worker.", "执行机上没有安装 git。"),
    "git_too_old": ("git on the worker is too old.", "执行机上的 git 版本太旧。"),
    "only_local": ("{path} is an address; only local folders work so far.", "{path} 是地址；目前只支持本地目录。"),
}

MERGE_REFUSALS: dict[str, Row] = {
    "merge_conflict": ("it conflicts with {branch} in {detail}", "与 {branch} 冲突：{detail}"),
    "base_dirty": (
        "your checkout has uncommitted changes in the way: {detail}",
        "你的检出目录有未提交的改动：{detail}",
    ),
    "branch_moved": ("the branch has new commits since you accepted", "验收之后该分支有新的提交"),
    "base_moved": ("{branch} moved meanwhile; try again", "{branch} 同时有变动，请重试"),
    "base_busy": ("{branch} is in the middle of a rebase or merge", "{branch} 正在变基或合并中"),
    "branch_missing": ("the branch is gone", "分支已不存在"),
}

HELP: Row = (
    "Say what should be done, or: status · why T3 · stop [T3] · approve A5 · reject A5 <why> · rework T3 <what> · "
    "apply P1 · accept T3 · pause T3 · resume T3 · cancel T3 · retry T3 [why]",
    "直接说要做什么，或：状态 · 为什么 T3 · 停止 [T3] · 批准 A5 · 拒绝 A5 <原因> · 返工 T3 <内容> · "
    "应用 P1 · 验收 T3 · 暂停 T3 · 恢复 T3 · 取消 T3 · 重试 T3",
)


def status_label(status: str, language: Language) -> str:
    return fill(STATUS.get(status, (status, status)), language, {})


def coded(table: Mapping[str, Row], code: str, language: Language, params: Mapping[str, object]) -> str:
    """The row of ``code``, or the code itself with its parameters when the table has none."""
    row = table.get(code)
    if row is not None:
        return fill(row, language, params).strip()
    shown = ", ".join(f"{k}: {v}" for k, v in params.items() if v)
    return f"{code.replace('_', ' ')}{f' ({shown})' if shown else ''}"


def refusal_text(refused: Refused, language: Language) -> str:
    params = dict(refused.params)
    if "state" in params:
        params["state"] = status_label(str(params["state"]), language)
    params.setdefault("name", params.get("short", ""))
    return coded(REFUSALS, refused.code, language, params)
