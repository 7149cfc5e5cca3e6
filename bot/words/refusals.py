"""Why something was not done, by the code of the refusal: every one the domain can raise, so that nobody reads a code."""

from __future__ import annotations

from bot.words.filling import Row

REFUSALS: dict[str, Row] = {
    # who and what
    "not_allowed": ("{person} may not {right} here. Nothing was changed.", "{person} 在此无权{right}。没有任何变化。"),
    "unknown_session": ("There is no such session.", "没有这个会话。"),
    "session_exists": ("That session is already here.", "该会话已存在。"),
    "unknown_action": ("There is no such action.", "没有这个操作。"),
    "unknown_task": ("There is no task {name} here.", "这里没有任务 {name}。"),
    "unknown_plan": ("There is no plan {name} here.", "这里没有计划 {name}。"),
    "unknown_interaction": ("There is no {name} here to decide.", "这里没有需要决定的 {name}。"),
    "unknown_flow": ("That work is not known here.", "这里没有这项工作。"),
    "unknown_message": ("There is no such message here.", "这里没有这条消息。"),
    "unknown_artifact": ("That output is not kept any more.", "该输出已不再保存。"),
    "unreadable_event": (
        "What happened here cannot be read at event {seq}: {why}",
        "此会话在事件 {seq} 处无法读取：{why}",
    ),
    # messages and the repository
    "empty_message": ("There is nothing in that message.", "消息是空的。"),
    "message_too_long": ("That is too long: at most {limit} characters.", "太长了：最多 {limit} 个字符。"),
    "content_too_long": ("That is too long: at most {limit} characters.", "太长了：最多 {limit} 个字符。"),
    "unwritable_event": ("There is something in it that cannot be stored.", "其中有无法保存的内容。"),
    "artifact_too_large": ("That is too large to keep.", "内容太大，无法保存。"),
    "bad_path": ("That is not a path.", "这不是路径。"),
    "repo_fixed": (
        "This session works on {name}. Begin another session for another repository.",
        "本会话使用 {name}。其他代码库请新建会话。",
    ),
    # deciding
    "already_decided": (
        "{short} was already decided by {by}: {what}. {reason}",
        "{short} 已由 {by} 决定：{what}。{reason}",
    ),
    "already_over": ("{short} is over: {what}. {reason}", "{short} 已结束：{what}。{reason}"),
    "card_stale": (
        "{name} has changed since this was shown, so nothing was done. Look at it once more.",
        "{name} 在显示之后已变化，因此没有执行。请重新查看。",
    ),
    "expired": ("{short} is no longer open.", "{short} 已失效。"),
    "not_due": ("{short} is still open.", "{short} 仍有效。"),
    "reason_needed": ("Say why.", "请说明原因。"),
    "feedback_needed": ("Say what should be different.", "请说明需要改什么。"),
    "which_task": ("Which one: {names}?", "哪一个：{names}？"),
    "which_task_at_all": ("Say which task, for example T3.", "请指明任务，例如 T3。"),
    "nothing_to_review": ("Nothing waits for review.", "没有待验收的内容。"),
    "decide_first": (
        "Decide {short} first: it is not known whether {name} finished. Say `again {short} <why>`, "
        "`done {short} <how you know>`, `failed {short}`, `cancel {short}` or `wait {short}`.",
        "请先决定 {short}：不确定 {name} 是否完成。可以说 `again {short} <原因>`、`done {short} <依据>`、`failed {short}`、"
        "`cancel {short}` 或 `wait {short}`。",
    ),
    # plans
    "plan_changed": (
        "The tasks have moved on: applying {short} would now also stop {names}. Edit or reject it.",
        "任务已有变化：应用 {short} 还会影响 {names}。请编辑或拒绝。",
    ),
    "empty_plan": ("Nothing would be left to do.", "这样就没有要做的事了。"),
    "not_a_question": ("{short} was not read as a question.", "{short} 并未被视为提问。"),
    "unknown_operation": (
        "{short} has no such line any more. Look at it once more.",
        "{short} 已没有这一项，请重新查看。",
    ),
    "duplicate_operation": ("The same change stands in it twice.", "同一项变更出现了两次。"),
    "conflicting_operations": (
        "{name} cannot be cancelled, paused and continued at once.",
        "{name} 不能同时被取消、暂停和继续。",
    ),
    "too_many_tasks": ("That is too many tasks; at most {limit}.", "任务太多了；最多 {limit} 个。"),
    "not_a_dependency": ("{name} does not wait for that.", "{name} 并不等待它。"),
    "unknown_dependency": ("{name} would wait for something that is not there.", "{name} 要等待的任务不存在。"),
    "dead_dependency": (
        "{name} would wait for {dependency}, which has ended and will not be done.",
        "{name} 要等待的 {dependency} 已结束，不会再完成。",
    ),
    "duplicate_dependency": ("{name} would wait for the same task twice.", "{name} 会重复等待同一个任务。"),
    "depends_on_itself": ("{name} would wait for itself.", "{name} 会等待自己。"),
    "dependency_cycle": ("The tasks would wait for each other in a circle.", "这些任务会互相等待。"),
    "too_many_dependencies": ("{name} would wait for more than {limit} tasks.", "{name} 等待的任务超过 {limit} 个。"),
    "criteria_too_long": (
        "What {name} must fulfil is too long: at most {limit} characters.",
        "{name} 的验收条件太长：最多 {limit} 个字符。",
    ),
    # tasks
    "illegal_move": ("{name} is {state}, so that is not possible now.", "{name} 处于{state}，现在不能这样做。"),
    "nothing_running": ("Nothing is running.", "没有正在运行的任务。"),
    "not_running": ("{name} is not running.", "{name} 没有在运行。"),
    "already_stopping": ("{name} is already stopping.", "{name} 正在停止。"),
    "still_stopping": ("{name} is still stopping. Try again in a moment.", "{name} 还在停止中，请稍后再试。"),
    "still_running": ("{name} still runs.", "{name} 仍在运行。"),
    "retry_the_cause": (
        "{name} failed only because of {cause}. Retry that.",
        "{name} 只是因为 {cause} 而失败，请重试后者。",
    ),
    "never_retried": ("{name} cannot be retried. Ask for it anew.", "{name} 不能重试，请重新提出。"),
    "already_accepted": ("{name} was already accepted.", "{name} 已验收。"),
    # the branch
    "not_mergeable": ("There is nothing to merge now.", "现在没有可合并的内容。"),
    "merge_under_way": (
        "Its branch is being merged right now. Look again in a moment.",
        "该分支正在合并，请稍后再看。",
    ),
    # what only programs ask for; said in a log or by a worker's command line
    "lost_race": ("Somebody else was faster. Look again.", "有人先了一步，请重新查看。"),
    "fenced": ("That work was started again, so what the earlier start says does not count.", "该工作已重新开始。"),
    "superseded": ("That work was started again, so what the earlier start says does not count.", "该工作已重新开始。"),
    "no_capacity": ("The worker is busy.", "执行机正忙。"),
    "gate_closed": ("{name} still waits for something.", "{name} 仍在等待。"),
    "unknown_attempt": ("That work is not known here.", "这里没有这项工作。"),
    "not_yours": ("Worker {worker} has that work.", "该工作属于执行机 {worker}。"),
    "attempt_over": ("That work is over.", "该工作已结束。"),
    "not_asked": ("Nobody waits for that any more.", "已无人等待此结果。"),
    "nothing_new": ("There is nothing new about it.", "没有新情况。"),
    "already_read": ("That message was read before.", "该消息已处理。"),
}

