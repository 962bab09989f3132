"""Metrics, as processes print them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from infra.template import load

from minutehand.domain.job_key import JobKey
from minutehand.domain.outcome import ErrorType
from minutehand.domain.run import Attempt, Run, RunError, RunState, SkipReason
from minutehand.domain.run_key import RunKey
from minutehand.domain.share import Share
from minutehand.entrypoints import metrics
from minutehand.entrypoints.metrics import Metric, count, count_end, count_for, count_start, measured
from tests.unit.deploy.expansion import TEMPLATE
from tests.unit.domain.examples import at

RUN = Run(
    key=RunKey.scheduled(JobKey("shop", "report"), at("09:00")),
    target="http",
    revision=1,
    claimed_at=at("08:59"),
    expires_at=at("10:00"),
    attempt=1,
    lateness=timedelta(milliseconds=40),
)


@pytest.fixture(autouse=True)
def _stack(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("STACK", "minutehand-2")
    monkeypatch.setenv("POWERTOOLS_SERVICE_NAME", "tick")
    metrics.forget()
    yield
    metrics.forget()


def lines(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    """What an invocation that ends now prints."""
    measured(dict)()
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def dimensions(line: dict[str, Any]) -> list[dict[str, str]]:
    [found] = line["_aws"]["CloudWatchMetrics"]
    return [{name: line[name] for name in names} for names in found["Dimensions"]]


def test_a_metric_of_the_stack_has_no_other_dimension(capsys: pytest.CaptureFixture[str]) -> None:
    count(Metric.RUNS_CLAIMED, 3)
    [line] = lines(capsys)
    assert line["RunsClaimed"] == [3]
    assert line["_aws"]["CloudWatchMetrics"][0]["Namespace"] == "Minutehand"
    assert dimensions(line) == [{"stack": "minutehand-2"}]


def test_each_invocation_writes_its_own_and_none_writes_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    count(Metric.RUNS_CLAIMED)
    assert len(lines(capsys)) == 1
    assert lines(capsys) == []
    count(Metric.RUNS_CLAIMED, 0)
    assert lines(capsys) == [], "zero is not recorded"
    count(Metric.RUNS_CLAIMED)
    assert [dimensions(line) for line in lines(capsys)] == [[{"stack": "minutehand-2"}]]


def test_metrics_of_an_invocation_that_fails_are_written(capsys: pytest.CaptureFixture[str]) -> None:
    def fail() -> None:
        count(Metric.TICK_PROBLEMS)
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        measured(fail)()
    assert json.loads(capsys.readouterr().out)["TickProblems"] == [1]


def test_a_metric_of_runs_is_there_by_stack_and_by_target(capsys: pytest.CaptureFixture[str]) -> None:
    count_for(RUN, Metric.LEASES_LOST)
    count_for(RUN, Metric.LEASES_LOST)
    count_for(replace(RUN, target="command"), Metric.LEASES_LOST)
    both = {line["target"]: line for line in lines(capsys)}
    assert {target: line["LeasesLost"] for target, line in both.items()} == {"http": [1, 1], "command": [1]}
    for target, line in both.items():
        assert dimensions(line) == [{"stack": "minutehand-2"}, {"stack": "minutehand-2", "target": target}]


@pytest.mark.parametrize(("patterns", "told"), [("", False), ("billing", False), ("billing,sh*", True), ("*", True)])
def test_a_namespace_has_metrics_of_its_own_if_it_is_named(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, patterns: str, told: bool
) -> None:
    monkeypatch.setenv("METRIC_NAMESPACES", patterns)
    count_for(RUN, Metric.LEASES_LOST)
    [line] = lines(capsys)
    assert ({"stack": "minutehand-2", "namespace": "shop"} in dimensions(line)) == told


def test_what_aws_refuses_is_counted_by_function(capsys: pytest.CaptureFixture[str]) -> None:
    count(Metric.AWS_REFUSALS)
    [line] = lines(capsys)
    assert dimensions(line) == [{"stack": "minutehand-2"}, {"stack": "minutehand-2", "function": "tick"}]


def test_the_first_attempt_tells_how_late_it_was() -> None:
    count_start(RUN)
    count_start(replace(RUN, attempt=2))
    assert metrics.unwritten() == {"Lateness": [40]}


@pytest.mark.parametrize(
    ("state", "error", "lost"),
    [
        (RunState.RUNNING, None, True),
        (RunState.TIMED_OUT, RunError(ErrorType.HEARTBEAT_MISSED, "silent"), True),
        (RunState.FAILED, RunError("ExitCode", "3"), False),
    ],
)
def test_an_attempt_that_takes_over_tells_of_a_lost_lease(state: RunState, error: RunError | None, lost: bool) -> None:
    before = Attempt(1, "w", "n", at("09:00"), at("09:01"), state, error)
    count_start(replace(RUN, attempt=2, attempts=(before,)))
    assert ("LeasesLost" in metrics.unwritten()) == lost


@pytest.mark.parametrize(
    ("ended", "counted"),
    [
        ({"state": RunState.TIMED_OUT}, {"RunsTimedOut": [1]}),
        (
            {"state": RunState.SUCCEEDED, "started_at": at("09:00"), "finished_at": at("09:01")},
            {"RunsSucceeded": [1], "Duration": [60_000]},
        ),
        ({"state": RunState.SKIPPED, "skip_reason": SkipReason.OVERLAP}, {"RunsOverlapped": [1]}),
        ({"state": RunState.SKIPPED, "skip_reason": SkipReason.PAUSED}, {}),
        ({"state": RunState.FAILED, "share": Share(RUN.key, 1, "web", "a", 0, 2, at("10:00"))}, {}),
    ],
)
def test_an_end_is_counted_by_what_it_is(ended: dict[str, Any], counted: dict[str, list[float]]) -> None:
    count_end(replace(RUN, **ended))
    assert metrics.unwritten() == counted


def test_each_function_knows_its_stack_and_which_namespaces_are_told() -> None:
    variables = load(TEMPLATE)["Globals"]["Function"]["Environment"]["Variables"]
    assert variables["STACK"] == {"Ref": "AWS::StackName"}
    assert variables["METRIC_NAMESPACES"] == {"Ref": "MetricNamespaces"}
