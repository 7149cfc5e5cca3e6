"""The reasons in words, for a card that asks whether a command may run.

Promise: a short phrase that names what the command does and the part of it that does so. That part is text of an
agent or a repository: it is shortened and its invisible characters are made visible; the surface still escapes it.
"""

from __future__ import annotations

from typing import Literal

from jobs.policy.ruling import Reason

Language = Literal["en", "zh"]
# Enough to recognise a command on a phone; the card shows the whole command above the reasons.
MAX_SHOWN = 80

PHRASES: dict[str, tuple[str, str]] = {
    "always_asked": ("is on the list of commands that always ask", "在始终需询问的命令列表中"),
    "changes_history": ("changes branches or history", "更改分支或历史"),
    "changes_settings": ("changes how git behaves", "更改 git 的行为"),
    "changes_variable": ("sets a variable that can change what runs", "设置可能改变执行内容的变量"),
    "controls_machine": ("controls the machine or its services", "控制机器或其服务"),
    "defines_function": ("defines a shell function", "定义 shell 函数"),
    "deletes_recursively": ("deletes folders with all they hold", "递归删除文件夹"),
    "discards_changes": ("can throw away work that is not committed", "可能丢弃未提交的更改"),
    "dynamic_argument": ("an argument is only known when it runs", "参数在运行时才能确定"),
    "dynamic_command": ("what it runs is only known when it runs", "实际执行的内容在运行时才能确定"),
    "elevates": ("asks for more rights", "提升权限"),
    "force_push": ("overwrites or deletes on the remote", "强制覆盖或删除远程内容"),
    "hidden_characters": ("holds characters that do not show", "含有不可见字符"),
    "leaves_folder": ("may leave the worktree", "可能离开工作区"),
    "reads_outside": ("reads outside the worktree", "读取工作区之外的内容"),
    "risky_option": (
        "uses an option that can run programs, write files or follow links",
        "使用了可执行程序、写入文件或跟随链接的选项",
    ),
    "runs_code": ("runs code given on the command line", "执行命令行中给出的代码"),
    "runs_project_script": ("runs a script of the project", "运行项目中的脚本"),
    "stops_processes": ("stops processes", "终止进程"),
    "too_long": ("is too long to be checked", "命令过长,无法检查"),
    "unknown_program": ("runs a program that is not on the list", "运行不在列表中的程序"),
    "unparsable": ("cannot be read with certainty", "无法可靠解析"),
    "uses_network": ("uses the network", "使用网络"),
    "writes_guarded": ("writes to git's or Threadlead's own files", "写入 git 或 Threadlead 自身的文件"),
    "writes_outside": ("writes outside the worktree", "写入工作区之外"),
}


def describe(reason: Reason, language: Language) -> str:
    """``uses the network (npm ci)``: one phrase, no full stop. An unknown code is shown as it is."""
    english, chinese = PHRASES.get(reason.code, (reason.code, reason.code))
    detail = reason.params.get("path") or reason.params.get("option") or reason.params.get("command", "")
    if not detail:
        return english if language == "en" else chinese
    shown = visible(detail)
    return f"{english} ({shown})" if language == "en" else f"{chinese}({shown})"


def visible(text: str) -> str:
    """``text`` on one line of at most ``MAX_SHOWN`` characters, every unprintable one written as ``<U+202E>``."""
    flat = " ".join(text.replace("\\\n", " ").split(" ")).replace("\n", " ⏎ ")
    cut = flat if len(flat) <= MAX_SHOWN else flat[: MAX_SHOWN - 1] + "…"
    return "".join(sign if sign.isprintable() else f"<U+{ord(sign):04X}>" for sign in cut)
