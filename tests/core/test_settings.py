"""Settings: where they are read from, who wins, and what is said, without a secret, when they are wrong."""

from __future__ import annotations

import contextlib
import json
import re
import socket
import stat
import tomllib
import traceback
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as settings_of_hypothesis
from hypothesis import strategies as st
from pydantic import SecretStr, ValidationError

from bot.cli.show import whole_toml
from core.errors import Refused, Unavailable
from core.settings import (
    Repo,
    Settings,
    Web,
    console_token,
    environ_of,
    example_env,
    example_toml,
    is_loopback,
    load_settings,
)
from core.settings.model import default_data, hostname_slug
from core.settings.names import all_paths, env_name

ROOT = Path(__file__).parents[2]
SECRET = "hunter2-hunter2-hunter2"


@pytest.fixture(autouse=True)
def away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder and a home with nothing of ours in them."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def problems(environ: dict[str, str] | None = None) -> list[str]:
    with pytest.raises(Refused) as refusal:
        load_settings(environ or {})
    assert refusal.value.code == "bad_settings"
    assert SECRET not in "".join(traceback.format_exception(refusal.value))
    return str(refusal.value.params["problems"]).splitlines()


def test_with_nothing_written_the_defaults_hold() -> None:
    settings = load_settings({})
    assert (settings.workspace, settings.redis_url, settings.web.host, settings.web.port) == (
        "default",
        None,
        "127.0.0.1",
        7373,
    )
    assert settings.data == Path.home() / ".local/share/threadlead"
    assert settings.worker.id == hostname_slug()


def test_the_environment_wins_over_the_env_file_and_that_over_toml(away: Path) -> None:
    (away / "threadlead.toml").write_text('workspace = "toml"\nlanguage = "en"\n[web]\nport = 1\nhost = "::1"\n')
    (away / ".env").write_text("THREADLEAD_WORKSPACE=dotenv\nTHREADLEAD_WEB__PORT=2\n")
    settings = load_settings({"THREADLEAD_WORKSPACE": "environ"})
    assert (settings.workspace, settings.web.port, settings.web.host, settings.language) == ("environ", 2, "::1", "en")


def test_toml_is_looked_for_where_named_then_here_then_in_the_data_folder(away: Path, tmp_path: Path) -> None:
    data, named = tmp_path / "data", tmp_path / "named.toml"
    data.mkdir()
    environ = {"THREADLEAD_DATA": str(data)}
    (data / "threadlead.toml").write_text('workspace = "in-data"\n')
    assert load_settings(environ).workspace == "in-data"
    (away / "threadlead.toml").write_text('workspace = "in-here"\n')
    assert load_settings(environ).workspace == "in-here"
    named.write_text('workspace = "named"\n')
    assert load_settings({**environ, "THREADLEAD_CONFIG": str(named)}).workspace == "named"


def test_redis_url_may_be_called_as_hosting_platforms_call_it(away: Path) -> None:
    def url(environ: dict[str, str]) -> str | None:
        found = load_settings(environ).redis_url
        return found.get_secret_value() if found else None

    assert url({"REDIS_URL": "redis://one"}) == "redis://one"
    assert url({"REDIS_URL": "redis://one", "THREADLEAD_REDIS_URL": "redis://two"}) == "redis://two"
    assert url({"REDIS_URL": ""}) is None
    (away / ".env").write_text("REDIS_URL=redis://three\n")
    assert url({}) == "redis://three"
    assert url({"REDIS_URL": "redis://one"}) == "redis://one"


def test_repositories_are_written_in_toml_or_in_the_environment(away: Path) -> None:
    (away / "threadlead.toml").write_text('[repos.shop]\npath = "~/src/shop"\n')
    repos = load_settings({"THREADLEAD_REPOS__API__PATH": "git@example.org:api.git"}).repos
    assert repos == {"shop": Repo(path="~/src/shop"), "api": Repo(path="git@example.org:api.git", base="main")}
    assert repos["shop"].folder() == Path.home() / "src/shop"
    assert repos["api"].folder() is None
    assert Repo(path="https://example.org/x.git").folder() is None


