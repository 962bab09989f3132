import json
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from minutehand.adapters.memory import MemoryDefinitions
from minutehand.cli.command import Session
from minutehand.cli.main import app
from minutehand.client import Client
from minutehand.usecases.ports.job_change import Change
from tests.support.api_server import NOW, TOKEN, ApiServer
from tests.support.fixtures import api, api_server

__all__ = ["NOW", "api", "api_server"]

Cli = Callable[..., Result]


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test in a folder of its own, with nothing configured."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    for name in ("MINUTEHAND_URL", "MINUTEHAND_TOKEN", "MINUTEHAND_CONTEXT", "COLUMNS", "NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)


class Sleeper:
    """Time that passes only in `sleep`; each sleep calls the next of `then`, and Ctrl-C comes when none is left.

    Attributes:
        passed: how far the wall clock has moved, which only tests move.
    """

    def __init__(self) -> None:
        self.now = 0.0
        self.passed = timedelta(0)
        self.then: list[Callable[[], object]] = []

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        if not self.then:
            raise KeyboardInterrupt
        self.then.pop(0)()


@pytest.fixture
def sleeper() -> Sleeper:
    return Sleeper()


@pytest.fixture
def cli(api: ApiServer, sleeper: Sleeper) -> Cli:
    """Run a command line in this process against the API of the test."""
    session = Session(
        connect=lambda: Client(api.url, TOKEN, backoff=0),
        connect_without_token=lambda: Client(api.url, None, backoff=0),
        now=lambda: NOW + sleeper.passed,
        sleep=sleeper.sleep,
        monotonic=lambda: sleeper.now,
        local_zone=lambda: "Europe/Rome",
        token_origin=lambda: "context prod",
    )

    def run(
        *arguments: str, stdin: str | bytes | None = None, env: dict[str, str] | None = None, attended: bool = False
    ) -> Result:
        at = replace(session, is_attended=lambda: attended)
        result = CliRunner().invoke(app, arguments, obj=at, input=stdin, env=env)
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exc_info
        return result

    return run


Unsaved = Callable[[str, Exception], None]


@pytest.fixture
def unsaved(monkeypatch: pytest.MonkeyPatch) -> Unsaved:
    """Let the API's store fail, with an error, at each save of a job with this name, and of no other."""
    save = MemoryDefinitions.save

    def fail(name: str, error: Exception) -> None:
        def failing(store: MemoryDefinitions, change: Change) -> bool:
            if change.after.job.key.name == name:
                raise error
            return save(store, change)

        monkeypatch.setattr(MemoryDefinitions, "save", failing)

    return fail


@pytest.fixture
def job(api: ApiServer) -> str:
    """The name of a job that the API has."""
    api.add_job("demo/beat")
    return "demo/beat"


def priced(cli: Cli, *arguments: str) -> Any:
    """What `cost` tells programs, when all goes well."""
    result = cli("cost", *arguments, "-o", "json")
    assert (result.exit_code, result.stderr) == (0, "")
    return json.loads(result.stdout)
