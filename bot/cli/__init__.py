"""The command line. It starts every process, and is the one place in ``bot`` that may know ``jobs``."""

from __future__ import annotations


def main() -> None:
    """Entry point of the ``threadlead`` command."""
    from bot.cli.app import run

    run()
