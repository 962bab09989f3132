"""Contract of stores of records of changes: each is stored with its change or not at all, and never replaced."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from minutehand.domain.actor import Actor
from minutehand.domain.audit import Action, audit_record
from minutehand.domain.calendar import CalendarKey
from minutehand.domain.errors import Invalid
from minutehand.domain.job import Job
from minutehand.domain.namespace import Namespace
from minutehand.domain.run import RunState
from minutehand.domain.timer import Deadline
from minutehand.targets.http.fields import HttpTarget
from minutehand.usecases.definitions import calendars, manage, namespaces
from minutehand.usecases.definitions.calendars import Content
from minutehand.usecases.operations import backfill
from minutehand.usecases.operations.backfill import BackfillSpec
from minutehand.usecases.operations.trigger import trigger
from minutehand.usecases.ports.audits import Wanted
from minutehand.usecases.ports.stores import Payload
from tests.contract.examples import HOUR, MILLISECONDS, MINUTE, NINE, calendar_of, creation, edit, started

ADA = Actor("ada", "198.51.100.7", "curl/8.5", "req-1", "t-x62oshiouq")
BOB = Actor("bob")
ALL = Wanted()
KEPT = timedelta(days=400)


def record_of(namespace, *, job="", at=NINE, action=Action.SAVE, who=ADA, **more):
    return audit_record(who, action, at, namespace=namespace, job=job, kept=KEPT, **more)


def records(stores, namespace, wanted=ALL):
    """All that are wanted, in pages of two."""
    found, cursor = [], None
    while True:
        page = stores.audits.page(namespace, wanted, 2, cursor)
        assert len(page.items) <= 2
        found += page.items
        if page.next is None:
            return found
        cursor = page.next


def test_a_record_comes_back_as_it_was_stored(stores, job):
    before, after = (
        {"schedule": "@daily", "payload": {"a": [1, True, None, 1.5]}},
        {"payload": "größe ✓", "jitter": None},
    )
    record = record_of(
        job.namespace, job=job.name, at=NINE + MILLISECONDS, revision=7, before=before, after=after, run_id="x"
    )
    plain = record_of(job.namespace, who=BOB, calendar="holidays", action=Action.DELETE)
    stores.audits.add(record)
    stores.audits.add(plain)
    assert records(stores, job.namespace) == [record, plain]
    assert len(record.changes) == 3


def test_records_are_listed_newest_first_and_those_of_a_job_apart(stores, job):
    kept = [
        record_of(job.namespace, job=name, at=NINE + n * MILLISECONDS, revision=n)
        for n, name in enumerate([job.name, "other", "", job.name, "other", job.name])
    ]
    for record in kept:
        stores.audits.add(record)
    assert records(stores, job.namespace) == kept[::-1]
    assert records(stores, job.namespace, Wanted(job=job.name)) == [kept[5], kept[3], kept[0]]
    assert records(stores, f"{job.namespace}-other") == []


def test_records_are_found_by_actor_action_and_time(stores, namespace):
    kept = [
        record_of(
            namespace, at=NINE + n * MINUTE, who=BOB if n % 2 else ADA, action=Action.PAUSE if n > 2 else Action.SAVE
        )
        for n in range(6)
    ]
    for record in kept:
        stores.audits.add(record)
    assert records(stores, namespace, Wanted(actor="bob")) == [kept[5], kept[3], kept[1]]
    assert records(stores, namespace, Wanted(actor="bob", action=Action.PAUSE)) == [kept[5], kept[3]]
    assert records(stores, namespace, Wanted(start=NINE + MINUTE, end=NINE + 3 * MINUTE)) == [kept[2], kept[1]]
    assert records(stores, namespace, Wanted(start=NINE + 4 * MINUTE)) == [kept[5], kept[4]]
    assert records(stores, namespace, Wanted(end=NINE)) == []
    assert records(stores, namespace, Wanted(start=NINE + MINUTE, end=NINE)) == []


def test_a_cursor_belongs_to_one_question(stores, namespace):
    for n in range(3):
        stores.audits.add(record_of(namespace, at=NINE + n * MINUTE))
    cursor = stores.audits.page(namespace, ALL, 2, None).next
    for of, wanted in ((f"{namespace}x", ALL), (namespace, Wanted(actor="ada")), (namespace, Wanted(start=NINE))):
        with pytest.raises(Invalid):
            stores.audits.page(of, wanted, 2, cursor)


def test_a_record_is_never_replaced(stores, namespace):
    first = record_of(namespace)
    stores.audits.add(first)
    stores.audits.add(first)
    stores.audits.add(replace(first, left_out=9))
    assert records(stores, namespace) == [first]


def test_a_save_and_its_record_are_stored_together_or_not_at_all(stores, job):
    first, second = (record_of(job.namespace, job=job.name, revision=n) for n in (1, 2))
    assert stores.definitions.save(creation(job)._replace(audit=first))
    assert not stores.definitions.save(creation(job)._replace(audit=second))
    assert records(stores, job.namespace) == [first]
    assert stores.definitions.save(edit(job)._replace(audit=second))
    assert len(records(stores, job.namespace, Wanted(job=job.name))) == 2


def test_settings_and_their_record_are_stored_together_or_not_at_all(stores, namespace):
    first, second = (record_of(namespace, revision=n) for n in (1, 2))
    settings = Namespace(name=namespace, revision=1, updated_at=NINE, updated_by="ada")
    assert stores.namespaces.save(None, settings, first)
    assert not stores.namespaces.save(None, settings, second)
    assert not stores.namespaces.save(replace(settings, revision=7), replace(settings, revision=8), second)
    assert records(stores, namespace) == [first]
    assert stores.namespaces.save(settings, replace(settings, revision=2), second)
    assert len(records(stores, namespace)) == 2
    assert namespace in stores.definitions.namespaces()


def test_a_calendar_and_its_record_are_stored_together_or_not_at_all(stores, calendars, namespace):
    stored = calendar_of(calendars[0])
    made = record_of(namespace, calendar="holidays")
    assert not stores.calendars.save(None, stored, made)
    assert not stores.calendars.delete(stored._replace(revision=7), made)
    assert records(stores, namespace) == []
    later = stored._replace(revision=2)
    assert stores.calendars.save(stored, later, made)
    gone = record_of(namespace, calendar="holidays", action=Action.DELETE, at=NINE + MINUTE)
    assert stores.calendars.delete(later, gone)
    assert records(stores, namespace) == [gone, made]
    assert namespace in stores.definitions.namespaces()


def test_a_run_s_cancel_and_its_record_are_stored_together_or_not_at_all(stores, run):
    namespace = run.key.job.namespace
    running, marked = started(run), replace(started(run), cancelled_by="ada")
    made = record_of(namespace, job=run.key.job.name, action=Action.CANCEL, run_id=run.key.run_id)
    assert stores.runs.move_audited(running, marked, made) == run, "it is still queued"
    assert records(stores, namespace) == []
    stores.runs.move(run, running)
    assert stores.runs.move_audited(running, marked, made) == marked
    assert stores.runs.move_audited(running, marked, made) == marked
    assert records(stores, namespace) == [made]


def test_the_end_of_a_cancelled_run_its_deadline_and_its_record_are_stored_together(stores, run):
    namespace = run.key.job.namespace
    ended = replace(run, state=RunState.CANCELLED, cancelled_by="ada", finished_at=NINE + MINUTE)
    made = record_of(namespace, job=run.key.job.name, action=Action.CANCEL, run_id=run.key.run_id)
    assert stores.runs.move_reminding(run, ended, Deadline(run.key, NINE + HOUR), made) == ended
    assert records(stores, namespace) == [made]


def test_what_people_do_is_recorded_once(stores, ports, job):
    manage.save(ports, job_of(job, description="first"), keep_paused=False, who=ADA)
    manage.save(ports, job_of(job, description="first"), keep_paused=False, who=ADA)
    manage.save(ports, job_of(job, description="second"), keep_paused=False, who=BOB)
    for _ in range(2):
        triggered = trigger(ports, job, idempotency_key="k", who=ADA, payload=Payload(1))
    namespaces.limit(ports, job.namespace, 5, who=ADA)
    calendars.save(ports, CalendarKey(job.namespace, "closed"), Content("closed"), who=ADA)
    spec = BackfillSpec(NINE - HOUR, NINE)
    for _ in range(2):
        backfill.start(ports, job, spec, identity="spring", who=BOB)
    for _ in range(2):
        backfill.cancel(ports, job, "spring", who=ADA)
    manage.delete(ports, job, who=BOB)
    found = [(each.actor.name, each.action, each.about.get("run_id")) for each in records(stores, job.namespace)]
    assert sorted(found, key=str) == sorted(
        [
            ("ada", Action.SAVE, None),
            ("bob", Action.SAVE, None),
            ("ada", Action.TRIGGER, triggered.run.key.run_id),
            ("ada", Action.SAVE, None),
            ("ada", Action.SAVE, None),
            ("bob", Action.BACKFILL, None),
            ("ada", Action.CANCEL_BACKFILL, None),
            ("bob", Action.DELETE, None),
        ],
        key=str,
    )
    [edited] = [
        each for each in records(stores, job.namespace, Wanted(job=job.name, actor="bob")) if each.revision == 2
    ]
    assert [tuple(each) for each in edited.changes] == [("/description", "first", "second")]


def job_of(key, **fields):
    return Job(key=key, schedule="*/15 * * * *", target=HttpTarget(url="https://shop.test/"), **fields)
