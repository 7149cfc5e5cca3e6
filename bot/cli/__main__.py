"""``python -m bot.cli`` is the same as ``threadlead``."""

from bot.cli import main

main()
