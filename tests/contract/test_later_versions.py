"""Items of a later version: what this version does not know it keeps, and what it must not ignore it sets aside."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Annotated, Any

import pytest

from minutehand.adapters.dynamodb.codecs import definition_codec, keys
from minutehand.domain.actor import Actor
from minutehand.domain.calendar import CalendarKey
from minutehand.domain.concurrency import NobodyLive
from minutehand.domain.declaration.field import Field
from minutehand.domain.definition import Definition
from minutehand.domain.errors import NeedsNewerVersion, Unavailable
from minutehand.domain.job import Job
from minutehand.domain.job_key import JobKey
from minutehand.domain.occurrence_rule import compiled
from minutehand.domain.run import Run, RunState, SkipReason
from minutehand.domain.taken_limit import LimitKind, TakenLimit
from minutehand.domain.timer import BrokenTimer
from minutehand.usecases.definitions import calendars, manage, namespaces
from minutehand.usecases.definitions.calendars import Content
from minutehand.usecases.dispatching.claim import DispatchReport
from minutehand.usecases.dispatching.dispatch import dispatch
from tests.contract.conftest import Server
from tests.contract.examples import MINUTE, NINE, creation, definition_of, timer_of
from tests.contract.stores import Stores, in_dynamodb


@dataclass(frozen=True, kw_only=True, slots=True)
class LaterJob(Job):
    """A job as a later version declares it: with a field for people, and a limit that nobody may ignore."""

    color: Annotated[str, Field("For people.")] = ""
    pace_limit: Annotated[timedelta | None, Field("A limit.", needs="pace_limit")] = None


@pytest.fixture
def stores(server: Server) -> Stores:
    """The stores of one server; what is in memory has no version."""
    return in_dynamodb(server.client, server.jobs_table, server.runs_table)


def job_of(job: JobKey, **fields: Any) -> Job:
    """The job of a definition, with some fields changed."""
    return replace(definition_of(job).job, **fields)


def save_as_later(stores: Stores, job: JobKey, **fields: Any) -> None:
    """Save a job as the later version does."""
    change = creation(job)
    plain = {name: getattr(change.after.job, name) for name in Job.__dataclass_fields__}
    later = LaterJob(**plain, **fields)
    assert stores.definitions.save(change._replace(after=replace(change.after, job=later)))


@pytest.fixture
def read_as_later(server: Server, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Reads a definition as the later version does."""

    def read(job: JobKey) -> Definition:
        item = server.client.get_item(TableName=server.jobs_table, Key=keys.definition(job))["Item"]
        with monkeypatch.context() as later:
            later.setattr(definition_codec, "Job", LaterJob)
            return definition_codec.decode(item)

    return read


def put_attribute(server: Server, key: Any, name: str, value: Any, *, table: str | None = None) -> None:
    """Add an attribute to an item, as a later version would."""
    server.client.update_item(
        TableName=table or server.jobs_table,
        Key=key,
        UpdateExpression="SET #name = :value",
        ExpressionAttributeNames={"#name": name},
        ExpressionAttributeValues={":value": value},
    )


def attribute(server: Server, key: Any, name: str) -> Any:
    """An attribute of an item of the Jobs table."""
    return server.client.get_item(TableName=server.jobs_table, Key=key)["Item"].get(name)


def test_a_field_that_this_version_does_not_know_outlives_its_pauses_and_edits(stores, ports, job, read_as_later):
    save_as_later(stores, job, color="red")
    read = stores.definitions.get([job])[job]
    assert read.job.unknown == {"color": "red"}

    manage.pause(ports, job, who=Actor("ann"))
    manage.save(ports, job_of(job, description="edited"), keep_paused=False, who=Actor("ann"))

    later = read_as_later(job)
    assert (later.job.description, later.job.color, later.revision) == ("edited", "red", 3)


def test_saving_the_same_job_again_changes_nothing_in_what_a_later_version_stored(stores, ports, job, read_as_later):
    save_as_later(stores, job, color="red")
    saved = manage.save(ports, job_of(job), keep_paused=False, who=Actor("ann"))
    assert not saved.changed
    assert read_as_later(job).job.color == "red"


def test_a_limit_that_this_version_does_not_know_keeps_it_from_reading_and_saving_the_job(
    stores, ports, job, read_as_later
):
    save_as_later(stores, job, pace_limit=MINUTE)
    with pytest.raises(NeedsNewerVersion, match="needs pace_limit, which this version does not know; deploy"):
        stores.definitions.get([job])
    with pytest.raises(NeedsNewerVersion):
        manage.pause(ports, job, who=Actor("ann"))
    assert read_as_later(job).job.pace_limit == MINUTE


def test_a_limit_that_is_not_used_keeps_nobody_from_reading(stores, job):
    save_as_later(stores, job)
    assert stores.definitions.get([job])[job].job.unknown == {}