def test_the_shell_table_is_carried_as_it_is(away: Path) -> None:
    (away / "threadlead.toml").write_text('[shell]\nask = ["sudo"]\n[shell.deep]\nx = 1\n')
    assert load_settings({}).shell == {"ask": ["sudo"], "deep": {"x": 1}}


def test_settings_built_by_hand_read_nothing(away: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (away / ".env").write_text("THREADLEAD_WORKSPACE=dotenv\n")
    monkeypatch.setenv("THREADLEAD_WORKSPACE", "environ")
    assert Settings().workspace == "default"


def test_settings_do_not_change() -> None:
    settings = Settings()
    with pytest.raises(ValidationError):
        settings.workspace = "other"  # type: ignore[misc]  # that it is refused is the test
    with pytest.raises(ValidationError):
        settings.web.port = 1  # type: ignore[misc]


@pytest.mark.parametrize(
    ("toml", "said"),
    [
        ("port = 1", "port is not a setting. Did you mean web.port?"),
        ("[web]\nprot = 1", "web.prot is not a setting. Did you mean web.port?"),
        ("[wbe]\nport = 1", "wbe is not a setting. Did you mean web?"),
        ("[log]\njsno = true", "log.jsno is not a setting. Did you mean log.json?"),
        ('[repos.shop]\npath="x"\nbsae = "m"', "repos.shop.bsae is not a setting. Did you mean repos.shop.base?"),
        ("zzzzzz = 1", "zzzzzz is not a setting. Remove it, or see threadlead.toml.example for every name."),
    ],
)
def test_an_unknown_name_in_toml_is_refused_with_the_nearest_known_one(toml: str, said: str, away: Path) -> None:
    (away / "threadlead.toml").write_text(toml + "\n")
    assert problems() == [f"{away / 'threadlead.toml'}: {said}"]


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("THREADLEAD_WEB_PORT", "THREADLEAD_WEB__PORT"),
        ("THREADLEAD_WEB__PROT", "THREADLEAD_WEB__PORT"),
        ("THREADLEAD_WORKSPCE", "THREADLEAD_WORKSPACE"),
        ("THREADLAED_WORKSPACE", "THREADLEAD_WORKSPACE"),
        ("TREADLEAD_WORKSPACE", "THREADLEAD_WORKSPACE"),
        ("THREADLEAD_REDISURL", "THREADLEAD_REDIS_URL"),
    ],
)
def test_an_unknown_name_in_the_environment_or_env_file_is_refused(name: str, meant: str, away: Path) -> None:
    assert problems({name: SECRET}) == [f"environment: {name} is not a setting. Did you mean {meant}?"]
    (away / ".env").write_text(f"{name}={SECRET}\n")
    assert problems() == [f".env: {name} is not a setting. Did you mean {meant}?"]


def test_names_of_other_programs_pass(away: Path) -> None:
    (away / ".env").write_text("DATABASE_URL=postgres://x\nTHREADS=4\nREDIS_HOST=x\nDEBUG\n")
    assert load_settings({"PATH": "/bin", "THREADPOOL_SIZE": "3"}).workspace == "default"


@pytest.mark.parametrize(
    ("environ", "said"),
    [
        ({"THREADLEAD_WEB__PORT": SECRET}, "THREADLEAD_WEB__PORT: must be a valid integer"),
        ({"THREADLEAD_WEB__PORT": "70000"}, "THREADLEAD_WEB__PORT: must be less than or equal to 65535"),
        ({"THREADLEAD_WORKSPACE": SECRET + "!"}, "THREADLEAD_WORKSPACE: String must match"),
        ({"THREADLEAD_LANGUAGE": SECRET}, "THREADLEAD_LANGUAGE: must be 'auto', 'en' or 'zh'"),
        ({"THREADLEAD_WEB": SECRET}, "THREADLEAD_WEB must be a JSON object."),
        ({"THREADLEAD_REPOS__SHOP": SECRET}, "THREADLEAD_REPOS__SHOP: must be a valid dictionary"),
        ({"THREADLEAD_REPOS__SHOP__BASE": "main"}, "THREADLEAD_REPOS__SHOP__PATH is missing."),
        ({"REDIS_URL": f"http://{SECRET}"}, "REDIS_URL: must start with redis://"),
        ({"THREADLEAD_CONFIG": SECRET}, "THREADLEAD_CONFIG names no file"),
        ({"THREADLEAD_WORKER__LEASE_S": "3"}, "THREADLEAD_WORKER: lease_s must be at least twice heartbeat_s"),
        ({"THREADLEAD_REPOS": '{"-x": {"path": "y"}}'}, "THREADLEAD_REPOS__-X: String must match"),
    ],
)
def test_a_wrong_value_is_said_by_its_name_and_never_repeated(environ: dict[str, str], said: str) -> None:
    [line] = problems({"THREADLEAD_WEB__TOKEN": SECRET, **environ})
    assert line.startswith(f"environment: {said}")


