"""Usage noted on runs of a job with `record_units`; the expected figures are those of docs/reference/costs.md."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from minutehand.domain.actor import Actor
from minutehand.domain.job_key import JobKey
from minutehand.domain.policies import Dependency, On, Overlap, Retry
from minutehand.domain.run import Progress, Result, RunError, RunState, Usage
from minutehand.targets.http.fields import HttpTarget, Mode
from minutehand.usecases.completion import answers
from minutehand.usecases.completion.answers import Speaker
from minutehand.usecases.operations import backfill
from minutehand.usecases.operations.backfill import BackfillSpec
from minutehand.usecases.operations.trigger import trigger
from minutehand.usecases.ports.stores import Payload
from minutehand.usecases.ports.target import Call, Outcome
from tests.unit.domain.examples import KEY, SECOND, at
from tests.unit.usecases.stage import Stage

DAILY = "0 9 * * *"
BROKEN = Outcome(state=RunState.FAILED, error=RunError(type="ConnectionRefused", message="nobody listens"))
TAKEN_ON = Outcome(state=RunState.WAITING, result=Result(type="http", status=202, body=""))
LATER = HttpTarget(method="POST", url="https://example.com/", mode=Mode.CALLBACK, heartbeat=timedelta(seconds=30))


@pytest.fixture
def stage() -> Stage:
    return Stage("08:00")


def due(stage: Stage, *, schedule: str = DAILY, **fields: Any) -> Stage:
    """A job with `record_units`, whose 09:00 occurrence is claimed and sent."""
    stage.save(**({"schedule": schedule, "record_units": True} | fields))
    stage.at("08:59").tick()
    return stage.at("09:00")


def used(stage: Stage, scheduled_for: str = "09:00", key: JobKey = KEY) -> Usage:
    run = stage.run(scheduled_for, key)
    assert run is not None
    assert run.units is not None
    return run.units


def answered(body: str) -> Outcome:
    return Outcome(state=RunState.SUCCEEDED, result=Result(type="http", status=200, body=body))


class TestAPlainRun:
    def test_notes_its_seven_write_units_and_three_read_units(self, stage: Stage) -> None:
        due(stage).work()
        assert used(stage) == Usage(write=7, read=3, calls=4, messages=4)

    def test_notes_nothing_unless_its_job_asks(self, stage: Stage) -> None:
        due(stage, record_units=False).work()
        run = stage.run("09:00")
        assert run is not None
        assert (run.state, run.units) == (RunState.SUCCEEDED, None)

    def test_is_told_in_no_write_of_its_own(self, stage: Stage) -> None:
        due(stage, record_units=False).work()
        plain = stage.runs.calls
        asks = due(Stage("08:00"))
        asks.work()
        assert asks.runs.calls == plain

    def test_shares_an_entry_and_an_advance_with_the_occurrences_of_its_minute(self, stage: Stage) -> None:
        due(stage, schedule="*/10 0 9 * * *").at("09:00:50").work()
        claim, advance = 1 + 1 / 6, 3 / 6
        assert used(stage, "09:00:30").write == round(claim + advance + 2, 3)

    def test_notes_the_worker_s_time_from_the_receipt_to_the_report(self, stage: Stage) -> None:
        def call(_: Call) -> Outcome:
            stage.now += timedelta(milliseconds=1512)
            return answered("ok")

        due(stage).work(call)
        assert used(stage).worker_ms == 1512

    def test_notes_the_worker_s_looks_whether_a_long_call_is_to_end(self, stage: Stage) -> None:
        def call(_: Call) -> Outcome:
            stage.now += 42 * SECOND
            return answered("ok")

        due(stage).work(call)
        assert used(stage).read == 3 + 8

    def test_shares_what_a_batch_shares(self, stage: Stage) -> None:
        due(stage, schedule="*/10 0 9 * * *")
        stage.at("09:00:50").work()
        of_six = used(stage, "09:00:30")
        assert (of_six.read, of_six.calls, of_six.messages) == (
            pytest.approx(1 + 1 / 6 + 1 / 6, abs=0.001),
            2.333,
            0.667,
        )


class TestWhatItUses:
    @pytest.mark.parametrize(
        ("fields", "outcome", "write"),
        [
            ({}, BROKEN, 8),
            ({}, answered("x" * 512), 8),
            ({}, answered("x" * 100_000), 12),
            ({"overlap": Overlap.SKIP}, answered("ok"), 10),
            ({"max_concurrency": 2}, answered("ok"), 10),
            ({"overlap": Overlap.SKIP, "max_concurrency": 2}, answered("ok"), 12),
            ({"max_runs": 5}, answered("ok"), 14),
        ],
        ids=["a failure", "an output", "a long output", "the lock", "a slot", "both", "max_runs"],
    )
    def test_is_added_to_its_seven(self, stage: Stage, fields: Any, outcome: Outcome, write: float) -> None:
        due(stage, **fields).work(lambda _: outcome)
        assert used(stage).write == write

    def test_a_text_that_goes_to_s3_is_a_put_of_so_many_bytes(self, stage: Stage) -> None:
        due(stage).work(lambda _: answered("x" * 100_000))
        assert (used(stage).puts, used(stage).stored_bytes) == (1, 100_000)

    def test_a_text_that_is_kept_beside_the_run_is_not(self, stage: Stage) -> None:
        due(stage).work(lambda _: answered("x" * 4096))
        assert (used(stage).puts, used(stage).stored_bytes) == (0, 0)

    def test_a_skipped_run_costs_six(self, stage: Stage) -> None:
        due(stage)
        stage.at("08:59").save(schedule="0 10 * * *", record_units=True)
        stage.at("09:00").work()
        run = stage.run("09:00")
        assert run is not None
        assert (run.state, run.units) == (RunState.SKIPPED, Usage(write=6, read=3, calls=3, messages=4))


class TestAttempts:
    def test_what_earlier_ones_used_adds_up(self, stage: Stage) -> None:
        due(stage, retry=Retry(max_attempts=2)).work(lambda _: BROKEN)
        assert used(stage) == Usage(write=7, read=3, calls=4, messages=4)
        stage.at("09:01").work()
        assert used(stage) == Usage(write=9, read=6, calls=8, messages=8)

    def test_one_that_comes_much_later_is_led_to_by_a_deadline(self, stage: Stage) -> None:
        backoff = Retry().backoff._replace(initial=timedelta(hours=1), max=timedelta(hours=1), jitter=0.0)
        due(stage, retry=Retry(max_attempts=2, backoff=backoff)).work(lambda _: BROKEN)
        assert used(stage).write == 7 + 4

    def test_one_whose_worker_died_is_counted_by_the_next(self, stage: Stage) -> None:
        due(stage)
        [message] = stage.receive()

        def dies(_: Call) -> Outcome:
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            stage.execute([message], dies)
        stage.at("09:05").execute([message])
        run = stage.run("09:00")
        assert run is not None
        assert (run.attempt, run.units) == (2, Usage(write=8, read=6, calls=7, messages=8))


class TestALaterAnswer:
    def taken_on(self, stage: Stage, **fields: Any) -> Speaker:
        calls: list[Call] = []

        def call(made: Call) -> Outcome:
            calls.append(made)
            return TAKEN_ON

        due(stage, **{"target": LATER, **fields}).work(call)
        return Speaker(run=calls[0].run.key, attempt=1, token=calls[0].token)

    def test_adds_what_is_known_of_the_api(self, stage: Stage) -> None:
        speaker = self.taken_on(stage)
        assert used(stage).write == 7
        answers.report(stage.ports, speaker, answered("done"))
        assert used(stage).write == 14

    def test_one_that_may_come_much_later_moves_a_deadline(self, stage: Stage) -> None:
        speaker = self.taken_on(stage, target=replace(LATER, heartbeat=None), timeout=timedelta(hours=6))
        answers.report(stage.ports, speaker, answered("done"))
        assert used(stage).write == 7 + 7 + 1  # and 2 beforehand, which the stores in memory do not count

    def test_a_heartbeat_adds_one(self, stage: Stage) -> None:
        speaker = self.taken_on(stage)
        answers.heartbeat(stage.at("09:00:10").ports, speaker, Progress(40, "4 of 10"))
        answers.heartbeat(stage.at("09:00:20").ports, speaker)
        assert used(stage) == Usage(write=9, read=7, calls=10, messages=4)

    def test_a_heartbeat_that_changes_nothing_writes_nothing(self, stage: Stage) -> None:
        def call(made: Call) -> Outcome:
            answers.heartbeat(stage.ports, Speaker(made.run.key, 1, made.token))
            return answered("ok")

        due(stage, target=LATER).work(call)
        assert used(stage).write == 7

    def test_one_that_is_faster_than_the_worker_counts_the_start_too(self, stage: Stage) -> None:
        def call(made: Call) -> Outcome:
            answers.report(stage.ports, Speaker(made.run.key, 1, made.token), answered("done"))
            return TAKEN_ON

        due(stage, target=LATER).work(call)
        assert used(stage) == Usage(write=5 + 1 + 7, read=5, calls=7, messages=4)

    def test_of_a_job_that_does_not_ask_notes_nothing(self, stage: Stage) -> None:
        speaker = self.taken_on(stage, record_units=False)
        answers.heartbeat(stage.ports, speaker, Progress(40, ""))
        answers.report(stage.ports, speaker, answered("done"))
        run = stage.run("09:00")
        assert run is not None
        assert (run.state, run.units) == (RunState.SUCCEEDED, None)


class TestWhatMadeIt:
    def test_a_trigger_costs_sixteen_in_all(self, stage: Stage) -> None:
        assert self.triggered(stage, None).write == 16

    def test_a_payload_of_a_trigger_s_own_costs_two(self, stage: Stage) -> None:
        assert self.triggered(stage, Payload({"day": 1})).write == 18

    def triggered(self, stage: Stage, payload: Payload | None) -> Usage:
        stage.save(schedule=DAILY, record_units=True)
        trigger(stage.ports, KEY, idempotency_key="a", who=Actor("ada"), payload=payload)
        stage.at("08:00:01").work()
        return self.only_run(stage, KEY)

    def test_a_child_costs_four_in_all(self, stage: Stage) -> None:
        child = KEY._replace(name="child")
        stage.save(schedule=DAILY)
        stage.save(key=child, schedule="@manual", depends_on=(Dependency(KEY, On.SUCCESS),), record_units=True)
        stage.at("08:59").tick()
        stage.at("09:00").work()
        stage.at("09:00:01").work()
        assert self.only_run(stage, child).write == 4

    def test_a_backfilled_run_costs_six(self, stage: Stage) -> None:
        stage.save(schedule=DAILY, record_units=True)
        day = timedelta(days=1)
        backfill.start(stage.ports, KEY, BackfillSpec(at("00:00") - day, at("00:00")), identity="a", who=Actor("ada"))
        stage.work()
        assert self.only_run(stage, KEY).write == 6

    def only_run(self, stage: Stage, key: JobKey) -> Usage:
        [run] = [run for run in stage.state.runs.values() if run.key.job == key]
        assert run.units is not None
        return run.units