def test_a_tick_leaves_a_timer_that_needs_a_later_version_due_and_says_why(server, stores, ports, job):
    hourly = compiled(job_of(job, schedule="0 * * * *", paused=False, paused_until=None, max_runs=None, jitter=None))
    due = timer_of(job, rule=hourly.encode())
    assert stores.definitions.save(creation(job)._replace(timer_after=due))
    put_attribute(server, keys.timer(job), "needs", {"SS": ["pace_limit"]})
    timer = stores.timers.get(job)
    assert isinstance(timer, BrokenTimer)
    assert timer.newer

    report = DispatchReport()
    dispatch([timer], ports=ports, look_ahead=ports.look_ahead, report=report)
    assert "pace_limit" in report.problems[0]
    assert stores.runs.page(job, 10, None).items == ()

    server.client.update_item(TableName=server.jobs_table, Key=keys.timer(job), UpdateExpression="REMOVE needs")
    report = DispatchReport()
    dispatch([stores.timers.get(job)], ports=ports, look_ahead=ports.look_ahead, report=report)
    assert report.problems == []
    assert [run.scheduled_for for run in stores.runs.page(job, 10, None).items] == [NINE]


def test_an_attribute_of_a_timer_that_this_version_does_not_know_outlives_an_edit(server, stores, ports, job):
    assert stores.definitions.save(creation(job))
    put_attribute(server, keys.timer(job), "color", {"M": {"red": {"N": "255"}}})
    manage.save(ports, job_of(job, description="edited"), keep_paused=False, who=Actor("ann"))
    assert attribute(server, keys.timer(job), "color") == {"M": {"red": {"N": "255"}}}


def test_a_run_that_needs_a_later_version_cannot_be_read_to_be_started(server, stores, job, run: Run):
    put_attribute(
        server,
        {"job": {"S": str(job)}, "run_id": {"S": run.key.run_id}},
        "needs",
        {"SS": ["pace_limit"]},
        table=server.runs_table,
    )
    with pytest.raises(NeedsNewerVersion, match="pace_limit"):
        stores.runs.get([run.key])


@pytest.mark.parametrize(
    ("fields", "needs"),
    [
        ({"waits_for": NobodyLive("web").taken, "retry_at": NINE}, ["pools"]),
        ({"waits_for": NobodyLive("web", "a").taken, "retry_at": NINE}, ["pools"]),
        ({"waits_for": NobodyLive("web", "", (("role", "web"),)).taken, "retry_at": NINE}, ["pools"]),
        ({"state": RunState.SKIPPED, "attempt": 1, "skip_reason": SkipReason.TARGET}, ["skips_by_targets"]),
        ({"waits_for": TakenLimit(LimitKind.NAMED, 3, "db"), "retry_at": NINE}, None),
        ({"state": RunState.SKIPPED, "skip_reason": SkipReason.PAUSED}, None),
    ],
)
def test_a_run_names_what_earlier_versions_must_know_to_read_its_newer_values(server, stores, run, fields, needs):
    stored = stores.runs.move(run, replace(run, **fields))
    key = {"job": {"S": str(run.key.job)}, "run_id": {"S": run.key.run_id}}
    item = server.client.get_item(TableName=server.runs_table, Key=key)["Item"]
    assert item.get("needs") == (needs and {"SS": needs})
    assert stores.runs.get([run.key]) == {run.key: stored}


def test_a_run_that_no_longer_waits_for_a_pool_can_be_read_by_earlier_versions_again(server, stores, run):
    waits = stores.runs.move(run, replace(run, waits_for=NobodyLive("web").taken, retry_at=NINE))
    stores.runs.move(waits, replace(waits, waits_for=None, retry_at=None))
    key = {"job": {"S": str(run.key.job)}, "run_id": {"S": run.key.run_id}}
    assert "needs" not in server.client.get_item(TableName=server.runs_table, Key=key)["Item"]


def test_what_a_later_version_stored_with_a_namespace_or_a_calendar_outlives_a_save(server, ports, namespace):
    namespaces.limit(ports, namespace, 5, who=Actor("ann"))
    put_attribute(server, keys.settings(namespace), "weight", {"N": "100"})
    namespaces.limit(ports, namespace, 6, who=Actor("ann"))
    assert attribute(server, keys.settings(namespace), "weight") == {"N": "100"}

    holidays = CalendarKey(namespace, "holidays")
    content = Content(description="", dates=(), weekly=(), periods=())
    calendars.save(ports, holidays, content, who=Actor("ann"))
    later: dict[str, Any] = {"color": {"SS": ["red"]}, "zone": {"N": "0.00012345"}}  # `zone` is a reserved word
    for name, value in later.items():
        put_attribute(server, keys.calendar(holidays), name, value)
    calendars.save(ports, holidays, content._replace(description="edited"), who=Actor("ann"))
    assert {name: attribute(server, keys.calendar(holidays), name) for name in later} == later


def test_a_policy_that_this_version_does_not_know_is_not_taken_for_another(server, stores, job):
    assert stores.definitions.save(creation(job))
    text = attribute(server, keys.definition(job), "job")["S"]
    put_attribute(server, keys.definition(job), "job", {"S": text[:-1] + ',"overlap":"shuffle"}'})
    with pytest.raises(Unavailable, match="shuffle"):
        stores.definitions.get([job])


def test_a_definition_of_before_the_first_release_says_what_to_do(server, stores, job):
    assert stores.definitions.save(creation(job))
    server.client.update_item(
        TableName=server.jobs_table,
        Key=keys.definition(job),
        UpdateExpression="REMOVE #format",
        ExpressionAttributeNames={"#format": "format"},
    )
    with pytest.raises(Unavailable, match=r"stored before version 1\.0.*make clean"):
        stores.definitions.get([job])
