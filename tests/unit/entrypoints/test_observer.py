"""The observer tells by metrics and a log line of what has not run, and fails loudly."""

from __future__ import annotations

import json
from typing import Any

import pytest

from minutehand.domain.errors import Unavailable
from minutehand.entrypoints import observer
from tests.unit.entrypoints.handling import SETTINGS, Context
from tests.unit.usecases.stage import Stage


@pytest.fixture(autouse=True)
def _stage(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(observer, "ports", lambda: stage.ports)
    monkeypatch.setattr(observer, "settings", lambda: SETTINGS)


def printed(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_what_is_in_order_writes_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert observer.handler({}, Context()) == {"overdue": 0, "oldest_seconds": 0, "unstarted": 0}
    assert printed(capsys) == []


def test_overdue_timers_are_told_by_metrics_and_in_the_log(
    stage: Stage, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    found = []
    for _ in range(10):
        stage.wait(60)
        found.append(observer.handler({}, Context()))
    assert max(each["overdue"] for each in found) == 1
    assert [one.overdue for one in caplog.records if one.action == "observe" and one.overdue] == [1]  # type: ignore[attr-defined]  # keys of the line
    [told] = [line for line in printed(capsys) if "TimersOverdue" in line]
    assert told["OldestOverdue"][0] > 120_000


def test_a_table_that_does_not_answer_fails_the_function(stage: Stage) -> None:
    stage.timers.fails("due")
    with pytest.raises(Unavailable):
        observer.handler({}, Context())
