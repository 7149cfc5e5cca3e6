"""Secrets leave no text; code that only talks about them stays readable."""

from __future__ import annotations

import base64
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs.harness.redact import Clean, ends_in_key, redactor

R = redactor(["opensesame", "tiny"])

# In two parts, so that no scanner takes this file for a leak.
KEY = "-----BEGIN RSA " + "PRIVATE KEY-----\n" + ("MIIEow" + "A1b2" * 14 + "\n") * 3 + "c2hvcnQ=\n"
KEY_END = "-----END RSA " + "PRIVATE KEY-----"

SHAPES = {
    "aws": "AKIA" + "ABCDEFGH12345678",
    "github": "ghp_" + "a1B2c3D4e5" * 4,
    "github fine": "github_pat_" + "11ABCDEFG0_a1B2c3D4e5f6G7h8",
    "gitlab": "glpat-" + "a1B2c3D4e5f6G7h8i9J0",
    "slack": "xoxb-" + "1234567890-abcdefABCDEF",
    "slack hook": "https://hooks.slack.com/services/" + "T000/B000/" + "a1B2c3D4e5f6G7h8",
    "discord": "MTIzNDU2Nzg5MDEyMzQ1Njc4" + ".GabcDe." + "a1B2c3D4e5f6G7h8i9J0k1L2m3N4",
    "discord hook": "https://discord.com/api/webhooks/" + "123456/" + "a1B2c3D4e5f6G7h8i9J0",
    "anthropic": "sk-ant-" + "api03-a1B2c3D4e5f6G7h8",
    "openai": "sk-proj-" + "a1B2c3D4e5f6G7h8",
    "google": "AIza" + "a1B2c3D4e5f6G7h8i9J0k1L2m3N4o5P6q7R",
    "stripe": "sk_live_" + "a1B2c3D4e5f6G7h8",
    "npm": "npm_" + "a1B2c3D4e5f6G7h8i9J0k1L2m3N4o5P6q7R8",
    "pypi": "pypi-" + "AgEIcHlwaS5vcmc" * 4,
    "hugging face": "hf_" + "a1B2c3D4e5f6G7h8i9J0k1L2m3N4o5",
    "telegram": "1234567890:AA" + "a1B2c3D4e5f6G7h8i9J0k1L2m3N4o5P6q",
    "sendgrid": "SG." + "a1B2c3D4e5f6G7h8i9J0ab." + "a1B2c3D4e5f6G7h8i9J0k1L2m3N4o5P6q7R8s9T0u1V",
    "jwt": "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0NSJ9." + "dBjftJeZ4CVP-mB92K27uhbUJU1p1r",
}

# A line, and the part of it that must go.
WRITTEN = [
    ("password=hunter22", "hunter22"),
    ("PGPASSWORD=correcthorse psql", "correcthorse"),
    ("DB_PASSWORD: 'abcd efgh'", "abcd efgh"),
    ('{"access_token": "abcdefgh"}', "abcdefgh"),
    ("api-key => k3yk3yk3y", "k3yk3yk3y"),
    ("aws_secret_access_key = abcd/1234+efgh", "abcd/1234+efgh"),
    ("https://bob:pa55word@example.org/x", "pa55word"),
    ("redis://:pa55word@db:6379", "pa55word"),
    ("Authorization: Bearer abcdefgh1234567890", "abcdefgh1234567890"),
    ("authorization: Basic YWxpY2U6cGFzcw==", "YWxpY2U6cGFzcw=="),
    ("curl -H 'Authorization: token abcdefgh'", "abcdefgh"),
    ("tool --api-key abcd1234", "abcd1234"),
    ("mysql --password sesame22", "sesame22"),
    ("say opensesame twice: opensesame", "opensesame"),
    ("user:" + base64.b64encode(b"opensesame").decode(), base64.b64encode(b"opensesame").decode()[:12]),
]

