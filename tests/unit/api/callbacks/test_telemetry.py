"""What the log and the metrics say of callbacks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from minutehand.entrypoints import metrics
from tests.unit.api.callbacks.waiting import RUN_ID, TOKEN
from tests.unit.api.conftest import JOB, PATH, Answer, Api, FakeClock


def test_a_report_is_logged_and_its_token_is_not(
    say: Callable[..., Answer], lines: Callable[[], list[dict[str, Any]]]
) -> None:
    say("report", {"state": "succeeded"})
    [line] = [line for line in lines() if line.get("action") == "report"]
    assert (line["job"], line["run_id"], line["attempt"]) == ("demo/heartbeat", RUN_ID, 2)
    assert TOKEN not in str(line)


@pytest.fixture
def counted() -> Callable[[], dict[str, list[float]]]:
    metrics.forget()
    return metrics.unwritten


@pytest.mark.parametrize(("ends", "metric"), [("succeeded", "RunsSucceeded"), ("failed", "RunsFailed")])
def test_the_end_of_a_run_that_its_target_reports_is_counted_once(
    say: Callable[..., Answer], counted: Callable[[], Any], ends: str, metric: str
) -> None:
    assert say("report", {"state": ends}).status == 200
    assert say("report", {"state": ends}).status == 409
    assert counted() == {metric: [1], "Duration": [0]}


def test_a_cancel_is_counted_once(api: Api, counted: Callable[[], Any], clock: FakeClock) -> None:
    api.put(JOB)
    run_id = api.post(f"{PATH}/trigger").body["run_id"]
    for _ in range(2):
        assert api.post(f"{PATH}/runs/{run_id}/cancel").status == 200
        clock.move(seconds=1)
    assert counted() == {"RunsCancelled": [1]}


def test_a_run_that_ends_because_its_target_hears_of_the_cancel_is_counted(
    api: Api, say: Callable[..., Answer], counted: Callable[[], Any]
) -> None:
    assert say("heartbeat").status == 200
    assert api.post(f"{PATH}/runs/{RUN_ID}/cancel").status == 202
    assert counted() == {}
    assert say("heartbeat").body["state"] == "cancelled"
    assert counted() == {"RunsCancelled": [1], "Duration": [0]}
