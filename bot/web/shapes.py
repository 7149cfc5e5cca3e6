"""What the page may send, parsed once: bounded before it is read, refused with the field that is wrong."""

from __future__ import annotations

import asyncio
from typing import Annotated, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, TypeAdapter, ValidationError
from starlette.requests import Request

from core.domain import limits

BODY_BYTES = 256 * 1024  # the longest message a chat delivers is 160 KB as UTF-8
BODY_S = 10.0  # a body that takes longer is somebody holding the line

SessionId = Annotated[str, StringConstraints(pattern=r"^[a-z]{1,8}_[0-9a-zA-Z]{1,64}$")]
Name = Annotated[str, StringConstraints(max_length=80)]
Contents = Annotated[str, StringConstraints(max_length=limits.CONTENT_CHARS)]
T = TypeVar("T")


class NotUnderstood(Exception):
    """The request does not have its shape: ``status`` 413, 408 or 422, and the ``field`` that is wrong, if one is."""

    def __init__(self, status: int, code: str, field: str = "", why: str = "") -> None:
        super().__init__(code)
        self.status, self.code, self.field, self.why = status, code, field, why


class Shape(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Say(Shape):
    """A message. ``ref`` is the page's own id of it, so that sending it again does not say it twice."""

    kind: Literal["say"]
    session: SessionId
    text: Annotated[str, StringConstraints(max_length=limits.MESSAGE_CHARS)]
    ref: Name = ""


class Tap(Shape):
    """A button with what its card showed; ``drop`` and ``contents`` belong to Edit."""

    kind: Literal["tap"]
    session: SessionId
    action: Annotated[str, StringConstraints(min_length=1, max_length=40)]
    subject: Name = ""
    revision: Annotated[int, Field(ge=0, le=1 << 53)] = 0
    digest: Annotated[str, StringConstraints(max_length=128)] = ""
    text: Annotated[str, StringConstraints(max_length=limits.MESSAGE_CHARS)] = ""
    drop: Annotated[tuple[Name, ...], Field(max_length=200)] = ()
    contents: Annotated[dict[Name, Contents], Field(max_length=limits.TASKS_PER_PLAN)] = {}
    ref: Name = ""


class Repo(Shape):
    """The folder of the repository to work on, or its name in the settings."""

    kind: Literal["repo"]
    session: SessionId
    path: Annotated[str, StringConstraints(min_length=1, max_length=4096)]
    ref: Name = ""


class NewSession(Shape):
    """Nothing is needed to begin; ``place`` is the page's own id, so that asking twice begins one."""

    place: Annotated[str, StringConstraints(pattern=r"^[0-9a-f-]{36}$")] | None = None


class Dispatch(Shape):
    session: SessionId
    task: Name


Command = Annotated[Say | Tap | Repo, Field(discriminator="kind")]
COMMAND: TypeAdapter[Say | Tap | Repo] = TypeAdapter(Command)
SESSION_ID: TypeAdapter[str] = TypeAdapter(SessionId)
NEW_SESSION: TypeAdapter[NewSession] = TypeAdapter(NewSession)
DISPATCH: TypeAdapter[Dispatch] = TypeAdapter(Dispatch)


async def read(request: Request, shape: TypeAdapter[T]) -> T:
    """The body as ``shape``. Raises NotUnderstood; a body over 256 KiB is not read to its end."""
    body = await _body(request)
    try:
        return shape.validate_json(body)
    except ValidationError as error:
        raise _complaint(error, "body") from error


def query(request: Request, name: str, shape: TypeAdapter[T]) -> T:
    """A parameter of the address as ``shape``. Raises NotUnderstood naming it."""
    try:
        return shape.validate_python(request.query_params.get(name, ""))
    except ValidationError as error:
        raise NotUnderstood(422, "bad_shape", name, error.errors(include_input=False)[0]["msg"]) from error


async def _body(request: Request) -> bytes:
    length = request.headers.get("content-length", "0")
    if not length.isdecimal() or int(length) > BODY_BYTES:
        raise NotUnderstood(413, "too_large")
    found = bytearray()
    try:
        async with asyncio.timeout(BODY_S):
            async for chunk in request.stream():
                found += chunk
                if len(found) > BODY_BYTES:
                    raise NotUnderstood(413, "too_large")
    except TimeoutError as error:
        raise NotUnderstood(408, "too_slow") from error
    return bytes(found)


def _complaint(error: ValidationError, whole: str) -> NotUnderstood:
    """The first wrong field by the name it has in the body; values stay out of it."""
    first = error.errors(include_url=False, include_input=False)[0]
    place = [str(part) for part in first["loc"] if part not in ("say", "tap", "repo")]
    return NotUnderstood(422, "bad_shape", ".".join(place)[:120] or _discriminator(first["type"], whole), first["msg"])


def _discriminator(kind: str, whole: str) -> str:
    return "kind" if kind.startswith("union_tag") else whole
