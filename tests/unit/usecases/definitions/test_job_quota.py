"""A quota of jobs: what would exceed it is refused, and nothing is written."""

from __future__ import annotations

from datetime import timedelta

import pytest

from minutehand.domain.actor import Actor
from minutehand.domain.errors import QuotaReached
from minutehand.domain.job_key import JobKey
from minutehand.domain.quota import JobCount, Quota
from minutehand.usecases.definitions import manage, namespaces
from minutehand.usecases.queries.quota_use import quota_use
from tests.unit.domain.examples import KEY, job
from tests.unit.usecases.stage import Stage

WHO = Actor("ada")


@pytest.fixture
def stage() -> Stage:
    return Stage("09:00:30")


def allow(stage: Stage, jobs: int | None) -> None:
    namespaces.set_quota(stage.ports, "shop", Quota(jobs=jobs), who=WHO)


def made(stage: Stage, *names: str) -> None:
    for name in names:
        stage.save(key=JobKey("shop", name))


def test_a_job_beyond_the_quota_is_refused_and_nothing_of_it_is_stored(stage: Stage) -> None:
    allow(stage, 2)
    made(stage, "one", "two")
    with pytest.raises(
        QuotaReached, match=r"namespace shop has 2 of at most 2 jobs; delete one \(it .*\), or ask the operator"
    ):
        made(stage, "three")
    assert {key.name for key in stage.state.definitions} == {key.name for key in stage.state.timers} == {"one", "two"}
    assert len([record for record in stage.state.audits.values() if record.job]) == 2
    stage.save(key=JobKey("other", "three"))


def test_edits_and_deletes_go_on_at_the_quota_and_a_deleted_job_makes_room(stage: Stage) -> None:
    made(stage, "one", "two", "three")
    allow(stage, 2)
    stage.save(key=JobKey("shop", "three"), description="edited")
    manage.delete(stage.ports, JobKey("shop", "three"), who=WHO)
    with pytest.raises(QuotaReached, match=r"delete one \(it counts for 10 seconds more\)"):
        made(stage, "three")
    manage.delete(stage.ports, JobKey("shop", "two"), who=WHO)
    with pytest.raises(QuotaReached):
        made(stage, "three")
    stage.now += timedelta(seconds=10)
    made(stage, "three")
    assert stage.state.job_counts["shop"].jobs == 2


def test_a_quota_of_no_jobs_lets_none_be_made(stage: Stage) -> None:
    allow(stage, 0)
    with pytest.raises(QuotaReached, match="0 of at most 0"):
        stage.save()


def test_a_dry_run_is_refused_too(stage: Stage) -> None:
    allow(stage, 1)
    made(stage, "one")
    with pytest.raises(QuotaReached):
        manage.preview(stage.ports, job(key=KEY), keep_paused=True, who=WHO)


def test_refused_saves_dry_runs_and_reads_of_the_quota_share_one_count_for_some_seconds(stage: Stage) -> None:
    allow(stage, 1)
    made(stage, "one")
    stage.now += timedelta(seconds=10)
    stage.namespaces.calls.clear()
    for seconds, counts in ((0, 1), (9, 1), (1, 2)):
        stage.now += timedelta(seconds=seconds)
        for name in ("two", "three"):
            with pytest.raises(QuotaReached):
                made(stage, name)
            with pytest.raises(QuotaReached):
                manage.preview(stage.ports, job(key=JobKey("shop", name)), keep_paused=True, who=WHO)
            assert quota_use(stage.ports, stage.state.settings["shop"]).jobs == 1
        assert stage.namespaces.calls["count_jobs"] == counts


def test_a_number_that_was_counted_before_the_quota_was_set_is_not_believed(stage: Stage) -> None:
    stage.state.job_counts["shop"] = JobCount(5, stage.now - timedelta(seconds=1))
    allow(stage, 2)
    made(stage, "one", "two")
    with pytest.raises(QuotaReached, match="2 of at most 2"):
        made(stage, "three")


def test_without_a_quota_a_save_counts_nothing_and_one_that_makes_no_job_reads_no_settings(stage: Stage) -> None:
    stage.save()
    stage.save(description="edited")
    manage.delete(stage.ports, KEY, who=WHO)
    assert stage.namespaces.calls == {"get": 1}


def test_of_two_saves_at_once_for_the_last_place_one_is_refused(stage: Stage) -> None:
    allow(stage, 2)
    made(stage, "one")
    stage.definitions.before("save", lambda: made(stage, "two"))
    with pytest.raises(QuotaReached):
        made(stage, "three")
    assert {key.name for key in stage.state.definitions} == {"one", "two"}


def test_a_job_that_is_made_while_others_are_counted_is_not_forgotten(stage: Stage) -> None:
    allow(stage, 2)
    made(stage, "one")
    stage.state.job_counts["shop"] = stage.state.job_counts["shop"]._replace(jobs=2)
    stage.now += timedelta(seconds=10)
    stage.namespaces.before("save_job_count", lambda: made(stage, "two"))
    with pytest.raises(QuotaReached):
        made(stage, "three")


def test_jobs_that_older_saves_made_are_counted_within_a_minute(stage: Stage) -> None:
    allow(stage, 2)
    made(stage, "one")
    counted = stage.state.job_counts["shop"]
    allow(stage, None)
    made(stage, "two")
    stage.state.settings["shop"] = namespaces.set_quota(
        stage.ports, "shop", Quota(jobs=2, jobs_since=counted.at), who=WHO
    ).namespace
    stage.now += timedelta(seconds=61)
    with pytest.raises(QuotaReached):
        made(stage, "three")


def test_a_number_that_is_too_low_is_mended_within_an_hour(stage: Stage) -> None:
    made(stage, "one", "two")
    allow(stage, 2)
    stage.now += timedelta(minutes=2)
    stage.state.job_counts["shop"] = JobCount(0, stage.now)
    stage.now += timedelta(hours=1)
    with pytest.raises(QuotaReached):
        made(stage, "three")
