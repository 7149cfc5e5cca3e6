"""Every enforced limit, in one place, with its unit and its reason."""

from __future__ import annotations

DEPENDENCIES = 16  # per task; more is a list nobody reads
TITLE_CHARS = 80
CONTENT_CHARS = 16_000
CRITERIA_CHARS = 2_000  # the whole list of one task
OBJECTIVE_CHARS = 400
MESSAGE_CHARS = 40_000  # the longest text a chat platform delivers
REASON_CHARS = 2_000
SUMMARY_CHARS = 4_096  # longer text is an artifact
COMMAND_CHARS = 16_000
TASKS_PER_PLAN = 50  # a plan people can read before they approve it
TASKS_PER_SESSION = 10_000

APPROVAL_MS = 4 * 60 * 60 * 1000  # default deadline of an approval
CANCEL_GRACE_MS = 10_000  # an agent that does not stop by itself within this is ended
