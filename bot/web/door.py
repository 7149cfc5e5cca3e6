"""Who gets in, checked before any route is asked: host name, origin, token; and the headers every answer carries.

The rule: nothing changes anything unless the console's own page, or a program that knows the token, asked for it. A page
of another site (or of another port of this machine) is refused even when the browser sends our cookie along.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from core.settings.model import Web

CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
HEADERS = {
    "Content-Security-Policy": CSP,
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
PROBES = frozenset({"/healthz", "/readyz"})  # asked by whatever name or address the prober has; they tell nothing
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True, slots=True)
class Door:
    """``hosts`` are the names the console answers to; anything else may be another site's name for this address."""

    token: str = field(repr=False)
    hosts: frozenset[str]

    def knows(self, token: str) -> bool:
        return hmac.compare_digest(token.encode("utf-8", "replace"), self.token.encode())

    def pass_(self) -> str:
        """What the cookie holds: made from the token, so that the token itself is not in the browser."""
        return hmac.new(self.token.encode(), b"threadlead console", hashlib.sha256).hexdigest()

    def signed_in(self, headers: Headers) -> bool:
        scheme, _, bearer = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            return self.knows(bearer.strip())
        shown = _cookie(headers, cookie_name(headers))
        return hmac.compare_digest(shown.encode("utf-8", "replace"), self.pass_().encode())


def hosts_of(web: Web) -> frozenset[str]:
    named = {web.host, web.open_host or ""} - {"", "0.0.0.0", "::"}  # noqa: S104  recognised, not listened on
    return frozenset(name.lower().strip("[]") for name in named) | LOOPBACK


def cookie_name(headers: Headers) -> str:
    """One a port: browsers keep one cookie jar for all ports of a machine."""
    return f"threadlead-{_split(headers.get('host', ''))[1] or 'web'}"


def _cookie(headers: Headers, name: str) -> str:
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(name)
    except CookieError:
        return ""
    return found.value if found else ""


def _split(netloc: str) -> tuple[str, str]:
    """Host without brackets, and port, of a Host header."""
    try:
        parts = urlsplit(f"//{netloc}")
        return (parts.hostname or "").lower(), str(parts.port or "")
    except ValueError:
        return "", ""


def objection(door: Door, method: str, path: str, headers: Headers) -> tuple[int, str] | None:
    """Status and code of the first rule the request breaks; None for a request that may go on."""
    if path in PROBES:
        return None
    if _split(headers.get("host", ""))[0] not in door.hosts:
        return 421, "unknown_host"
    inside = path.startswith("/api/") or path == "/metrics"
    if inside and _from_elsewhere(headers):
        return 403, "other_origin"
    if inside and not door.signed_in(headers):
        return 401, "not_signed_in"
    if method not in ("GET", "HEAD"):
        return _writing(headers)
    return None


def _from_elsewhere(headers: Headers) -> bool:
    """What the browser itself says about who asks. Programs send neither header."""
    if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        return True
    origin = headers.get("origin")
    return origin is not None and urlsplit(origin).netloc.lower() != headers.get("host", "").lower()


def _writing(headers: Headers) -> tuple[int, str] | None:
    """Every browser names its origin when it posts; only a program that sent the token itself may leave it out."""
    by_program = headers.get("authorization", "").lower().startswith("bearer ")
    if not by_program and "origin" not in headers and headers.get("sec-fetch-site") != "same-origin":
        return 403, "other_origin"
    if headers.get("content-type", "").split(";")[0].strip().lower() != "application/json":
        return 415, "not_json"
    return None


@dataclass(frozen=True, slots=True)
class Guard:
    """The middleware around the whole application."""

    app: ASGIApp
    door: Door

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def sealed(message: Message) -> None:
            if message["type"] == "http.response.start":
                _seal(MutableHeaders(scope=message), scope["path"])
            await send(message)

        refused = objection(self.door, scope["method"], scope["path"], Headers(scope=scope))
        answer: ASGIApp = self.app if refused is None else _refusal(*refused)
        await answer(scope, receive, sealed)


def _seal(headers: MutableHeaders, path: str) -> None:
    for name, value in HEADERS.items():
        headers.setdefault(name, value)
    headers.setdefault("Cache-Control", "no-cache" if path.startswith("/static/") else "no-store")


TEXTS: Mapping[str, str] = {
    "unknown_host": "This console does not answer to that host name. Set web.open_host to the name people use.",
    "other_origin": "Only the console's own page may ask that.",
    "not_signed_in": "Open the link that `threadlead up` printed.",
    "not_json": "Send application/json.",
}


def _refusal(status: int, code: str) -> Response:
    return JSONResponse({"code": code, "text": TEXTS[code]}, status)