def test_everything_wrong_is_said_at_once_each_where_it_was_written(away: Path) -> None:
    (away / "threadlead.toml").write_text(f'workspace = "{SECRET}!"\ncolour = 1\n')
    (away / ".env").write_text("THREADLEAD_LOG__LEVEL=loud\n")
    places = [line.split(": ")[0] for line in problems({"THREADLEAD_WEB__PORT": "0"})]
    assert sorted(places) == sorted([*[str(away / "threadlead.toml")] * 2, ".env", "environment"])


@pytest.mark.parametrize(
    ("content", "said"),
    [(b"a = = 1\n", "is not valid TOML"), (b"\xff\xfe", "cannot be read as UTF-8 text"), (b"x\n", "is not valid TOML")],
)
def test_a_toml_file_that_cannot_be_read_is_said(content: bytes, said: str, away: Path) -> None:
    (away / "threadlead.toml").write_bytes(content)
    [line] = problems()
    assert said in line


def test_a_hostile_name_is_shown_on_one_line_and_bounded(away: Path) -> None:
    (away / "threadlead.toml").write_text('"a\\u001b[31m\\nb' + "x" * 500 + '" = 1\n')
    [line] = problems()
    assert "\x1b" not in line
    assert len(line) < 400


@settings_of_hypothesis(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(st.text(max_size=8), st.text(max_size=8) | st.integers() | st.booleans(), max_size=3))
def test_no_table_of_any_kind_ends_in_anything_but_a_refusal(table: dict[str, Any]) -> None:
    for value in (table, {"x": table}):
        environ = {f"THREADLEAD_{name}": json.dumps(value) for name in ("WEB", "WORKER", "REPOS", "SHELL")}
        with contextlib.suppress(Refused):
            load_settings(environ)


def test_a_name_that_would_steer_the_settings_library_is_refused(away: Path) -> None:
    (away / "threadlead.toml").write_text('_env_file = "elsewhere"\n_cli_parse_args = true\n')
    assert [line.split(": ")[1] for line in problems()] == [
        "_env_file is not a setting. Remove it.",
        "_cli_parse_args is not a setting. Remove it.",
    ]


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.1", "::", "example.org"])  # noqa: S104  refused, not listened on
def test_a_console_others_can_reach_needs_a_token_written_by_a_person(host: str) -> None:
    [line] = problems({"THREADLEAD_WEB__HOST": host})
    assert line.startswith("environment: THREADLEAD_WEB: an address other machines can reach needs web.token")
    assert problems({"THREADLEAD_WEB__HOST": host, "THREADLEAD_WEB__TOKEN": "short"})
    web = load_settings({"THREADLEAD_WEB__HOST": host, "THREADLEAD_WEB__TOKEN": SECRET}).web
    assert web.host == host


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.9.9.9", "::1"])
def test_this_machines_own_addresses_need_none(host: str) -> None:
    assert is_loopback(host)
    assert Web(host=host).token is None


def test_no_secret_is_shown_by_printing_settings() -> None:
    settings = Settings(redis_url=SecretStr(f"redis://:{SECRET}@x"), web={"token": SECRET})
    assert SECRET not in f"{settings!r}{settings}{settings.model_dump_json()}"


def test_children_given_the_environment_read_the_same_settings(tmp_path: Path) -> None:
    settings = Settings(  # noqa: S604  its shell is a table of settings
        data=tmp_path / "d",
        redis_url=SecretStr("unix:///x"),
        allow_volatile=True,
        web={"token": SECRET, "port": 1},
        worker={"id": "box", "heartbeat_s": 0.5},
        log={"json": True},
        repos={"shop.v2": {"path": "/src"}},
        shell={"ask": ["sudo"], "deep": {"x": 1}},
    )
    assert load_settings(environ_of(settings)) == settings
    assert load_settings(environ_of(Settings())) == Settings()


