from datetime import UTC, datetime, timedelta
from itertools import islice

import pytest

from minutehand.client import Client, RunFollower, follow_runs
from minutehand.client.following import DEEP_EVERY
from minutehand.domain.job_key import JobKey
from minutehand.domain.run_key import RunKey
from tests.support.api_server import ApiServer

JOB = "demo/beat"
NOW = datetime(2026, 11, 20, 8, 30, tzinfo=UTC)


def run_id(n: int) -> str:
    return f"20261120T{n // 3600:02}{n // 60 % 60:02}{n % 60:02}Z"


def states_of(follower: RunFollower) -> list[tuple[str, str]]:
    return [(run["run_id"], run["state"]) for run in follower.poll()]


def test_the_newest_runs_come_first_oldest_of_them_before_and_then_only_what_is_new(
    api: ApiServer, client: Client
) -> None:
    api.add_job(JOB)
    for n in range(30):
        api.add_run(JOB, run_id(n))
    follower = RunFollower(client, JOB, first=3, now=lambda: NOW)
    assert states_of(follower) == [(run_id(n), "succeeded") for n in (27, 28, 29)]
    assert states_of(follower) == []
    api.add_run(JOB, run_id(30), "queued")
    assert states_of(follower) == [(run_id(30), "queued")]


def test_a_run_comes_again_with_each_state_and_each_attempt(api: ApiServer, client: Client) -> None:
    api.add_job(JOB)
    key = api.add_run(JOB, run_id(1), "queued")
    follower = RunFollower(client, JOB, now=lambda: NOW)
    seen = states_of(follower)
    for state, attempt in [("running", 1), ("running", 1), ("running", 2), ("succeeded", 2), ("succeeded", 2)]:
        api.move(key, state, attempt=attempt)
        seen += states_of(follower)
    assert [state for _, state in seen] == ["queued", "running", "running", "succeeded"]


def test_a_burst_of_several_pages_between_two_polls_is_reported_whole_and_once(api: ApiServer, client: Client) -> None:
    api.add_job(JOB)
    api.add_run(JOB, run_id(0))
    follower = RunFollower(client, JOB, now=lambda: NOW)
    follower.poll()
    for n in range(1, 334):
        api.add_run(JOB, run_id(n))
    assert states_of(follower) == [(run_id(n), "succeeded") for n in range(1, 334)]
    assert states_of(follower) == []


def test_more_runs_than_a_page_can_be_asked_for_at_the_start(api: ApiServer, client: Client) -> None:
    api.add_job(JOB)
    for n in range(200):
        api.add_run(JOB, run_id(n))
    assert len(RunFollower(client, JOB, first=130, now=lambda: NOW).poll()) == 130


def test_a_run_that_appears_behind_newer_ones_on_the_first_page_is_reported_at_once(
    api: ApiServer, client: Client
) -> None:
    api.add_job(JOB)
    api.add_run(JOB, run_id(10))
    follower = RunFollower(client, JOB, now=lambda: NOW)
    follower.poll()
    for n in (80, 90, 100):
        api.add_run(JOB, run_id(n), "queued")
    follower.poll()
    late = f"{run_id(50)}~trigger-1"
    api.add_run(JOB, late, "queued")
    assert states_of(follower) == [(late, "queued")]


def test_a_run_that_appears_behind_pages_of_finished_ones_is_reported_by_the_next_deep_poll(
    api: ApiServer, client: Client
) -> None:
    api.add_job(JOB)
    api.add_run(JOB, run_id(0))
    follower = RunFollower(client, JOB, now=lambda: NOW)
    follower.poll()
    for n in range(100, 300):
        api.add_run(JOB, run_id(n))
    follower.poll()
    api.add_run(JOB, run_id(50))
    seen = [each for _ in range(DEEP_EVERY + 1) for each in states_of(follower)]
    assert seen == [(run_id(50), "succeeded")]


