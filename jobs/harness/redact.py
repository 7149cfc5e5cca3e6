"""Takes secrets out of text before it is stored: a log that only grows cannot forget.

Promise: values we know, and texts with the shape of a credential, are replaced by ``[secret: kind]``; doing it twice
changes nothing. The cost grows with the length of the text only, whatever an agent prints: no row of the table looks
back over an unbounded stretch.

Where the promise ends: a secret that looks like any word and that nobody named cannot be told from a word, and an
agent that wants to hide one (reversed, in pieces) can. What an agent must not see is not given to it in the first
place (``environment.py``).
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from urllib.parse import quote

from jobs.harness.plain import plain, reveal

_END = r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
_BEGIN = r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
_BREAK = r"(?:\s|\\[nr]){1,4}"
_BASE64_LINES = rf"(?:{_BREAK}[A-Za-z0-9+/=]{{20,}}){{1,400}}"

# Each row: the kind that is said, and a shape that its issuer documents or that secret scanners agree on. A prefix and
# a length make it; a lone run of hex or base64 is not a row, because commits, digests and ids look the same.
TOKENS: tuple[tuple[str, str], ...] = (
    ("private key", rf"{_BEGIN}(?:(?!-----(?:BEGIN|END))[\s\S]){{0,20000}}{_END}"),
    ("private key", rf"{_BEGIN}(?:{_BASE64_LINES})?"),  # its end is cut off
    ("private key", rf"[A-Za-z0-9+/=]{{20,200}}(?:{_BREAK}[A-Za-z0-9+/=]{{4,200}}){{0,400}}{_BREAK}{_END}"),
    ("aws", r"\b(?:AKIA|ASIA|AROA|AIDA)[A-Z0-9]{16}\b"),
    ("github", r"\b(?:gh[pousr]_[A-Za-z0-9]{20,255}|github_pat_[A-Za-z0-9_]{20,255})"),
    ("gitlab", r"\bgl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|oas)-[A-Za-z0-9_.-]{20,255}"),
    ("slack", r"\b(?:xox[abceoprs]|xapp)-[A-Za-z0-9-]{10,255}|https://hooks\.slack\.com/\w{1,20}/[\w/-]{20,255}"),
    (
        "discord",
        r"\b[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,64}|https://discord(?:app)?\.com/api/webhooks/\d+/[\w-]{20,255}",
    ),
    ("anthropic", r"\bsk-ant-[A-Za-z0-9_-]{20,255}"),
    ("openai", r"\bsk-(?=[A-Za-z_-]{0,60}\d)[A-Za-z0-9_-]{20,255}"),
    ("google", r"\bAIza[A-Za-z0-9_-]{35}|\bya29\.[A-Za-z0-9_-]{20,255}"),
    ("stripe", r"\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,255}"),
    ("npm", r"\bnpm_[A-Za-z0-9]{36}\b"),
    ("pypi", r"\bpypi-[A-Za-z0-9_-]{50,255}"),
    ("hugging face", r"\bhf_[A-Za-z0-9]{30,100}\b"),
    ("telegram", r"\b\d{8,10}:AA[A-Za-z0-9_-]{32,40}\b"),
    ("sendgrid", r"\bSG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,64}"),
    ("jwt", r"\beyJ[A-Za-z0-9_-]{8,4096}\.[A-Za-z0-9_-]{4,8192}(?:\.[A-Za-z0-9_-]{0,1024})?"),
    ("bearer", r"(?i)\bbearer\s{1,3}(?=[A-Za-z._~+/=-]{0,200}\d)[A-Za-z0-9._~+/=-]{16,4096}"),
)

_ADDRESS = re.compile(r"(?i)\b([a-z][a-z0-9+.-]{1,20}://[^\s/@:\"'<>]{0,256}:)([^\s/@\"'<>]{1,256})@")
_HEADER = re.compile(
    r"(?i)\b((?:proxy-)?authorization[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?:\w{1,20}\s{1,3})?)([^\s\"'\[]{6,}+)"
)
_NAMES = r"(?:pass(?:word|wd|phrase)|secret(?:[_-]?access)?(?:[_-]?key)?|token|(?:api|access|private|auth)[_-]?key)"
_OPTION = re.compile(rf"(?i)((?<![\w-])--?[\w-]{{0,30}}{_NAMES}\s{{1,3}})([^\s\"'\[-][^\s\"']{{3,}}+)")
_ASSIGNED = re.compile(
    rf"(?i)({_NAMES}[\"']?)(\s{{0,3}}(?:=>|:=|[:=])\s{{0,3}})"
    r"(\"[^\"\n]{4,}+\"|'[^'\n]{4,}+'|[^\s\"'`,;&<>(){}\[\]|]{4,}+(?![(\[]))"
)
# What stands beside such a name and is no secret: nothing, a variable, a place holder, a type.
_HARMLESS = re.compile(
    r"(?i)[\"']?(?:none|null|true|false|undefined|str(?:ing)?|bytes|required|optional|hidden|redacted|changeme|example"
    r"|\$.*|\{.*\}|%.*|<.*|\*+|\.+|x{3,}|your[_ -].*|(?:self|os|env|process|settings|config|secrets)\..*)[\"']?"
)


@dataclass(frozen=True, slots=True)
class Redactor:
    """Hides ``known`` values (six characters or more, also URL-quoted or in base64) and every shape of the table."""

    known: tuple[str, ...] = ()

    def text(self, text: str | bytes) -> str:
        """``text`` made plain and without secrets."""
        return self._hide(plain(text))

    def shown(self, text: str) -> str:
        """``text`` a person decides on: secrets hidden, everything else visible as it is."""
        return reveal(self._hide(text))

    def data(self, data: bytes) -> bytes:
        """An output as UTF-8, plain and without secrets."""
        return self.text(data).encode()

    def _hide(self, text: str) -> str:
        for value in self.known:
            text = text.replace(value, "[secret: known]")
        for kind, pattern in _TOKENS:
            text = pattern.sub(f"[secret: {kind}]", text)
        text = _ADDRESS.sub(_keep_front("@"), text)
        text = _HEADER.sub(_keep_front(""), text)
        text = _OPTION.sub(_keep_front(""), text)
        return _ASSIGNED.sub(_assigned, text)


def redactor(known: Collection[str]) -> Redactor:
    """A redactor for these values, longest first, so that one inside another leaves no rest."""
    forms = {form for value in known if len(value) >= 6 for form in _forms(value)}
    return Redactor(tuple(sorted(forms, key=lambda form: (-len(form), form))))


def _forms(value: str) -> tuple[str, ...]:
    encoded = base64.b64encode(value.encode("utf-8", "surrogateescape")).decode().rstrip("=")
    return value, quote(value, safe=""), encoded


def _keep_front(end: str) -> Callable[[re.Match[str]], str]:
    def hide(found: re.Match[str]) -> str:
        return found[0] if _HARMLESS.fullmatch(found[2]) else f"{found[1]}[secret]{end}"

    return hide


def _assigned(found: re.Match[str]) -> str:
    """``password=hunter2`` is hidden; ``token: Token`` and ``token = get`` are code and stay."""
    name, sign, value = found[1], found[2], found[3]
    quoted = value[0] in "\"'"
    written_tight = sign == "="
    # A quoted text under such a name is a value; unquoted, code and prose put words there and a secret has a digit.
    if _HARMLESS.fullmatch(value) or not (quoted or written_tight or any(sign.isdigit() for sign in value)):
        return found[0]
    if value.strip("\"'").lower() == name.strip("\"'").lower() or value.startswith(("'[secret", '"[secret')):
        return found[0]
    return f"{name}{sign}{value[0]}[secret]{value[0]}" if quoted else f"{name}{sign}[secret]"


_TOKENS = tuple((kind, re.compile(shape)) for kind, shape in TOKENS)