RIGHTS: dict[str, Row] = {
    "ask": ("ask for work", "提出工作"),
    "decide": ("decide", "做决定"),
    "stop": ("stop work", "停止任务"),
    "settle": ("judge reports", "验收成果"),
    "merge": ("merge", "合并"),
}

DECIDED: dict[str, Row] = {
    "once": ("approved once", "批准一次"),
    "reject": ("rejected", "拒绝"),
    "reject_stop": ("rejected, and the task stopped", "拒绝并停止任务"),
    "accepted": ("accepted", "验收"),
    "applied": ("applied", "已应用"),
    "applying": ("applied", "已应用"),
    "rejected": ("rejected", "拒绝"),
    "question": ("only a question", "只是提问"),
    "superseded": ("another plan took its place", "已被其他计划取代"),
    "proposed_again": ("proposed again as {short}", "已作为 {short} 重新提出"),
    "again": ("start again", "重新开始"),
    "done": ("done", "已完成"),
    "failed": ("failed", "失败"),
    "cancel": ("cancelled", "已取消"),
    "late_report": ("its report arrived after all", "报告终于到达"),
    "turn": ("the work ended before anyone answered", "工作在答复之前已结束"),
    "task": ("the task was cancelled", "任务已取消"),
    "timeout": ("nobody answered in time", "无人及时答复"),
    "recovery": ("the worker was lost while it waited", "等待期间执行机失联"),
    "requester": ("it was withdrawn", "请求已撤回"),
}

REPO_PROBLEMS: dict[str, Row] = {
    "checking": ("Looking at {path} …", "正在检查 {path} …"),
    "path_missing": ("There is no folder {path}.", "没有目录 {path}。"),
    "path_not_absolute": ("Give the whole path, beginning with / or ~.", "请给出完整路径，以 / 或 ~ 开头。"),
    "not_a_repository": (
        "{path} is not a git repository. Run `git init` there, or name another folder.",
        "{path} 不是 git 代码库。请在那里运行 `git init`，或给出其他目录。",
    ),
    "no_commits": ("{path} has no commit yet. Make a first one.", "{path} 还没有提交，请先提交一次。"),
    "bare_repository": ("{path} is a bare repository; name a checkout.", "{path} 是裸库，请给出检出目录。"),
    "detached_head": ("{path} is on no branch. Check one out first.", "{path} 不在任何分支上，请先检出分支。"),
    "no_base_branch": (
        "{path} has no branch of the name its `base` in the settings says.",
        "{path} 没有设置中 `base` 所写的分支。",
    ),
    "repository_not_trusted": (
        "{path} belongs to another user, so git does not trust it.",
        "{path} 属于其他用户，git 不信任它。",
    ),
    "commit_missing": ("{path} cannot be read: its branch has no commit.", "无法读取 {path}：其分支没有提交。"),
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
    "branch_in_use": ("the branch is checked out elsewhere", "该分支正在别处被检出"),
    "branch_name_taken": ("another branch has its name", "分支名已被占用"),
    "unrelated_histories": ("the two branches have no common history", "两个分支没有共同历史"),
    "commit_missing": ("a commit of it is gone", "其中一个提交已不存在"),
    "no_repository": ("there is no repository", "没有代码库"),
    "not_a_repository": ("the repository is gone", "代码库已不存在"),
    "path_missing": ("the repository is gone", "代码库已不存在"),
    "not_our_branch": ("the branch is not one of ours", "该分支不是由我们创建的"),
    "git_missing": ("git is not installed on the worker", "执行机上没有安装 git"),
}
