"""What a command says when it cannot do what was asked: one clear sentence and what to do; never a traceback.

Exit codes: 0 done, 1 it could not be done now (the outside world), 2 it was asked wrongly.
"""

from __future__ import annotations

from bot.words import REFUSALS, refusal_text, visible
from core.errors import Refused, ThreadleadError

REFUSED = 2
UNAVAILABLE = 1

SENTENCES: dict[str, str] = {
    "no_redis_url": ("No Redis is set and none of ours is running. Start one with `threadlead up`, or set REDIS_URL."),
    "no_redis_server": "There is no redis-server here and none is set. {how}",
    "already_running": "Threadlead already runs on {data} (process {pid}). Stop it first, or set another data folder.",
    "port_taken": "Port {port} on {host} is taken. Stop what uses it, or choose another: threadlead up --port 7374",
    "port_unusable": "Port {port} on {host} cannot be used: {reason}.",
    "git_missing": "{detail}. {fix}",
    "python_too_old": "{detail}. {fix}",
    "bad_settings": "The settings cannot be used:\n{problems}",
    "redis_unfit": "This Redis is not fit to hold the log:\n{problems}",
    "redis_unreachable": "Redis does not answer ({reason}). Is it running, and is REDIS_URL right?",
    "redis_loading": "Redis is still reading its data. Try again in a moment.",
    "redis_busy": "Redis is busy with a script of somebody else. Try again in a moment.",
    "redis_auth": "Redis does not let us in ({reason}). Look at the user and password in REDIS_URL.",
    "redis_memory": "Redis has no memory left ({reason}). Nothing was written.",
    "redis_disk": "Redis cannot write to its disk ({reason}). Nothing was written.",
    "redis_readonly": "This Redis takes no writes ({reason}). Is REDIS_URL that of a replica?",
    "redis_replicas": "Redis has too few replicas to take writes ({reason}).",
    "redis_cluster": "The Redis cluster is not complete ({reason}). Try again in a moment.",
    "redis_error": "Redis failed: {reason}",
    "redis_url": "REDIS_URL cannot be used: {why}",
    "workspace_name": "{name} cannot be a workspace's name: letters, digits, dots, dashes and underscores.",
    "too_many_races": "Too much happens in this session at once. Try again.",
    "redis_server_failed": "The embedded Redis did not start:\n{log}",
    "orphan_redis_server": "An earlier embedded Redis (process {pid}) still holds the data folder and does not end.",
    "data_unwritable": "The data folder {data} cannot be written: {reason}.",
    "foreign_folder": "{folder} is not ours to use; set another data folder.",
    "worker_id_taken": (
        "Worker {worker} already runs on {hostname} (process {pid}). Give this one another name: THREADLEAD_WORKER__ID"
    ),
    "unknown_session": "There is no session {session}. `threadlead sessions` lists them.",
    "session_exists": "Session {session} is already here; an import never overwrites one.",
    "bad_export": "Line {line} of {file} is not an exported event: {why}",
    "no_file": "{file} cannot be read: {why}",
    "not_written": "{file} cannot be written: {why}",
    "nobody_answers": (
        "No worker has looked at the repository for {seconds} s. Is `threadlead up` running, or a scheduler and a worker?"
    ),
    "bad_agent": "Agent {name} in the settings cannot be used: {why}.",
    "bad_shell_policy": "The shell table of the settings cannot be used: {why}",
    "bad_recording": "The recording cannot be used: {why}",
    "log_shorter": "The log of this session is shorter than it was: its Redis lost the end of it. Try again.",
    "artifact_damaged": "What was kept of that output is damaged.",
    "import_gap": "The numbers of the events have a gap.",
    "unreadable_event": "Session {session} cannot be read at event {seq}: {why}",
}


class _Params(dict[str, object]):
    def __missing__(self, key: str) -> str:
        return ""


def sentence(error: ThreadleadError) -> str:
    """What to print for an error of ours."""
    row = SENTENCES.get(error.code)
    if row is not None:
        shown = {**error.params, "reason": error.params.get("reason") or error.params.get("why", "")}
        return visible(row.format_map(_Params(shown)).strip())
    if isinstance(error, Refused) and error.code in REFUSALS:
        return refusal_text(error, "en")
    return visible(str(error))


def exit_code(error: ThreadleadError) -> int:
    return REFUSED if isinstance(error, Refused) else UNAVAILABLE
