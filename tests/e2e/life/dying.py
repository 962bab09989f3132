"""Workers that are killed in the middle of their calls. All scenarios wait for one another, and then every worker dies."""

from __future__ import annotations

from datetime import timedelta

from tests.e2e.conftest import instant
from tests.e2e.life.scene import Scene, Service, Step

HELD = Step(held=True)
LIMIT = "15s"
"""Long enough for all calls to begin; a message whose worker died stays hidden for it and 30 s more."""


def _killed(scene: Scene, job: str, service: Service) -> str:
    """A run of the job whose worker has died while its call was under way."""
    scene.ready()
    run_id = scene.trigger(job)
    scene.calls(service, 1)
    scene.kill()
    service.let_go.set()
    return run_id


def a_worker_s_death_costs_an_attempt_and_no_run(scene: Scene) -> None:
    service = scene.service(HELD)
    job = scene.job("again", service, timeout=LIMIT)
    run = scene.ended(job, _killed(scene, job, service))
    assert (run["state"], run["attempt"]) == ("succeeded", 2)
    assert [call["headers"]["Minutehand-Attempt"] for call in service.calls] == ["1", "2"]
    scene.explained(job)


def a_run_that_may_not_be_taken_over_is_lost(scene: Scene) -> None:
    service = scene.service(HELD)
    job = scene.job("at-most-once", service, timeout=LIMIT, takeovers=0, retry={"max_attempts": 3})
    run = scene.ended(job, _killed(scene, job, service))
    assert (run["state"], run["attempt"], len(service.calls)) == ("lost", 1, 1)
    assert "attempt 1 ended without a report" in run["error"]["message"]
    scene.explained(job)


def a_take_over_is_none_of_the_attempts_that_a_job_allows(scene: Scene) -> None:
    service = scene.service(HELD, Step(500))
    retry = {"max_attempts": 2, "backoff": {"initial": "1s", "jitter": 0}}
    job = scene.job("retried", service, timeout=LIMIT, retry=retry)
    run = scene.ended(job, _killed(scene, job, service))
    assert (run["state"], run["attempt"]) == ("succeeded", 3)
    killed, failed, succeeded = run["attempts"]
    assert (killed["finished_at"], failed["state"], succeeded["state"]) == (None, "failed", "succeeded")
    assert len({attempt["worker"] for attempt in run["attempts"]}) == 3
    scene.explained(job)


def a_fixed_delay_goes_on_after_the_end_of_the_run_whose_worker_died(scene: Scene) -> None:
    service = scene.service(HELD, then=Step(seconds=1))
    scene.ready()
    job = scene.job("delayed", service, timeout=LIMIT, schedule="@after 2s")
    scene.calls(service, 1)
    scene.kill()
    service.let_go.set()
    first, second, *_ = scene.all_ended(job, 2)
    scene.client.pause(job)
    assert [(run["state"], run["attempt"]) for run in (first, second)] == [("succeeded", 2), ("succeeded", 1)]
    rest = instant(second["scheduled_for"]) - instant(first["finished_at"])
    assert timedelta(seconds=2) <= rest < timedelta(seconds=3)
    scene.explained(job)


def a_run_whose_worker_died_does_not_block_those_that_queue_behind_it_for_ever(scene: Scene) -> None:
    service = scene.service(HELD)
    job = scene.job("queueing", service, timeout=LIMIT, overlap="queue_all", takeovers=0)
    first = _killed(scene, job, service)
    behind = scene.trigger(job)
    assert scene.ended(job, first)["state"] == "lost"
    assert scene.ended(job, behind)["state"] == "succeeded"
    assert service.most_at_once == 1
    scene.explained(job)


SCENARIOS = (
    a_worker_s_death_costs_an_attempt_and_no_run,
    a_run_that_may_not_be_taken_over_is_lost,
    a_take_over_is_none_of_the_attempts_that_a_job_allows,
    a_fixed_delay_goes_on_after_the_end_of_the_run_whose_worker_died,
    a_run_whose_worker_died_does_not_block_those_that_queue_behind_it_for_ever,
)
