"""``RulesEngine``: one message in, one reading out, by rules alone.

It promises to return for any text, never to propose a command that nobody wrote or named, and never to stop work on a
question, a quotation or a guess.
"""

from __future__ import annotations

from collections.abc import Callable

from core.domain.model import Message, Session
from core.domain.reading import Reading
from jobs.manager.contract import Surroundings
from jobs.manager.rules import talk
from jobs.manager.rules.commands import CommandReader
from jobs.manager.rules.split import said
from jobs.manager.rules.turn import Turn, pasted_commands

# A longer message is a document: it is passed on, not read for wishes between its lines.
LONGEST_READ = 6_000


class RulesEngine:
    """Implements ``jobs.manager.contract.Engine``. ``is_command`` tells whether a text is a command line and no prose."""

    def __init__(self, is_command: Callable[[str], bool]) -> None:
        self._is_command = is_command

    async def read(self, message: Message, state: Session, around: Surroundings) -> Reading:
        # Half a surrogate pair is no character: it cannot be stored, so it cannot be passed on either.
        text = message.text.encode("utf-8", "ignore").decode()
        heard = said(text)
        turn = Turn(text, heard, state, around)
        if len(heard.text) > LONGEST_READ:
            return turn.document()
        commands = CommandReader(self._is_command, around.commands)
        pasted = pasted_commands(heard, commands)
        if pasted:
            return turn.run(pasted)
        return talk.small_talk(heard, state) or turn.reading(commands)
