"""Packages with handlers, written for one test each."""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from minutehand.client import Client
from minutehand.handlers.loading import find_app
from minutehand.handlers.testing import HandlerTester
from tests.support.api_server import TOKEN, ApiServer
from tests.support.fixtures import api, api_server

__all__ = ["api", "api_server", "client"]

Package = Callable[..., str]
Handlers = Callable[[str], HandlerTester]

_NUMBERS = itertools.count(1)
_HEAD = """\
from __future__ import annotations
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import Enum
from typing import Any, Literal
import minutehand
from minutehand import App, Context, Failed, job
from minutehand.handlers import log_run, recover, skip_if, timed
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Package:
    """Write a package and return its name. Its `__init__` begins with the usual imports; further modules are given by name."""
    monkeypatch.syspath_prepend(tmp_path)

    def write(text: str = "", **modules: str) -> str:
        name = f"team{next(_NUMBERS)}"
        folder = tmp_path / name
        folder.mkdir()
        for module, code in ({"__init__": text} | modules).items():
            file = folder / f"{module.replace('.', '/')}.py"
            file.parent.mkdir(exist_ok=True)
            file.write_text(_HEAD + textwrap.dedent(code), encoding="utf-8")
        return name

    return write


@pytest.fixture
def handlers(package: Package) -> Iterator[Handlers]:
    """A tester of the handlers in a text."""
    open_: list[HandlerTester] = []

    def make(text: str) -> HandlerTester:
        open_.append(HandlerTester(find_app(package(text))))
        return open_[-1]

    yield make
    for tester in open_:
        tester.close()


@pytest.fixture
def client(api: ApiServer) -> Iterator[Client]:
    with Client(api.url, TOKEN, backoff=0) as client:
        yield client


def event(**fields: Any) -> dict[str, Any]:
    """The document of a run, as a Lambda function gets it."""
    return {
        "job": "reports/nightly",
        "run_id": "20261120T020000Z",
        "attempt": 1,
        "attempts_left": 2,
        "scheduled_for": "2026-11-20T02:00:00Z",
        "deadline": "2126-11-20T02:00:00Z",
        "payload": None,
    } | fields