def test_a_poll_reads_one_page_when_nothing_happens(api: ApiServer, client: Client) -> None:
    api.add_job(JOB)
    api.add_run(JOB, run_id(0))
    follower = RunFollower(client, JOB, now=lambda: NOW)
    follower.poll()
    for n in range(1, 300):
        api.add_run(JOB, run_id(n))
    follower.poll()
    api.requests.clear()
    for _ in range(DEEP_EVERY - 1):
        follower.poll()
    assert len(api.requests) == DEEP_EVERY - 1


def test_an_old_run_that_is_still_on_its_way_is_reported_when_it_ends_far_behind_the_newest_page(
    api: ApiServer, client: Client
) -> None:
    api.add_job(JOB)
    old = api.add_run(JOB, run_id(0), "running")
    follower = RunFollower(client, JOB, now=lambda: NOW)
    follower.poll()
    for n in range(1, 200):
        api.add_run(JOB, run_id(n))
    follower.poll()
    api.move(old, "timed_out")
    assert states_of(follower) == [(run_id(0), "timed_out")]


def test_an_unfinished_run_whose_record_is_gone_is_forgotten(api: ApiServer, client: Client) -> None:
    api.add_job(JOB)
    api.add_run(JOB, run_id(0), "running")
    follower = RunFollower(client, JOB, now=lambda: NOW)
    follower.poll()
    api.state.runs.clear()
    assert states_of(follower) == []
    assert states_of(follower) == []


def test_history_before_the_first_poll_is_not_reported_later(api: ApiServer, client: Client) -> None:
    api.add_job(JOB)
    for n in range(100):
        api.add_run(JOB, run_id(n))
    follower = RunFollower(client, JOB, first=2, now=lambda: NOW)
    follower.poll()
    assert [each for _ in range(DEEP_EVERY * 2) for each in states_of(follower)] == []


def test_following_sleeps_between_polls(api: ApiServer, client: Client) -> None:
    api.add_job(JOB)
    api.add_run(JOB, run_id(0))
    slept: list[float] = []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        api.add_run(JOB, run_id(len(slept)))

    events = follow_runs(client, JOB, every=3.0, sleep=sleep, now=lambda: NOW)
    assert [run["run_id"] for run in islice(events, 4)] == [run_id(n) for n in range(4)]
    assert slept == [3.0, 3.0, 3.0]


@pytest.mark.thorough
def test_reading_down_to_the_start_gets_rarer_the_more_it_reads(api: ApiServer, client: Client) -> None:
    api.add_job(JOB)
    api.add_run(JOB, run_id(0))
    follower = RunFollower(client, JOB, now=lambda: NOW)
    follower.poll()
    for n in range(1, 2000):  # 40 pages
        api.add_run(JOB, run_id(n))
    follower.poll()
    api.requests.clear()
    polls = 200
    for _ in range(polls):
        follower.poll()
    assert polls < len(api.requests) < 2 * polls


def test_a_run_claimed_ahead_is_reported_once_its_instant_has_come_or_it_has_left_the_queue(
    api: ApiServer, client: Client
) -> None:
    api.add_job(JOB)
    for n in range(200):
        api.claim_ahead(JOB, run_id(n), claimed_at=datetime(2026, 11, 19, 23, 59, tzinfo=UTC))
    start = now = datetime(2026, 11, 20, tzinfo=UTC)
    follower = RunFollower(client, JOB, now=lambda: now)
    assert states_of(follower) == [(run_id(0), "queued")]
    now = start + timedelta(seconds=2)
    assert states_of(follower) == [(run_id(1), "queued"), (run_id(2), "queued")]
    api.move(RunKey(JobKey("demo", "beat"), run_id(9)), "skipped")
    api.move(RunKey(JobKey("demo", "beat"), run_id(0)), "succeeded")
    assert states_of(follower) == [(run_id(0), "succeeded"), (run_id(9), "skipped")]
