"""Handlers of tick, worker, drain and sweep."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from minutehand.adapters.memory import MemoryShards
from minutehand.adapters.sharding import shard_of
from minutehand.domain.errors import Unavailable
from minutehand.domain.run import RunState
from minutehand.entrypoints import drain, sharding, sweep, telemetry, tick, worker
from minutehand.entrypoints.settings import Settings
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.ports.shards import Layout
from minutehand.usecases.ports.target import Call, Outcome
from tests.unit.domain.examples import KEY, run
from tests.unit.usecases.stage import SHARDS, SUCCESS, Port, Stage

SETTINGS = Settings(jobs_table="jobs", due_shards=SHARDS)
QUEUE = "https://sqs.test/123456789012/http"
SLOW_QUEUE = f"{QUEUE}-slow"


class Context:
    aws_request_id = "request"
    function_name = "function"
    invoked_function_arn = "arn:aws:lambda:eu-central-1:123456789012:function:tick"

    def get_remaining_time_in_millis(self) -> int:
        return 900_000


class Sequential:
    map = staticmethod(map)

    @staticmethod
    def submit(do: Callable[[], None]) -> None:
        do()


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Stage:
    telemetry.metrics.clear_metrics()  # what other tests counted without a handler
    stage = Stage("09:00:30")
    stage.save(schedule="* * * * *")
    for module in (tick, worker, drain, sweep):
        monkeypatch.setattr(module, "ports", lambda *_: stage.ports)
    index = MemoryShards(stage.state, shards=SHARDS)
    monkeypatch.setattr(sharding, "index", lambda: index)
    monkeypatch.setattr(sharding, "clock", lambda: stage.now)
    for module in (tick, sharding, sweep):
        monkeypatch.setattr(module, "settings", lambda: SETTINGS)
    monkeypatch.setattr(sweep, "dead_letters", list)
    monkeypatch.setattr(sweep, "index", lambda: index)
    monkeypatch.setattr(sweep, "clock", lambda: stage.now)
    sharding._to_read.cache_clear()
    sweep._resharding.cache_clear()
    given = Settings(jobs_table="jobs", api_url="https://api.test/prod", queue_urls={"http": QUEUE}, worker="http")
    monkeypatch.setattr(worker, "settings", lambda: given)
    monkeypatch.setattr(worker, "inbox", lambda _: stage.inbox)
    return stage


def record(number: int, body: Any) -> dict[str, Any]:
    return {"messageId": f"m{number}", "receiptHandle": f"r{number}", "body": text_of(body), "eventSource": "aws:sqs"}


def body_of(instant: str) -> dict[str, Any]:
    return {"job": str(KEY), "run_id": run(instant).key.run_id, "attempt": 1}


def text_of(body: Any) -> str:
    return body if isinstance(body, str) else json.dumps(body)


def answer_with(monkeypatch: pytest.MonkeyPatch, outcome: Outcome) -> None:
    monkeypatch.setattr(worker, "_equipment", lambda: (lambda *_args, **_kwargs: outcome, Sequential, Sequential))


def test_a_tick_dispatches_what_is_due_and_reports_the_numbers(stage: Stage) -> None:
    stage.at("09:03")
    answer = tick.handler({"time": "1999-01-01T00:00:00Z"}, Context())
    assert answer["claimed"] == 3
    assert stage.run("09:05").state is RunState.QUEUED


def test_a_tick_with_given_shards_dispatches_only_these_and_delegates_nothing(stage: Stage) -> None:
    shard = shard_of(KEY, SHARDS)
    stage.at("09:03")
    assert tick.handler({"shards": [n for n in range(SHARDS) if n != shard]}, Context())["claimed"] == 0
    assert tick.handler({"shards": [shard]}, Context())["claimed"] == 3


@pytest.mark.parametrize("shards", ["37", "x", 3, [0, "1"], {"0": 1}])
def test_shards_that_are_not_a_list_of_numbers_are_refused(stage: Stage, shards: Any) -> None:
    with pytest.raises(ValueError, match=r'"shards" is .*; give a list of numbers, such as \[3, 7\]'):
        tick.handler({"shards": shards}, Context())
    assert stage.timers.calls["due"] == 0


def test_a_tick_records_its_number_of_shards_and_reads_former_ones_that_may_hold_timers(stage: Stage) -> None:
    stage.at("09:03")
    tick.handler({}, Context())
    assert stage.state.layout == Layout(SHARDS)
    stage.state.layout = Layout(SHARDS + 3)
    sharding._to_read.cache_clear()
    before = stage.timers.calls["due"]
    tick.handler({}, Context())
    assert stage.timers.calls["due"] - before == SHARDS + 3


def test_the_memory_of_a_tick_does_not_grow_with_former_shards(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """After 256 shards are lowered to a few, it would hold two long pages of each."""
    sizes: list[int] = []

    def ports(read: int) -> Ports:
        sizes.append(SETTINGS.page_size(read))
        return stage.ports

    monkeypatch.setattr(tick, "ports", ports)
    tick.handler({}, Context())
    stage.state.layout = Layout(256)
    sharding._to_read.cache_clear()
    tick.handler({}, Context())
    tick.handler({"shards": [1, 2]}, Context())
    assert sizes == [SETTINGS.tick_share // SHARDS, SETTINGS.tick_share // 256, SETTINGS.tick_share // 256]


def test_a_tick_reads_the_configured_shards_if_the_layout_is_unavailable(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Silent(MemoryShards):
        def layout(self) -> None:
            raise Unavailable("no answer")

    monkeypatch.setattr(sharding, "index", lambda: Silent(stage.state))
    stage.at("09:03")
    assert tick.handler({}, Context())["claimed"] == 3
    assert stage.timers.calls["due"] == SHARDS


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
    monkeypatch.setattr(worker.logger, "info", lambda _message, **about: lines.append(about))
    stage.at("09:01")
    answer_with(monkeypatch, SUCCESS)
    worker.handler({"Records": [record(1, body_of("09:01"))]}, Context())
    [line] = lines
    assert (line["job"], line["state"], line["attempt"], line["lateness_ms"]) == (str(KEY), "succeeded", 1, 0)
    emitted = json.loads(capsys.readouterr().out)
    assert (emitted["RunsSucceeded"], emitted["Lateness"]) == ([1.0], [0.0])


def test_a_sweep_reports_how_many_runs_it_sent_again(stage: Stage) -> None:
    stage.at("10:01")
    stage.state.messages.clear()
    assert sweep.handler({}, Context())["resent"] == len(stage.state.messages) > 0


def test_a_sweep_moves_timers_to_shards_that_ticks_read_and_reports_how_many(stage: Stage) -> None:
    stage.state.places.update(dict.fromkeys(stage.state.places, SHARDS))
    assert sweep.handler({}, Context())["resharded"] == 0
    stage.state.layout = Layout(SHARDS + 1)
    assert sweep.handler({}, Context())["resharded"] == len(stage.state.timers)


class Hurried(Context):
    """Has a minute less once the sweep searches for runs."""

    def __init__(self, stage: Stage) -> None:
        self._left = 150_000
        stage.runs.before("within", self._look)

    def _look(self) -> None:
        self._left -= 60_000

    def get_remaining_time_in_millis(self) -> int:
        return self._left


def test_timers_are_moved_and_renewed_even_if_the_search_for_runs_takes_all_its_time(stage: Stage) -> None:
    stage.at("10:01")
    stage.state.layout = Layout(SHARDS + 1)
    stage.state.places.update(dict.fromkeys(stage.state.places, SHARDS))
    answer = sweep.handler({}, Hurried(stage))
    assert (answer["resent"], answer["resharded"]) == (0, len(stage.state.timers))
    assert stage.timers.renewal().done


def test_an_error_while_moving_timers_does_not_stop_the_search_for_runs(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = Port(sharding.index())
    index.fails("layout")
    monkeypatch.setattr(sweep, "index", lambda: index)
    stage.at("10:01")
    stage.state.messages.clear()
    with pytest.raises(Unavailable, match="layout"):
        sweep.handler({}, Context())
    assert stage.state.messages


def test_an_error_in_the_search_for_runs_does_not_stop_moving_timers(stage: Stage) -> None:
    stage.runs.fails("within")
    stage.state.layout = Layout(SHARDS + 1)
    stage.state.places.update(dict.fromkeys(stage.state.places, SHARDS))
    with pytest.raises(Unavailable, match="within"):
        sweep.handler({}, Context())
    assert SHARDS not in stage.state.places.values()
    assert stage.timers.renewal() is not None
