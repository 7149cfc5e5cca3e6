"""Settings: one frozen value, read once when a process starts and then passed in.

``load_settings`` reads the environment, ``.env`` and ``threadlead.toml``; building ``Settings(...)`` by hand reads
nothing at all, so a test or an embedding program gets exactly what it wrote.
"""

from core.settings.environ import environ_of
from core.settings.example import example_env, example_toml
from core.settings.load import load_settings
from core.settings.model import Deadlines, Log, Repo, Settings, Web, Worker, is_loopback
from core.settings.token import console_token

__all__ = [
    "Deadlines",
    "Log",
    "Repo",
    "Settings",
    "Web",
    "Worker",
    "console_token",
    "environ_of",
    "example_env",
    "example_toml",
    "is_loopback",
    "load_settings",
]