HARMLESS = [
    "def login(password: str, token: Token | None = None) -> bool:",
    "token = get_token(request)",
    "client(token=token, password=self.password)",
    "token=${TOKEN} password={password} secret=<your secret>",
    "total_tokens=12345 tokens: 99",
    "test_password_reset PASSED",
    "the token authentication-method-is-described-here",
    "git@github.com:alice/shop.git and https://example.org/a:b@c",
    "commit 9f3c21aa9f3c21aa9f3c21aa9f3c21aa9f3c21aa",
    "class sk-fading-circle-container and task-force-something-long",
    "PASSWORD=changeme",
    "--password-file /run/secrets",
    "tiny",
]


@pytest.mark.parametrize("kind", SHAPES)
def test_a_token_is_known_by_its_shape(kind: str) -> None:
    hidden = R.text(f"before {SHAPES[kind]} after")
    assert hidden == f"before [secret: {kind.split()[0] if kind != 'hugging face' else kind}] after"


@pytest.mark.parametrize(("line", "part"), WRITTEN)
def test_a_secret_is_known_by_what_stands_before_it(line: str, part: str) -> None:
    hidden = R.text(line)
    assert part not in hidden
    assert "[secret" in hidden
    assert R.text(hidden) == hidden


@pytest.mark.parametrize("line", HARMLESS)
def test_code_and_prose_stay_readable(line: str) -> None:
    assert R.text(line) == line


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (f"a\n{KEY}{KEY_END}\nb", "a\n[secret: private key]\nb"),
        (f"a\n{KEY}b c", "a\n[secret: private key]\nb c"),
        ("it is\n" + KEY.partition("\n")[2] + KEY_END + "\nb", "it is\n[secret: private key]\nb"),
        ('{"key": "' + (KEY + KEY_END).replace("\n", "\\n") + '"}', '{"key": "[secret: private key]"}'),
    ],
)
def test_a_private_key_goes_as_a_whole_even_with_an_end_cut_off(text: str, wanted: str) -> None:
    assert R.text(text) == wanted


def test_a_text_that_stops_inside_a_key_is_known() -> None:
    assert ends_in_key("a\n" + KEY)
    assert not ends_in_key("a\n" + KEY + KEY_END)
    assert not ends_in_key("a\n" + KEY + "and on it goes\n")
    assert not ends_in_key("nothing")


def test_colours_inside_a_token_do_not_hide_it() -> None:
    token = SHAPES["github"]
    assert R.text(f"{token[:9]}\x1b[1m\u200b{token[9:]}") == "[secret: github]"


def test_an_output_stays_bytes_and_is_read_once() -> None:
    clean = R.data(b"password=hunter22 \xff")
    assert clean == "password=[secret] \ufffd".encode()
    assert isinstance(clean, Clean)
    assert R.data(clean) is clean


def test_a_command_to_decide_on_shows_what_is_hidden_but_no_secret() -> None:
    assert R.shown("curl -u x:opensesame \u202eevil") == "curl -u x:[secret: known] <U+202E>evil"


@given(st.lists(st.sampled_from([*SHAPES.values(), *(line for line, _ in WRITTEN), KEY, KEY_END, "x", "\n", '"', "="])))
def test_redacting_twice_changes_nothing(parts: list[str]) -> None:
    once = R.text(" ".join(parts))
    assert R.text(once) == once


@pytest.mark.parametrize(
    "piece",
    ["a", "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", "A" * 64 + "\n", "eyJaaaaaaaa.", 'password="', "-a", "a://",
     "1234567890", "M" * 27 + ".", "bearer ", "authorization:", "\x1b]", "token=", "://a:", "sk-" + "a" * 60],
)  # fmt: skip
def test_no_text_takes_long(piece: str) -> None:
    """Ten times the usual is allowed; a pattern that looks back over everything takes minutes."""
    began = time.process_time()
    R.text(piece * (500_000 // len(piece)))
    assert time.process_time() - began < 3
