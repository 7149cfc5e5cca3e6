"""The console's token: the one in the settings, else one made once and kept where only this user can read it."""

from __future__ import annotations

import os
import secrets
import tempfile
from pathlib import Path

from pydantic import SecretStr

from core.errors import Unavailable
from core.settings.model import Settings

TOKEN_BYTES = 24  # 192 bits: not guessable over a network


def console_token(settings: Settings) -> SecretStr:
    """The token a browser needs. Two processes that ask at the same time get the same one.

    Raises Unavailable("data_unwritable") when the data folder cannot hold it.
    """
    if settings.web.token is not None:
        return settings.web.token
    place = settings.data / "console-token"
    try:
        return SecretStr(_read(place) or _make(place))
    except OSError as error:
        raise Unavailable("data_unwritable", data=str(settings.data), reason=error.strerror) from error


def _read(place: Path) -> str:
    try:
        if place.stat().st_mode & 0o077:
            place.chmod(0o600)
        return place.read_text(encoding="ascii", errors="replace").strip()
    except FileNotFoundError:
        return ""


def _make(place: Path) -> str:
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, written = tempfile.mkstemp(dir=place.parent, prefix=".console-token-")  # mkstemp gives 0600
    try:
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(secrets.token_urlsafe(TOKEN_BYTES) + "\n")
        try:
            os.link(written, place)  # whole or not at all, and the first one wins
        except FileExistsError:
            if not _read(place):  # an empty file somebody left there
                os.replace(written, place)
        return _read(place)
    finally:
        Path(written).unlink(missing_ok=True)
