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
_BASE64_LINES = rf"(?:{_BREAK}[A-Za-z0-9+/=]{{20,}}){{0,400}}(?:{_BREAK}[A-Za-z0-9+/]{{1,19}}={{1,2}})?"

# Each row: the kind that is said, texts of which one must occur for the row to be tried at all (that is quick), and a
# shape that its issuer documents or that secret scanners agree on. A prefix and a length make it; a lone run of hex or
# base64 is not a row, because commits, digests and ids look the same.
TOKENS: tuple[tuple[str, str, str], ...] = (
    ("private key", "-----BEGIN", rf"{_BEGIN}(?:(?!-----(?:BEGIN|END))[\s\S]){{0,20000}}{_END}"),
    ("private key", "-----BEGIN", rf"{_BEGIN}(?:{_BASE64_LINES})?"),  # its end is cut off
    ("aws", "AKIA ASIA AROA AIDA", r"\b(?:AKIA|ASIA|AROA|AIDA)[A-Z0-9]{16}\b"),
    ("github", "ghp_ gho_ ghu_ ghs_ ghr_", r"\bgh[pousr]_[A-Za-z0-9]{20,255}"),
    ("github", "github_pat_", r"\bgithub_pat_[A-Za-z0-9_]{20,255}"),
    ("gitlab", "gl", r"\bgl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|oas)-[A-Za-z0-9_.-]{20,255}"),
    ("slack", "xox xapp", r"\b(?:xox[abceoprs]|xapp)-[A-Za-z0-9-]{10,255}"),
    ("slack", "hooks.slack.com", r"https://hooks\.slack\.com/\w{1,20}/[\w/-]{20,255}"),
    ("discord", "", r"\b[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,64}"),
    ("discord", "/api/webhooks/", r"https://discord(?:app)?\.com/api/webhooks/\d{1,20}/[\w-]{20,255}"),
    ("anthropic", "sk-ant-", r"\bsk-ant-[A-Za-z0-9_-]{20,255}"),
    ("openai", "sk-", r"\bsk-(?=[A-Za-z_-]{0,60}\d)[A-Za-z0-9_-]{20,255}"),
    ("google", "AIza ya29.", r"\b(?:AIza[A-Za-z0-9_-]{35}|ya29\.[A-Za-z0-9_-]{20,255})"),
    ("stripe", "k_live_ k_test_", r"\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,255}"),
    ("npm", "npm_", r"\bnpm_[A-Za-z0-9]{36}\b"),
    ("pypi", "pypi-", r"\bpypi-[A-Za-z0-9_-]{50,255}"),
    ("hugging face", "hf_", r"\bhf_[A-Za-z0-9]{30,100}\b"),
    ("telegram", ":AA", r"\b\d{8,10}:AA[A-Za-z0-9_-]{32,40}\b"),
    ("sendgrid", "SG.", r"\bSG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,64}"),
    ("jwt", "eyJ", r"\beyJ[A-Za-z0-9_-]{8,4096}\.[A-Za-z0-9_-]{4,8192}(?:\.[A-Za-z0-9_-]{0,1024})?"),
    ("bearer", "earer EARER", r"(?i)\bbearer\s{1,3}(?=[A-Za-z._~+/=-]{0,200}\d)[A-Za-z0-9._~+/=-]{16,4096}"),
)

KEY_BEGIN = "-----BEGIN PRIVATE KEY-----"
_OPEN_KEY = re.compile(rf"{_BEGIN}(?:{_BREAK}[A-Za-z0-9+/=]{{20,}})*(?:{_BREAK}[A-Za-z0-9+/=]{{1,19}})?\s*\Z")
_KEY_END = re.compile(_END)
_KEY_CHARS = 16_384  # the longest RSA keys in use take 13,000 characters
_BACKWARD_BASE64 = re.compile(r"(?:(?:\s|[nr]\\){1,4}[A-Za-z0-9+/=]{4,}+)+")

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


class Clean(bytes):
    """An output that went through ``Redactor.data``: a long one is not read twice."""


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

    def data(self, data: bytes) -> Clean:
        """An output as UTF-8, plain and without secrets."""
        return data if isinstance(data, Clean) else Clean(self.text(data).encode())

    def _hide(self, text: str) -> str:
        for value in self.known:
            text = text.replace(value, "[secret: known]")
        for kind, hints, pattern in _TOKENS:
            if not hints or any(hint in text for hint in hints):
                text = pattern.sub(f"[secret: {kind}]", text)
        text = _hide_headless_keys(text)
        text = text if "://" not in text else _ADDRESS.sub(_keep_front("@"), text)
        text = _HEADER.sub(_keep_front(""), text)
        text = _OPTION.sub(_keep_front(""), text)
        return _ASSIGNED.sub(_assigned, text)


def ends_in_key(text: str) -> bool:
    """Whether ``text`` stops inside a private key, so that what follows it belongs to the key."""
    return bool(_OPEN_KEY.match(text, max(0, text.rfind("-----BEGIN"))))


def redactor(known: Collection[str]) -> Redactor:
    """A redactor for these values, longest first, so that one inside another leaves no rest."""
    forms = {form for value in known if len(value) >= 6 for form in _forms(value)}
    return Redactor(tuple(sorted(forms, key=lambda form: (-len(form), form))))


def _forms(value: str) -> tuple[str, ...]:
    encoded = base64.b64encode(value.encode("utf-8", "surrogateescape")).decode().rstrip("=")
    return value, quote(value, safe=""), encoded


def _hide_headless_keys(text: str) -> str:
    """Keys whose beginning is cut off: from an end mark back over lines of base64, at most ``_KEY_CHARS``."""
    parts: list[str] = []
    done = 0
    for end in _KEY_END.finditer(text):
        start = max(done, end.start() - _KEY_CHARS)
        lines = _BACKWARD_BASE64.match(text[start : end.start()][::-1])
        parts += [text[done : end.start() - (lines.end() if lines else 0)], "[secret: private key]"]
        done = end.end()
    return "".join([*parts, text[done:]])


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


_TOKENS = tuple((kind, hints.split(), re.compile(shape)) for kind, hints, shape in TOKENS)
