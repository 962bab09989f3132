"""The handler of the worker."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from minutehand.domain.overlap_lock import Permit, lock_of
from minutehand.domain.policies import Overlap
from minutehand.domain.run import RunState
from minutehand.domain.taken_limit import LimitKind, TakenLimit
from minutehand.entrypoints import batches, worker
from minutehand.entrypoints.settings import Settings
from minutehand.usecases.ports.target import Call
from tests.unit.domain.examples import KEY, SECOND, at, run
from tests.unit.entrypoints.handling import QUEUE, SLOW_QUEUE, Context, Sequential, answer_with, body_of, record
from tests.unit.usecases.stage import SUCCESS, Stage


def test_a_worker_returns_the_messages_that_stay_in_the_queue(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    stage.at("09:01")
    answer_with(monkeypatch, SUCCESS)
    event = {"Records": [record(1, body_of("09:01")), record(2, "not a message"), record(3, body_of("09:02"))]}
    answer = worker.handler(event, Context())
    assert [failure["itemIdentifier"] for failure in answer["batchItemFailures"]] == ["m2", "m3"]
    assert stage.run("09:01").state is RunState.SUCCEEDED


@pytest.mark.parametrize(
    ("lanes", "source", "hides_in", "moves"),
    [
        ({"http": QUEUE, "http_slow": SLOW_QUEUE}, "http", QUEUE, True),
        ({"http": QUEUE, "http_slow": SLOW_QUEUE}, "http-slow", SLOW_QUEUE, False),
        ({"http": QUEUE}, "http", QUEUE, False),
    ],
    ids=["the quick lane", "the slow lane", "a stack without lanes"],
)
def test_a_worker_of_the_quick_lane_moves_runs_of_jobs_that_may_be_slow(
    stage: Stage,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    lanes: dict[str, str],
    source: str,
    hides_in: str,
    moves: bool,
) -> None:
    queues: list[str] = []
    monkeypatch.setattr(worker, "settings", lambda: Settings(jobs_table="jobs", queue_urls=lanes, worker="http"))
    monkeypatch.setattr(worker, "inbox", lambda queue: queues.append(queue) or stage.inbox)
    answer_with(monkeypatch, SUCCESS)
    stage.at("09:01").state.messages.clear()
    event = {"Records": [record(1, body_of("09:01")) | {"eventSourceARN": f"arn:aws:sqs:eu-central-1:1:{source}"}]}
    assert worker.handler(event, Context()) == {"batchItemFailures": []}
    assert queues == [hides_in]
    assert stage.run("09:01").state is (RunState.QUEUED if moves else RunState.SUCCEEDED)
    assert [message.slow for message in stage.state.messages] == [True] * moves
    assert ("RunsMoved" in capsys.readouterr().out) == moves


def test_a_worker_without_metrics_writes_none(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answer_with(monkeypatch, SUCCESS)
    stage.at("09:00")
    answer = worker.handler({"Records": [record(1, body_of("09:01"))]}, Context())
    assert len(answer["batchItemFailures"]) == 1, "it comes before its instant"
    assert "_aws" not in capsys.readouterr().out


def test_a_worker_gives_each_attempt_a_random_token_and_a_callback_url(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[Call] = []
    monkeypatch.setattr(
        worker, "_equipment", lambda: (lambda _target, call: calls.append(call) or SUCCESS, Sequential, Sequential)
    )
    stage.at("09:02")
    worker.handler({"Records": [record(1, body_of("09:01")), record(2, body_of("09:02"))]}, Context())
    one, other = calls
    assert one.callback_url == f"https://api.test/prod/v1/callbacks/{KEY}/{run('09:01').key.run_id}/1"
    assert one.token != other.token
    assert len(one.token) == len(other.token) == 32


@pytest.mark.parametrize(
    ("given", "url"),
    [
        ({}, ""),
        ({"API_URL": "", "API_ID": "a1b2"}, ""),
        ({"API_URL": "https://cron.example.com/", "API_ID": "a1b2"}, "https://cron.example.com"),
        (
            {"API_URL": "http://127.0.0.1:4566/_aws/{api}/prod", "API_ID": "a1b2"},
            "http://127.0.0.1:4566/_aws/a1b2/prod",
        ),
    ],
)
def test_the_api_url_may_contain_the_id_of_the_api(given: dict[str, str], url: str) -> None:
    assert Settings.read({"JOBS_TABLE": "jobs"} | given).api_url == url


def test_a_worker_writes_one_line_for_a_run(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines: list[dict[str, Any]] = []
    monkeypatch.setattr(batches.logger, "info", lambda _message, **about: lines.append(about))
    stage.at("09:01")
    answer_with(monkeypatch, SUCCESS)
    worker.handler({"Records": [record(1, body_of("09:01"))]}, Context())
    [line] = lines
    assert (line["job"], line["state"], line["attempt"], line["lateness_ms"]) == (str(KEY), "succeeded", 1, 0)
    emitted = json.loads(capsys.readouterr().out)
    assert (emitted["RunsSucceeded"], emitted["Lateness"]) == ([1.0], [0.0])


@pytest.mark.parametrize(
    ("fields", "waits_for", "why"),
    [
        ({"overlap": Overlap.SKIP}, None, {"reason": "overlap", "blocked_by": run("09:00").key.run_id}),
        ({"overlap": Overlap.SKIP, "start_within": SECOND}, None, {"reason": "start_within"}),
        (
            {"start_within": SECOND},
            TakenLimit(LimitKind.NAMED, 3, "db"),
            {"reason": "start_within", "waits_for": "limit db, 3 of 3 in use"},
        ),
    ],
)
def test_the_log_says_why_a_run_was_skipped(
    stage: Stage,
    monkeypatch: pytest.MonkeyPatch,
    fields: dict[str, Any],
    waits_for: TakenLimit | None,
    why: dict[str, str],
) -> None:
    lines: list[dict[str, Any]] = []
    monkeypatch.setattr(batches.logger, "info", lambda _message, **about: lines.append(about))
    stage.at("09:01:05")
    definition = stage.state.definitions[KEY]
    stage.state.definitions[KEY] = replace(definition, job=replace(definition.job, **fields))
    holder = run("09:00", state=RunState.RUNNING, attempt=1, started_at=at("09:00"), lease_until=at("09:10"))
    late = stage.state.runs[run("09:01").key]
    stage.state.runs |= {
        holder.key: holder,
        late.key: replace(late, waits_for=waits_for, retry_at=waits_for and at("09:01:02")),
    }
    stage.state.permits[lock_of(KEY)] = Permit(lock_of(KEY), holder.key, 1)
    worker.handler({"Records": [record(1, body_of("09:01"))]}, Context())
    [line] = lines
    assert (line["state"], line["run_id"]) == ("skipped", late.key.run_id)
    assert {name: line[name] for name in ("reason", "blocked_by", "waits_for") if name in line} == why
