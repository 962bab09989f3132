import pytest

from minutehand.client import Client, StillRunning, follow_backfill, wait_for_run
from tests.unit.client.fake.documents import make_backfill
from tests.unit.client.fake_api import FakeApi

RUN = "20261120T090000Z"


class Clock:
    """Time that passes only in `sleep`; `then` runs after each."""

    def __init__(self) -> None:
        self.now = 100.0
        self.slept: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        self.slept.append(seconds)

    def monotonic(self) -> float:
        return self.now


def test_waiting_goes_on_over_retries_and_ends_with_the_run(api: FakeApi, client: Client) -> None:
    api.add_job("demo/beat")
    run = api.add_run("demo/beat", RUN, "queued")
    states = iter(["running", "retrying", "waiting", "running", "failed"])
    api.before = lambda request: run.update(state=next(states))
    clock = Clock()
    ended = wait_for_run(client, client.run("demo/beat", RUN), timeout=60, sleep=clock.sleep, monotonic=clock.monotonic)
    assert ended["state"] == "failed"
    assert clock.slept == [0.25, 0.5, 1.0, 2.0]


def test_a_run_that_has_ended_is_not_asked_for(api: FakeApi, client: Client) -> None:
    run = api.add_run("demo/beat", RUN, "skipped")
    assert wait_for_run(client, run, timeout=60)["state"] == "skipped"
    assert api.requests == []


def test_at_the_time_out_the_run_is_still_on_its_way_and_the_error_says_how_to_see_it(
    api: FakeApi, client: Client
) -> None:
    api.add_job("demo/beat")
    run = api.add_run("demo/beat", RUN, "running")
    clock = Clock()
    with pytest.raises(StillRunning) as caught:
        wait_for_run(client, run, timeout=5, sleep=clock.sleep, monotonic=clock.monotonic)
    assert sum(clock.slept) == pytest.approx(5)
    assert f"minutehand run demo/beat {RUN}" in str(caught.value.hint)


def test_a_backfill_is_told_as_it_stands_and_each_time_it_has_come_further(api: FakeApi, client: Client) -> None:
    api.add_job("demo/beat")
    api.backfills["demo/beat"] = {"0a1b": (kept := make_backfill("demo/beat"))}
    steps = iter([{}, {"ended": {"succeeded": 1}}, {}, {"state": "done", "finished_at": "2026-11-20T09:00:00Z"}])
    api.before = lambda request: kept.update(next(steps))
    clock = Clock()
    told = list(follow_backfill(client, dict(kept), sleep=clock.sleep, monotonic=clock.monotonic))  # type: ignore[arg-type]
    assert [(found["state"], found["ended"]) for found in told] == [
        ("active", {}),
        ("active", {"succeeded": 1}),
        ("done", {"succeeded": 1}),
    ]
    assert clock.slept == [2.0] * 4


def test_following_a_backfill_ends_when_time_is_over(api: FakeApi, client: Client) -> None:
    api.add_job("demo/beat")
    api.backfills["demo/beat"] = {"0a1b": (kept := make_backfill("demo/beat"))}
    clock = Clock()
    told = list(follow_backfill(client, dict(kept), timeout=3, sleep=clock.sleep, monotonic=clock.monotonic))  # type: ignore[arg-type]
    assert told == [kept]
    assert clock.slept == [2.0, 1.0]
