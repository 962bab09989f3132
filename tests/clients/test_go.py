"""The Go package's own tests pass, and it is formatted and vetted."""

from __future__ import annotations

import shutil

import pytest

from tests.clients.conftest import CLIENTS, GO, made, run
from tests.support.needs import not_run


@pytest.fixture(autouse=True)
def go() -> None:
    if not shutil.which("go"):
        not_run("Go")


def test_its_own_tests_pass() -> None:
    made(run(["go", "test", "./..."], cwd=CLIENTS / "go", more=GO))


def test_it_is_vetted_and_formatted() -> None:
    made(run(["go", "vet", "./..."], cwd=CLIENTS / "go", more=GO))
    assert run(["gofmt", "-l", CLIENTS / "go"]).lines == []
