"""The clients in other languages, built as their users build them, against the product's API over memory."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.support.api_server import ApiServer
from tests.support.attempt import TOKEN, Attempt
from tests.support.fixtures import api, api_server
from tests.support.needs import not_run

__all__ = ["api", "api_server", "attempt", "play", "player", "typescript"]

ROOT = Path(__file__).parents[2]
CLIENTS = ROOT / "clients"
PLAYERS = Path(__file__).parent / "players"
TYPESCRIPT = CLIENTS / "typescript"


class Program(NamedTuple):
    """What a program said."""

    output: str
    errors: str
    status: int

    @property
    def lines(self) -> list[str]:
        assert self.status == 0, self.errors
        return self.output.splitlines()


def run(command: Sequence[str | Path], *, cwd: Path | None = None, more: Mapping[str, str] | None = None) -> Program:
    """Run a program to its end; `more` is added to the environment."""
    environment = {**os.environ, **(more or {})}
    done = subprocess.run(
        list(map(str, command)), cwd=cwd, env=environment, capture_output=True, encoding="utf-8", check=False
    )
    return Program(done.stdout, done.stderr, done.returncode)


def made(program: Program) -> None:
    """Fail, with what a compiler said, unless it succeeded."""
    assert program.status == 0, program.output + program.errors


@pytest.fixture(scope="session")
def typescript(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project in which the TypeScript package is installed as npm would do it, with the compiler."""
    if not shutil.which("npm") or not (TYPESCRIPT / "node_modules" / "typescript").is_dir():
        not_run("npm, with which `make test` installs the compiler")
    project = tmp_path_factory.mktemp("typescript")
    package = project / "node_modules" / "@minutehand" / "client"
    package.mkdir(parents=True)
    shutil.copy(TYPESCRIPT / "package.json", package)
    made(run([*tsc(), "--project", TYPESCRIPT / "tsconfig.build.json", "--outDir", package / "dist"]))
    (project / "node_modules" / "@types").symlink_to(TYPESCRIPT / "node_modules" / "@types")
    (project / "node_modules" / "undici-types").symlink_to(TYPESCRIPT / "node_modules" / "undici-types")
    (project / "package.json").write_text(json.dumps({"type": "module"}))
    options = {"target": "ES2022", "module": "NodeNext", "strict": True, "skipLibCheck": True, "types": ["node"]}
    (project / "tsconfig.json").write_text(json.dumps({"compilerOptions": options}))
    return project


def tsc() -> list[str | Path]:
    """The command of TypeScript's compiler."""
    return ["node", TYPESCRIPT / "node_modules" / "typescript" / "bin" / "tsc"]


def _typescript(folder: Path, request: pytest.FixtureRequest) -> list[str | Path]:
    project: Path = request.getfixturevalue("typescript")
    shutil.copy(PLAYERS / "play.ts", project)
    made(run([*tsc(), "--project", project], cwd=project))
    return ["node", project / "play.js"]


def _go(folder: Path, request: pytest.FixtureRequest) -> list[str | Path]:
    if not shutil.which("go"):
        not_run("Go")
    shutil.copy(PLAYERS / "go" / "main.go", folder)
    use_go_package(folder)
    made(run(["go", "build", "-o", folder / "play", "."], cwd=folder, more=GO))
    return [folder / "play"]


def use_go_package(folder: Path) -> None:
    """Make a folder a Go module that has the package `minutehand`."""
    needs = f"require minutehand v0.0.0\nreplace minutehand => {CLIENTS / 'go'}\n"
    (folder / "go.mod").write_text(f"module user\n\ngo 1.19\n\n{needs}")


GO = {"GOFLAGS": "-mod=mod", "GOPROXY": "off", "GOTOOLCHAIN": "local"}
"""Go's settings with which it downloads nothing."""


def _java(folder: Path, request: pytest.FixtureRequest) -> list[str | Path]:
    if not shutil.which("javac"):
        not_run("a Java compiler")
    sources = [CLIENTS / "java" / "dev" / "minutehand" / "LateAnswer.java", PLAYERS / "Play.java"]
    options = ["--release", "17", "-encoding", "UTF-8", "-Xlint:all", "-Werror", "-d", folder]
    made(run(["javac", *options, *sources]))
    return ["java", "-XX:TieredStopAtLevel=1", "-cp", folder, "Play"]


BUILDERS: Mapping[str, Callable[[Path, pytest.FixtureRequest], list[str | Path]]] = {
    "typescript": _typescript,
    "go": _go,
    "java": _java,
}


@pytest.fixture(scope="module", params=BUILDERS)
def player(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[str | Path]:
    """The command of a program that plays a target with the client of one language."""
    return BUILDERS[request.param](tmp_path_factory.mktemp(request.param), request)


@pytest.fixture
def attempt(api: ApiServer) -> Attempt:
    return Attempt(api)


@pytest.fixture
def play(player: list[str | Path], attempt: Attempt) -> Callable[..., list[str]]:
    """Has the player do what is named, with an answer to `attempt`; the line that each deed printed."""

    def play(*deeds: str, url: str | None = None, token: str = TOKEN) -> list[str]:
        return run([*player, attempt.url if url is None else url, token, *deeds]).lines

    return play
