"""The shell policy: which command lines run at once and which ask a person first.

``judge`` rules on one line, ``looks_like_command`` tells a command from prose, ``digest`` ties an approval to what was
shown, ``describe`` puts a reason in words. Nothing in this package runs a command or opens a file.
"""

from jobs.policy.judge import digest, judge, looks_like_command
from jobs.policy.rules import ShellPolicy
from jobs.policy.ruling import Reason, Ruling
from jobs.policy.words import describe

__all__ = ["Reason", "Ruling", "ShellPolicy", "describe", "digest", "judge", "looks_like_command"]
