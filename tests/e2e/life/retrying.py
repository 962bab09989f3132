"""Attempts that fail, and what follows them."""

from __future__ import annotations

from datetime import timedelta
from itertools import pairwise

from tests.e2e.conftest import instant
from tests.e2e.life.scene import Scene, Step

QUICKLY = {"initial": "1s", "factor": 2, "jitter": 0}


def a_run_is_tried_again_with_growing_waits_until_it_succeeds(scene: Scene) -> None:
    service = scene.service(Step(503), Step(503))
    job = scene.job("flaky", service, retry={"max_attempts": 4, "backoff": QUICKLY}, record_units=True)
    run = scene.ended(job, scene.trigger(job))
    assert (run["state"], run["attempt"]) == ("succeeded", 3)
    assert [attempt["state"] for attempt in run["attempts"]] == ["failed", "failed", "succeeded"]
    assert len({attempt["number"] for attempt in run["attempts"]}) == 3
    sent = [call["headers"] for call in service.calls]
    assert [headers["Minutehand-Attempt"] for headers in sent] == ["1", "2", "3"]
    assert [headers["Minutehand-Attempts-Left"] for headers in sent] == ["3", "2", "1"]
    first, second = [later - earlier for earlier, later in pairwise(instant(call["at"]) for call in service.calls)]
    assert first >= timedelta(seconds=1)
    assert second >= timedelta(seconds=2)
    used = run["units"]
    assert used["write"] >= 10 + 3 * 2 + 3, used  # the trigger, the attempts, and their answers, of 1 KB or more
    # An attempt whose message is alone in its batch reads 3 units in 2 calls, and shares them where it is not.
    assert 3 < used["read"] <= 3 * 3, used
    assert 3 * 3 < used["calls"] <= 3 * 5, used  # start, output, report, and what a batch shares
    assert used["worker_ms"] > 0, used
    scene.explained(job)


def an_answer_that_the_job_gives_up_on_is_the_last(scene: Scene) -> None:
    service = scene.service(Step(503), then=Step(404))
    job = scene.job("gone", service, retry={"max_attempts": 5, "backoff": QUICKLY, "give_up_on": ["4xx"]})
    run = scene.ended(job, scene.trigger(job))
    assert (run["state"], run["attempt"], run["result"]["status"]) == ("failed", 2, 404)
    assert len(service.calls) == 2
    scene.explained(job)


def the_limit_of_the_whole_run_ends_it_whatever_attempts_are_left(scene: Scene) -> None:
    service = scene.service(Step(500), then=Step(seconds=30))
    limits = {"timeout": "13s", "run_timeout": "14s"}
    job = scene.job("endless", service, retry={"max_attempts": 20, "backoff": QUICKLY}, **limits)
    run = scene.ended(job, scene.trigger(job))
    assert (run["state"], run["attempt"]) == ("timed_out", 2)
    assert [attempt["state"] for attempt in run["attempts"]] == ["failed", "timed_out"]
    scene.explained(job)


SCENARIOS = (
    a_run_is_tried_again_with_growing_waits_until_it_succeeds,
    an_answer_that_the_job_gives_up_on_is_the_last,
    the_limit_of_the_whole_run_ends_it_whatever_attempts_are_left,
)
