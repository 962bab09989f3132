"""Runs that follow from others, or from a past that is replayed; and a pause that ends by itself."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

from tests.e2e.conftest import eventually, instant
from tests.e2e.life.scene import PATIENCE, Scene, Step


def a_backfill_replays_an_hour_two_at_a_time_until_it_is_cancelled(scene: Scene) -> None:
    service = scene.service(then=Step(seconds=2))
    job = scene.job("replayed", service, schedule="*/5 * * * *", timeout="30s")
    end = datetime.now(UTC).replace(minute=0, second=0, microsecond=0)
    start = end - timedelta(hours=1)
    assert scene.client.preview_backfill(job, start, end)["occurrences"] == 12
    backfill = scene.client.backfill(job, start, end, concurrency=2)["id"]
    scene.calls(service, 5)
    scene.client.cancel_backfill(job, backfill)

    def over() -> bool:
        return scene.client.get_backfill(job, backfill)["finished_at"] is not None

    eventually(over, seconds=PATIENCE, every=1, what="what had begun has ended")
    found = scene.client.get_backfill(job, backfill)
    assert (found["state"], found["active"]) == ("cancelled", [])
    assert 5 <= found["ended"]["succeeded"] < 12
    replayed = [run for run in scene.runs(job) if "~backfill-" in run["run_id"]]
    begun = [run for run in replayed if run["attempt"]]
    called = [call for call in service.calls if "~backfill-" in call["headers"]["Minutehand-Run-Id"]]
    assert len(called) == len(begun) == found["ended"]["succeeded"]
    assert [instant(run["scheduled_for"]) for run in begun] == [
        start + n * timedelta(minutes=5) for n in range(len(begun))
    ]
    assert service.most_at_once <= 3  # and one of the schedule itself
    scene.explained(job)


def two_parents_of_one_instant_start_one_run_that_is_told_how_they_ended(scene: Scene) -> None:
    parents, child = scene.service(then=Step(seconds=1)), scene.service()
    due = datetime.now(UTC).replace(month=1, day=1, hour=0, minute=0, second=0, microsecond=0)
    left, right = (scene.job(name, parents, schedule="@yearly") for name in ("left", "right"))
    job = scene.job("joined", child, depends_on=[{"job": "left"}, {"job": "right"}])
    for parent in (left, right):
        scene.client.backfill(parent, due, due + timedelta(seconds=1))
    [run] = scene.all_ended(job, 1)
    assert (run["state"], instant(run["scheduled_for"])) == ("succeeded", due)
    assert {parent["job"] for parent in run["parents"]} == {left, right}
    [call] = child.calls
    parents = json.loads(call["body"])["parents"]
    assert [(one["job"], one["state"], one["result"]["status"]) for one in parents] == [
        (left, "succeeded", 200),
        (right, "succeeded", 200),
    ]
    for parent in (left, right):
        [ended] = scene.runs(parent)
        assert instant(run["started_at"]) >= instant(ended["finished_at"])
        scene.explained(parent)
    scene.explained(job)


def a_pause_ends_by_itself_and_is_explained(scene: Scene) -> None:
    service = scene.service()
    until = datetime.now(UTC).replace(microsecond=0) + timedelta(seconds=30)
    text = until.isoformat().replace("+00:00", "Z")
    job = scene.job("paused", service, schedule="*/2 * * * * *", paused={"until": text})
    runs = scene.all_ended(job, 2)
    scene.client.pause(job)
    assert all(instant(run["scheduled_for"]) >= until for run in runs)
    [finding] = scene.client.explain(job, at=until - timedelta(seconds=1))["items"]
    assert (finding["kind"], instant(finding["until"])) == ("paused", until)
    scene.explained(job)


SCENARIOS = (
    a_backfill_replays_an_hour_two_at_a_time_until_it_is_cancelled,
    two_parents_of_one_instant_start_one_run_that_is_told_how_they_ended,
    a_pause_ends_by_itself_and_is_explained,
)
