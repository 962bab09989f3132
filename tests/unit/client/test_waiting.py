from dataclasses import replace
from datetime import timedelta

import pytest

from minutehand.client import Backfill, Client, StillRunning, follow_backfill, wait_for_run
from minutehand.domain.backfill import BackfillState
from minutehand.domain.run import RunState
from tests.support.api_server import NOW, ApiServer

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


def test_waiting_goes_on_over_retries_and_ends_with_the_run(api: ApiServer, client: Client) -> None:
    api.add_job("demo/beat")
    key = api.add_run("demo/beat", RUN, "queued")
    states = iter(["running", "retrying", "waiting", "running", "failed"])
    api.before = lambda request: api.move(key, next(states))
    clock = Clock()
    ended = wait_for_run(client, client.run("demo/beat", RUN), timeout=60, sleep=clock.sleep, monotonic=clock.monotonic)
    assert ended["state"] == "failed"
    assert clock.slept == [0.25, 0.5, 1.0, 2.0]


def test_a_run_that_has_ended_is_not_asked_for(api: ApiServer, client: Client) -> None:
    api.add_job("demo/beat")
    api.add_run("demo/beat", RUN, "skipped")
    run = client.run("demo/beat", RUN)
    api.requests.clear()
    assert wait_for_run(client, run, timeout=60)["state"] == "skipped"
    assert api.requests == []


def test_at_the_time_out_the_run_is_still_on_its_way_and_the_error_says_how_to_see_it(
    api: ApiServer, client: Client
) -> None:
    api.add_job("demo/beat")
    api.add_run("demo/beat", RUN, "running")
    run = client.run("demo/beat", RUN)
    clock = Clock()
    with pytest.raises(StillRunning) as caught:
        wait_for_run(client, run, timeout=5, sleep=clock.sleep, monotonic=clock.monotonic)
    assert sum(clock.slept) == pytest.approx(5)
    assert f"minutehand run demo/beat {RUN}" in str(caught.value.hint)


def begun(api: ApiServer, client: Client) -> Backfill:
    api.now = NOW - timedelta(hours=1)
    api.add_job("demo/beat", schedule="* * * * *")
    api.now = NOW
    return client.backfill("demo/beat", NOW - timedelta(minutes=9), NOW - timedelta(minutes=5))


def test_a_backfill_comes_as_it_is_and_each_time_it_has_come_further(api: ApiServer, client: Client) -> None:
    first = begun(api, client)
    [key] = api.state.backfills
    ended = {RunState.SUCCEEDED: 1}
    over = {"state": BackfillState.DONE, "finished_at": NOW}
    steps = iter([{}, {"counts": ended}, {}, over])
    api.before = lambda request: api.state.backfills.update({key: replace(api.state.backfills[key], **next(steps))})
    clock = Clock()
    found = list(follow_backfill(client, first, sleep=clock.sleep, monotonic=clock.monotonic))
    assert [(each["state"], each["ended"]) for each in found] == [
        ("active", {}),
        ("active", {"succeeded": 1}),
        ("done", {"succeeded": 1}),
    ]
    assert clock.slept == [2.0] * 4


def test_following_a_backfill_ends_when_time_is_over(api: ApiServer, client: Client) -> None:
    first = begun(api, client)
    clock = Clock()
    found = list(follow_backfill(client, first, timeout=3, sleep=clock.sleep, monotonic=clock.monotonic))
    assert found == [first]
    assert clock.slept == [2.0, 1.0]
