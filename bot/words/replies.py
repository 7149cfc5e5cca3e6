"""Answers to what people say, and what stands in the way of a task."""

from __future__ import annotations

from bot.words.filling import Row

REPLIES: dict[str, Row] = {
    "said": ("{text}", "{text}"),
    "hello": (
        "Hello. Tell me what should be done, for example: run the tests, then format with ruff and run them again.",
        "你好。告诉我要做什么，例如：先跑测试，然后用 ruff 格式化，再跑一遍测试。",
    ),
    "which_repo": (
        "Which repository? Name its folder on this machine, and I take up your message then.",
        "哪个代码库？请给出它在本机的目录，之后我会处理这条消息。",
    ),
    "no_agent": (
        "I have no agent to do that here, and it is not a command. To add one: `threadlead agents`. Nothing was started.",
        "这里没有能做这件事的智能体，而且它也不是命令。添加方法：`threadlead agents`。没有启动任何任务。",
    ),
    "cannot_plan": ("I cannot plan that. {code} Nothing was started.", "无法这样安排。{code}没有启动任何任务。"),
    "which_task": (
        "Which task do you mean: {tasks}? Nothing was changed.",
        "你指的是哪个任务：{tasks}？没有任何变化。",
    ),
    "unsure_change": (
        "I am not sure that this should change the plan, so nothing is stopped. If it should: {words}",
        "我不确定这是否要改变计划，所以没有停止任何任务。如果要改变：{words}",
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
        "That would wait for {count} tasks; at most {limit}. Nothing was started.",
        "这要等待 {count} 个任务；最多 {limit} 个。没有启动任何任务。",
    ),
    "too_long": (
        "That is too long: at most {limit} characters. Nothing was started.",
        "太长了：最多 {limit} 个字符。没有启动任何任务。",
    ),
    "too_many_tasks": (
        "That is too many tasks for one plan; at most {limit}. Nothing was started.",
        "一个计划里任务太多了；最多 {limit} 个。没有启动任何任务。",
    ),
    "offer_rework": ("For {task}:", "关于 {task}："),
}

CHECKS: dict[str, Row] = {
    "test": ("run the tests", "运行测试"),
    "format": ("format the code", "格式化代码"),
    "lint": ("check the style", "检查代码风格"),
    "types": ("check the types", "检查类型"),
    "build": ("build it", "构建"),
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
    "blocked": ("stands still: {detail}; `resume {name}` goes on", "已停下：{detail}；`resume {name}` 可继续"),
    "failed": ("has failed: {detail}; `retry {name}` tries again", "已失败：{detail}；`retry {name}` 可重试"),
    "nothing": ("nothing is in its way any more: it is {detail}", "已没有阻碍：{detail}"),
}

HELP: Row = (
    "Say in your own words what should be done. These words act at once:\n"
    "status · how the work stands\n"
    "why T3 · what is in the way of T3\n"
    "stop · stop what runs; stop T3 stops one task\n"
    "apply P1 · reject P1 <why>\n"
    "approve A5 · reject A5 <why>\n"
    "accept T3 · rework T3 <what>\n"
    "pause T3 · resume T3 · cancel T3 · retry T3\n"
    "again Q1 <why> · done Q1 <how you know> · failed Q1 · wait Q1\n"
    "merge · merge later",
    "直接说要做什么。以下词语会立即生效：\n"
    "状态 · 工作进展\n"
    "为什么 T3 · T3 在等什么\n"
    "停止 · 停止正在运行的；停止 T3 只停一个任务\n"
    "应用 P1 · 拒绝 P1 <原因>\n"
    "批准 A5 · 拒绝 A5 <原因>\n"
    "验收 T3 · 返工 T3 <内容>\n"
    "暂停 T3 · 恢复 T3 · 取消 T3 · 重试 T3\n"
    "重新开始 Q1 <原因> · 标记完成 Q1 <依据> · 标记失败 Q1 · 等待 Q1\n"
    "合并 · 以后合并",
)
