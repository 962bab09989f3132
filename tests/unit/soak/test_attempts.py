"""The soak's checker notices what is called twice, early, or for no reason, and runs that end otherwise than they were answered."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.soak.evidence import Evidence, Job, Service
from tests.unit.soak.scene import JOB, at, broken, call_of, outage, run_of, well, with_run

FAILED = {"state": "failed", "error": {"type": "HttpStatus", "message": "503"}}


def _attempts(*times: tuple[float, float | None]) -> list[dict[str, Any]]:
    """Attempts that began and ended so many seconds after the first instant; None: without a report."""
    return [
        {
            "number": number,
            "started_at": at(begun).isoformat(),
            "finished_at": None if end is None else at(end).isoformat(),
        }
        for number, (begun, end) in enumerate(times, start=1)
    ]


def _run_of_several(evidence: Evidence, attempts: list[dict[str, Any]], **fields: Any) -> Evidence:
    last = attempts[-1]
    newest = {"started_at": last["started_at"], "finished_at": last["finished_at"], "attempt": len(attempts)}
    return with_run(evidence, 2, attempts=attempts, **(newest | fields))


def test_a_call_of_an_attempt_that_comes_twice_is_double() -> None:
    doubled = well()
    again = replace(doubled.calls[2], at=at(63), ended=at(64))
    [violation] = broken(replace(doubled, calls=(*doubled.calls, again)))["none double"]
    assert "attempt 1 of run 20261122T120130Z called 2 times" in violation


def test_a_call_for_a_run_that_the_api_does_not_know_is_noticed() -> None:
    odd = call_of(run_of(JOB, at(7)))
    assert list(broken(replace(well(), calls=(*well().calls, odd)))) == ["calls of known runs"]


def test_a_call_before_its_instant_is_early() -> None:
    early = well()
    call = replace(early.calls[2], at=at(59.9))
    [violation] = broken(with_run(early, 2, calls=(call,)))["none early"]
    assert "0.100 s before" in violation


def test_a_start_that_jitter_moves_is_judged_by_its_own_instant() -> None:
    moved = with_run(well(replace(JOB, jitter=10)), 2, starts_at=at(64))
    assert list(broken(moved)) == ["none early"]
    assert "jitter kept" in broken(with_run(moved, 2, starts_at=at(71)))
    assert "jitter kept" in broken(with_run(well(), 2, starts_at=at(60.5)))


def test_a_retry_before_its_time_is_noticed() -> None:
    job = replace(JOB, service=Service.FLAKY, failures=1, attempts=2, backoff=10)
    run = well(job).runs[job.name][2]
    calls = (call_of(run, status=500), call_of(run, attempt=2, at=at(65), ended=at(66)))
    attempts = _attempts((60.2, 60.4), (64.9, 66))
    found = broken(_run_of_several(well(job), attempts, calls=calls))
    assert [violation for violation in found["no early retry"] if "the job waits 10 s" in violation]


def test_an_attempt_that_nothing_explains_is_noticed_and_one_after_a_kill_is_not() -> None:
    run = well().runs[JOB.name][2]
    attempts = _attempts((60.2, None), (95.2, 95.4))
    calls = (call_of(run), call_of(run, attempt=2, at=at(95.3), ended=at(95.4)))
    twice = _run_of_several(well(), attempts, calls=calls)
    assert "no needless attempt" in broken(twice)
    assert broken(replace(twice, faults=(outage(at(60.3), 0, "worker killed"),))) == {}


def test_a_take_over_while_the_first_attempt_may_still_go_on_is_noticed() -> None:
    run = well().runs[JOB.name][2]
    attempts = _attempts((60.2, None), (70.2, 70.4))
    calls = (call_of(run, status=0), call_of(run, attempt=2, at=at(70.3), ended=at(70.4)))
    taken = replace(_run_of_several(well(), attempts, calls=calls), faults=(outage(at(60.3), 0, "worker killed"),))
    assert list(broken(taken)) == ["no early take-over"]


def test_attempts_with_a_gap_are_noticed() -> None:
    attempts = _attempts((60.2, None), (95.2, 95.4))
    attempts[1]["number"] = 3
    assert "attempts without gaps" in broken(_run_of_several(well(), attempts, attempt=3))


def test_more_attempts_than_the_job_allows_are_noticed() -> None:
    attempts = _attempts(*((60.2 + 40 * number, None) for number in range(6)))
    assert "attempts as allowed" in broken(_run_of_several(well(), attempts))


def test_one_failure_too_many_is_noticed() -> None:
    job = replace(JOB, service=Service.BROKEN, attempts=2)
    run = _failed(job).runs[job.name][2]
    calls = [call_of(run, attempt=number, status=503, at=at(60 + 3 * number)) for number in (1, 2, 3)]
    assert "attempts as allowed" in broken(with_run(_failed(job), 2, calls=calls, attempt=3))


def _failed(job: Job) -> Evidence:
    """All runs of the job as they are when each call fails."""
    found = well(job)
    for number, run in enumerate(found.runs[job.name]):
        calls = [
            call_of(run, attempt=one, status=503, at=at(30 * number + 3 * one)) for one in range(1, job.attempts + 1)
        ]
        found = with_run(found, number, calls=calls, **FAILED)
    return found


def test_runs_that_fail_as_often_as_their_job_allows_are_right() -> None:
    assert "ends as answered" not in broken(_failed(replace(JOB, service=Service.BROKEN, attempts=2)))


def test_a_run_that_fails_before_its_last_attempt_is_noticed() -> None:
    job = replace(JOB, service=Service.BROKEN, attempts=2)
    one = _failed(job).runs[job.name][2]
    assert "ends as answered" in broken(with_run(_failed(job), 2, calls=[call_of(one, status=503)]))


@pytest.mark.parametrize("state", ["failed", "timed_out", "cancelled", "lost"])
def test_a_healthy_run_that_ends_badly_without_a_fault_is_noticed(state: str) -> None:
    assert "ends as answered" in broken(with_run(well(), 2, state=state))


def test_a_run_is_lost_only_when_its_take_overs_are_used_up() -> None:
    job = replace(JOB, takeovers=1)
    faults = (outage(at(60.3), 60, "workers halted"),)
    once = replace(_run_of_several(well(job), _attempts((60.2, 60.4)), state="lost"), faults=faults)
    assert "ends as answered" in broken(once)
    twice = replace(_run_of_several(well(job), _attempts((60.2, None), (95.2, 130)), state="lost"), faults=faults)
    assert "ends as answered" not in broken(twice)


def test_a_run_that_succeeded_without_a_good_answer_is_noticed() -> None:
    assert "ends as answered" in broken(with_run(well(), 2, calls=()))
    later = call_of(well().runs[JOB.name][2], status=202)
    assert "ends as answered" in broken(with_run(well(), 2, calls=(later,)))
    assert broken(with_run(well(), 2, calls=(replace(later, reported=200),))) == {}


def test_a_skipped_run_that_called_is_noticed() -> None:
    assert "skipped runs call nothing" in broken(with_run(well(), 2, state="skipped", attempt=0))


def test_a_failure_whose_worker_died_before_its_report_is_no_try() -> None:
    job = replace(JOB, service=Service.BROKEN, attempts=2, backoff=2)
    run = well(job).runs[job.name][2]
    calls = [call_of(run, attempt=number, status=503, at=at(60 + 40 * number)) for number in (1, 2, 3)]
    found = _run_of_several(_failed(job), _attempts((60.2, None), (100, 101), (140, 141)), calls=calls)
    killed = replace(found, faults=(outage(at(60.3), 0, "worker killed"),))
    assert not {"attempts as allowed", "ends as answered"} & set(broken(killed))
    reported = _run_of_several(_failed(job), _attempts((60.2, 60.4), (100, 101), (140, 141)), calls=calls)
    assert {"attempts as allowed", "ends as answered"} <= set(broken(reported))
