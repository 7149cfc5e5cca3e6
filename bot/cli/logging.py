"""How processes write about themselves: structured facts, as text for people or as JSON lines for programs."""

from __future__ import annotations

import logging
import sys

import structlog

from core.settings import Settings

LEVELS = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}


def configure(settings: Settings) -> None:
    """Set up logging for this process; call it once, in a command."""
    last: structlog.typing.Processor
    last = structlog.processors.JSONRenderer() if settings.log.as_json else structlog.dev.ConsoleRenderer(colors=False)
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            last,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(LEVELS[settings.log.level]),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
    logging.basicConfig(level=LEVELS["warning"], stream=sys.stderr)
