"""Runs of one job that would be under way together."""

from __future__ import annotations

from datetime import timedelta
from itertools import pairwise

from tests.e2e.conftest import eventually, instant
from tests.e2e.life.scene import PATIENCE, Scene, Service, Step

HELD = Step(held=True)
LIMIT = "5m"


def _begun(scene: Scene, overlap: str) -> tuple[str, Service, str]:
    """A job, its service, and a run that is under way until the service lets it go."""
    service = scene.service(HELD)
    job = scene.job(overlap.replace("_", "-"), service, overlap=overlap, timeout=LIMIT)
    first = scene.trigger(job)
    scene.calls(service, 1)
    return job, service, first


def a_run_that_would_overlap_is_skipped_and_names_the_other(scene: Scene) -> None:
    job, service, first = _begun(scene, "skip")
    second = scene.ended(job, scene.trigger(job))
    assert (second["state"], second["blocked_by"]) == ("skipped", first)
    service.let_go.set()
    assert scene.ended(job, first)["state"] == "succeeded"
    assert len(service.calls) == 1
    assert any(first in one["text"] for one in scene.explained(job) if one["kind"] == "skipped")


def one_run_waits_for_the_end_of_the_other_and_the_next_is_skipped(scene: Scene) -> None:
    job, service, first = _begun(scene, "queue_one")
    later = {scene.trigger(job), scene.trigger(job)}
    [skipped] = scene.all_ended(job, 1)
    service.let_go.set()
    [waited] = [scene.ended(job, run_id) for run_id in later - {skipped["run_id"]}]
    assert (skipped["state"], skipped["blocked_by"]) == ("skipped", waited["run_id"])
    assert waited["state"] == "succeeded"
    assert instant(waited["started_at"]) >= instant(scene.ended(job, first)["finished_at"])
    assert service.most_at_once == 1
    scene.explained(job)


def a_newer_run_takes_the_place_of_the_one_under_way(scene: Scene) -> None:
    job, _, first = _begun(scene, "replace")
    second = scene.ended(job, scene.trigger(job))
    replaced = scene.ended(job, first)
    assert (replaced["state"], replaced["cancelled_by"]) == ("cancelled", f"run {second['run_id']}")
    assert second["state"] == "succeeded"
    assert instant(second["started_at"]) >= instant(replaced["finished_at"])
    scene.explained(job)


def a_fixed_delay_keeps_its_distance_to_the_end_of_the_run_before(scene: Scene) -> None:
    service = scene.service(then=Step(seconds=1.5))
    job = scene.job("delayed", service, schedule="@after 2s", timeout="30s")
    runs = scene.all_ended(job, 4)
    scene.client.pause(job)
    assert {run["state"] for run in runs} == {"succeeded"}
    for before, after in pairwise(runs):
        rest = instant(after["scheduled_for"]) - instant(before["finished_at"])
        assert timedelta(seconds=2) <= rest < timedelta(seconds=3)
        assert instant(after["started_at"]) >= instant(after["scheduled_for"])
    assert service.most_at_once == 1
    scene.explained(job)


def no_more_runs_of_a_job_are_under_way_than_it_lets(scene: Scene) -> None:
    service = scene.service(then=Step(seconds=2))
    job = scene.job("narrow", service, max_concurrency=2, timeout="30s")
    ids = [scene.client.trigger(job)["run_id"] for _ in range(5)]
    assert {scene.ended(job, run_id)["state"] for run_id in ids} == {"succeeded"}
    assert len(service.calls) == 5
    assert service.most_at_once <= 2
    scene.explained(job)


def two_jobs_share_a_limit_and_a_run_says_that_it_waits_for_it(scene: Scene) -> None:
    service = scene.service(HELD)
    shared = [{"name": "db", "max": 1}]
    holder, other = (scene.job(name, service, limits=shared, timeout=LIMIT) for name in ("reads", "writes"))
    first = scene.trigger(holder)
    scene.calls(service, 1)
    second = scene.trigger(other)

    def waits() -> str | None:
        return scene.run(other, second)["waits_for"]

    assert eventually(waits, seconds=PATIENCE, every=1, what="a run that waits") == "limit db, 1 of 1 in use"
    assert [(each["job"], each["run_id"]) for each in scene.run(other, second)["held_by"]] == [(holder, first)]
    service.let_go.set()
    for job, run_id in ((holder, first), (other, second)):
        ended = scene.ended(job, run_id)
        assert (ended["state"], ended["waits_for"]) == ("succeeded", None)
        scene.explained(job)
    assert service.most_at_once == 1


SCENARIOS = (
    a_run_that_would_overlap_is_skipped_and_names_the_other,
    one_run_waits_for_the_end_of_the_other_and_the_next_is_skipped,
    a_newer_run_takes_the_place_of_the_one_under_way,
    a_fixed_delay_keeps_its_distance_to_the_end_of_the_run_before,
    no_more_runs_of_a_job_are_under_way_than_it_lets,
    two_jobs_share_a_limit_and_a_run_says_that_it_waits_for_it,
)