def test_every_setting_is_described() -> None:
    for model in (Settings, *(f.annotation for f in Settings.model_fields.values()), Repo):
        for name, field in getattr(model, "model_fields", {}).items():
            assert field.description, f"{model}.{name}"


@pytest.mark.parametrize(("file", "made"), [("threadlead.toml.example", whole_toml), (".env.example", example_env)])
def test_the_example_files_are_what_the_model_makes(file: str, made: Any) -> None:
    """When this fails: write what the function returns to the file."""
    assert (ROOT / file).read_text(encoding="utf-8") == made()


def test_the_toml_example_uncommented_is_valid_and_complete(away: Path) -> None:
    text = re.sub(r"^# (?=\[|\w+ = )", "", whole_toml(), flags=re.MULTILINE)
    (away / "threadlead.toml").write_text(text)
    written = tomllib.loads(text)
    load_settings({})
    for path in all_paths():
        table: Any = written
        for part in path:
            table = table["shop" if part == "{name}" else part]


def test_the_env_example_uncommented_is_valid_and_complete(away: Path) -> None:
    text = re.sub(r"^# (?=[A-Z_]+=)", "", example_env(), flags=re.MULTILINE)
    (away / ".env").write_text(text.replace("THREADLEAD_CONFIG=/etc/threadlead.toml\n", ""))
    assert load_settings({}).web.port == 7373
    sections = {path[:1] for path in all_paths() if len(path) > 1}
    for path in all_paths():
        if path not in sections and path != ("repos", "{name}"):
            assert f"\n# {env_name(path).replace('{NAME}', 'SHOP')}=" in example_env()


def test_the_examples_as_they_are_change_nothing(away: Path) -> None:
    (away / "threadlead.toml").write_text(example_toml())
    (away / ".env").write_text(example_env())
    assert load_settings({}) == Settings()


def test_data_is_beside_the_source_in_a_checkout_only(away: Path) -> None:
    (away / "pyproject.toml").write_text('[project]\nname = "threadlead"\n')
    assert default_data() == away / ".data"
    for other in ('[project]\nname = "shop"\n', "not toml [", "project = 1\n"):
        (away / "pyproject.toml").write_text(other)
        assert default_data() == Path.home() / ".local/share/threadlead"


@pytest.mark.parametrize(
    ("host", "slug"),
    [("Build_Box.example.org", "build-box"), ("---", "worker"), ("a" * 80, "a" * 32), ("机器", "worker")],
)
def test_a_workers_id_is_made_from_any_host_name(host: str, slug: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "gethostname", lambda: host)
    assert Settings().worker.id == slug


def test_two_processes_that_make_the_token_at_once_get_the_same_one(tmp_path: Path) -> None:
    settings = Settings(data=tmp_path / "data")
    with ThreadPoolExecutor(8) as pool:
        tokens = {token.get_secret_value() for token in pool.map(console_token, [settings] * 32)}
    assert len(tokens) == 1
    assert len(tokens.pop()) >= 32
    assert [path.name for path in settings.data.iterdir()] == ["console-token"]


def test_a_token_others_could_read_is_closed_and_an_empty_one_is_made_anew(tmp_path: Path) -> None:
    settings, kept = Settings(data=tmp_path), tmp_path / "console-token"
    kept.touch(mode=0o644)
    token = console_token(settings).get_secret_value()
    assert kept.read_text().strip() == token
    kept.chmod(0o644)
    assert console_token(settings).get_secret_value() == token
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600


def test_a_token_in_the_settings_is_the_one_and_nothing_is_written(tmp_path: Path) -> None:
    settings = Settings(data=tmp_path, web={"token": SECRET})
    assert console_token(settings).get_secret_value() == SECRET
    assert list(tmp_path.glob("console-token")) == []


def test_a_data_folder_that_cannot_hold_the_token_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(Unavailable) as failure:
        console_token(Settings(data=tmp_path / "file"))
    assert failure.value.code == "data_unwritable"
