"""The shape of the settings: every name, its type, its default and one sentence about it.

The rule: this is the only list. The example files, the names that may appear in the environment and the texts about
wrong names are all made from it. Unknown names are refused, and values are never shown in an error: one may be a token.
"""

from __future__ import annotations

import getpass
import ipaddress
import re
import socket
import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr, StringConstraints, field_validator, model_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

ENV_PREFIX = "THREADLEAD_"
ENV_DELIMITER = "__"

Slug = Annotated[str, StringConstraints(pattern=r"^[a-z0-9-]{1,32}$")]
RepoName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9._-]{0,63}$")]


def hostname_slug() -> str:
    """This machine's name as a worker id: small letters, digits and dashes, at most 32."""
    return re.sub(r"[^a-z0-9]+", "-", socket.gethostname().split(".")[0].lower()).strip("-")[:32].strip("-") or "worker"


def default_data() -> Path:
    """``.data`` beside the source when run from a checkout of this project, else the user's data folder."""
    try:
        project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8")).get("project", {})
        in_checkout = project.get("name") == "threadlead"
    except (OSError, ValueError, AttributeError):
        in_checkout = False
    return Path.cwd() / ".data" if in_checkout else Path.home() / ".local" / "share" / "threadlead"


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach ``host``; a name other than ``localhost`` counts as reachable."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _user_name() -> str:
    """The account's name; containers may have a number without a name."""
    try:
        return getpass.getuser()[:64] or "owner"
    except (KeyError, OSError):
        return "owner"


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True, populate_by_name=True)


class Web(_Section):
    """The web console."""

    host: str = Field("127.0.0.1", min_length=1, description="Address the console listens on.")
    port: int = Field(7373, ge=1, le=65535, description="Port the console listens on.")
    token: SecretStr | None = Field(
        None,
        description="What a browser must know to get in. Left out, one is made and kept in <data>/console-token. "
        "Needed here, in so many words, when host is not this machine only.",
        examples=["a-long-random-text"],
    )
    person: str = Field(
        default_factory=_user_name,
        min_length=1,
        max_length=64,
        description="Who sits at the console: the name on decisions. Left out, the name of the account.",
        examples=["alice"],
    )
    open_host: str | None = Field(
        None,
        description="Host name people open the console by, used in links. Left out, the host above.",
        examples=["threadlead.example.org"],
    )

    @model_validator(mode="after")
    def _guard_open_door(self) -> Web:
        if not is_loopback(self.host) and (self.token is None or len(self.token.get_secret_value()) < 16):
            raise ValueError("an address other machines can reach needs web.token to be set, 16 characters or more")
        return self


class Worker(_Section):
    """This machine as a worker."""

    id: Slug = Field(
        default_factory=hostname_slug,
        description="Name of this worker, unlike any other's. Left out, made from the host name.",
        examples=["build-box"],
    )
    slots: int = Field(2, ge=0, le=64, description="How many attempts run at the same time.")
    manage_workers: int = Field(1, ge=0, le=16, description="Processes that read messages and make plans.")
    upkeep_workers: int = Field(1, ge=0, le=16, description="Processes that summarise, reconcile and sweep.")
    heartbeat_s: float = Field(2, gt=0, le=60, description="Seconds between two heartbeats.")
    lease_s: float = Field(
        10, gt=0, le=600, description="Seconds without a heartbeat after which the worker counts as lost."
    )

    @model_validator(mode="after")
    def _lease_outlasts_a_missed_beat(self) -> Worker:
        if self.lease_s < 2 * self.heartbeat_s:
            raise ValueError("lease_s must be at least twice heartbeat_s, or one late heartbeat loses the worker")
        return self


class Repo(_Section):
    """A repository that work may be done in."""

    path: str = Field(
        min_length=1,
        description="Folder of the repository, or the address to clone it from.",
        examples=["~/src/shop"],
    )
    base: str = Field("main", min_length=1, pattern=r"^[^-\s][^\s]*$", description="Branch that work starts from.")

    def folder(self) -> Path | None:
        """The local folder, absolute; None when ``path`` is an address such as ``git@host:x`` or ``https://…``."""
        if re.match(r"^([a-z][a-z0-9+.-]*://|[^/\s]+@[^/\s]+:)", self.path, re.IGNORECASE):
            return None
        return Path(self.path).expanduser().absolute()


class Deadlines(_Section):
    """How long things may take before somebody is told."""

    approval_minutes: int = Field(240, ge=1, description="An approval nobody answers expires after this.")


class Log(_Section):
    """What the processes write about themselves."""

    level: Literal["debug", "info", "warning", "error"] = Field("info", description="Least grave level written.")
    # Called `json` in files; a field of that name would hide a method every pydantic model has.
    as_json: bool = Field(False, alias="json", description="One JSON object a line instead of text.")


class Settings(BaseSettings):
    """Everything a process of Threadlead can be told. Frozen; ``load_settings`` reads it from files and environment."""

    model_config = SettingsConfigDict(
        env_prefix=ENV_PREFIX,
        env_nested_delimiter=ENV_DELIMITER,
        env_ignore_empty=True,
        extra="forbid",
        frozen=True,
        hide_input_in_errors=True,
    )

    workspace: Slug = Field("default", description="Keeps teams apart that share one Redis: part of every key.")
    data: Path = Field(
        default_factory=default_data,
        description="Folder for the embedded Redis, worktrees and the console's token.",
        examples=["~/.local/share/threadlead"],
    )
    redis_url: SecretStr | None = Field(
        None,
        description="Redis or Valkey to use (redis://, rediss:// or unix://). "
        "Left out, one is started in the data folder.",
        examples=["redis://localhost:6379/0"],
    )
    allow_volatile: bool = Field(
        False, description="Go on with a Redis that may forget (no append-only file, eviction on)."
    )
    language: Literal["auto", "en", "zh"] = Field(
        "auto", description="Language of cards and replies; auto follows the thread."
    )
    web: Web = Field(default_factory=Web, description="The web console.")
    worker: Worker = Field(default_factory=Worker, description="This machine as a worker.")
    deadlines: Deadlines = Field(
        default_factory=Deadlines, description="How long things may take before somebody is told."
    )
    log: Log = Field(default_factory=Log, description="What the processes write about themselves.")
    repos: dict[RepoName, Repo] = Field(
        default_factory=dict, description="Repositories that work may be done in, by a short name."
    )
    # Untyped here on purpose, like shell below: which harnesses there are is for jobs.harness.registry to know.
    agents: dict[str, dict[str, Any]] = Field(
        default_factory=dict,
        description="Agents that can be given work, by a short name; the first one gets it unless another is named. "
        "`threadlead agents` says what can stand here.",
    )
    # Untyped here on purpose: the policy belongs to jobs, which core may not import. A worker validates this table with
    # jobs.policy.rules.ShellPolicy when it starts, so its unknown keys are refused there.
    shell: dict[str, Any] = Field(
        default_factory=dict,
        description="Which shell commands run by themselves and which ask first. A list set here replaces the default "
        "one, so copy what should stay.",
    )

    @field_validator("data")
    @classmethod
    def _absolute(cls, data: Path) -> Path:
        return data.expanduser().absolute()

    @field_validator("redis_url")
    @classmethod
    def _known_scheme(cls, url: SecretStr | None) -> SecretStr | None:
        if url is not None and not url.get_secret_value().startswith(("redis://", "rediss://", "unix://")):
            raise ValueError("must start with redis://, rediss:// or unix://")
        return url

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Only what the caller passes: ``load_settings`` reads files and the environment, in one place."""
        return (init_settings,)
