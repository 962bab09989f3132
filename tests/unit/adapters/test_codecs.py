"""Items: their sizes, and unreadable ones, which affect no other."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from minutehand.adapters.dynamodb.codecs import calendar_codec, definition_codec, run_codec, timer_codec
from minutehand.domain.calendar import MOST_SPANS, MOST_WEEKLY, Calendar, CalendarKey, DateRange, Period, Weekly
from minutehand.domain.definition import Definition, Revision
from minutehand.domain.job import Job
from minutehand.domain.job_key import JobKey
from minutehand.domain.occurrence_rule import OccurrenceRule
from minutehand.domain.outcome import ErrorType
from minutehand.domain.policies import CatchUp, Dependency, Join, On, OnBlocked, Overlap
from minutehand.domain.run import Attempt, Progress, Result, Run, RunError, RunState, Usage
from minutehand.domain.run_key import RunKey
from minutehand.domain.timer import BrokenTimer, Timer
from minutehand.schedule import Schedule
from minutehand.targets.http.fields import HttpTarget

NINE = datetime(2026, 11, 20, 9, tzinfo=UTC)
LONGEST = JobKey(namespace="n" * 128, name="j" * 128)


def size_of(item):
    """Bytes as DynamoDB counts them: names and values in UTF-8; a number is a byte for two digits, and one more."""
    total = 0
    for name, value in item.items():
        [(kind, held)] = value.items()
        total += len(name)
        if kind == "M":
            total += 3 + size_of(held) + len(held)
        else:
            total += {"S": lambda v: len(v.encode()), "N": lambda v: len(v) // 2 + 2, "BOOL": lambda _: 1}[kind](held)
    return total


def timer(job=LONGEST, schedule="0,7,14,21,28,35,42,49,56 8-18 * * MON-FRI"):
    return Timer(
        job=job,
        revision=123_456,
        next_at=NINE,
        rule=Schedule.parse(schedule, timezone="America/Argentina/ComodRivadavia").encode(),
        target="stepfunctions",
        misfire_grace=timedelta(days=365),
        catch_up=CatchUp.LATEST,
        catchup_window=timedelta(days=365),
        retention=timedelta(days=3650),
    )


def test_a_timer_takes_less_than_a_kilobyte_even_with_the_longest_names():
    assert size_of(timer_codec.encode(timer(), shards=64)) < 1024


def limited():
    """A timer with every limit that there is."""
    rule = OccurrenceRule(
        schedule=Schedule.parse("30 9 * * MON-FRI", timezone="America/Argentina/ComodRivadavia"),
        start_at=NINE,
        end_at=NINE + timedelta(days=365),
        calendars=("public-holidays-of-argentina", "stock-taking"),
        on_blocked=OnBlocked.NEXT_DAY,
        jitter=timedelta(hours=24),
    )
    west = timedelta(hours=-3)
    return replace(
        timer(), rule=rule.encode(), offset=west, runs_left=1_000_000_000, max_catch_up=150, outstanding=NINE - west
    )


def test_a_timer_with_every_limit_takes_less_than_a_kilobyte_too():
    assert size_of(timer_codec.encode(limited(), shards=64)) < 1024


def test_a_timer_comes_back_with_its_offset_and_the_runs_that_are_left():
    assert timer_codec.decode(timer_codec.encode(limited(), shards=8)) == limited()
    none_left = replace(limited(), offset=timedelta(0), runs_left=0)
    assert timer_codec.decode(timer_codec.encode(none_left, shards=8)) == none_left


def test_a_timer_without_limits_stores_none():
    assert timer_codec.encode(timer(), shards=8).keys().isdisjoint({"utc_offset", "runs_left", "max_catch_up", "occ"})


def test_a_finished_run_takes_less_than_a_kilobyte():
    run = Run(
        key=RunKey.scheduled(JobKey(namespace="n" * 64, name="j" * 64), NINE),
        target="http",
        revision=123,
        claimed_at=NINE,
        expires_at=NINE,
        state=RunState.SUCCEEDED,
        attempt=3,
        nonce="0" * 32,
        worker="0" * 36,
        lease_until=NINE,
        started_at=NINE,
        finished_at=NINE,
        lateness=timedelta(seconds=100),
        result=Result(type="http", status=200, body="x" * 256),
    )
    assert size_of(run_codec.encode(run)) < 1024


def test_a_plain_claim_takes_less_than_a_quarter_of_a_kilobyte():
    key = RunKey.scheduled(JobKey(namespace="demo", name="heartbeat"), NINE)
    run = Run(key=key, target="http", revision=1, claimed_at=NINE, expires_at=NINE)
    assert size_of(run_codec.encode(run)) < 256


def test_a_run_is_read_back_whole():
    job = JobKey(namespace="demo", name="heartbeat")
    earlier = Attempt(
        1, "log-1", "0" * 32, NINE, NINE + timedelta(seconds=3), RunState.FAILED, RunError("HttpStatus", "503")
    )
    died = Attempt(2, "log-2", "1" * 32, NINE, None, RunState.RUNNING, None)
    run = Run(
        key=RunKey.child(job, NINE, "3f2a"),
        target="http",
        revision=1,
        claimed_at=NINE,
        expires_at=NINE,
        state=RunState.WAITING,
        attempt=3,
        nonce="2" * 32,
        worker="log-3",
        lease_until=NINE,
        deadline_at=NINE + timedelta(hours=1),
        retry_at=NINE,
        cancelled_by="ada",
        blocked_by="20261120T085900Z",
        progress=Progress(None, "halfway"),
        attempts=(earlier, died),
        parents=(
            RunKey.scheduled(JobKey("demo", "extract"), NINE),
            RunKey.triggered(JobKey("demo", "load"), NINE, "a"),
        ),
        own_payload=True,
        overlap=Overlap.QUEUE_ALL,
        units=Usage(write=2 + 3 / 8, read=100, worker_ms=1_000_000),
    )
    assert run_codec.decode(run_codec.encode(run)) == run
    assert run_codec.decode(run_codec.encode(replace(run, progress=Progress(40, "")))).progress == Progress(40, "")


def test_units_that_a_later_version_counts_are_left_out():
    key = RunKey.scheduled(JobKey(namespace="demo", name="heartbeat"), NINE)
    units = Usage(write=7)
    item = run_codec.encode(Run(key=key, target="http", revision=1, claimed_at=NINE, expires_at=NINE, units=units))
    item["units"]["M"]["state_transitions"] = {"N": "3"}
    assert run_codec.decode(item).units == units


def test_a_definition_comes_back_with_its_parents_and_its_children():
    extract, load, report = JobKey("shop", "extract"), JobKey("shop", "load"), JobKey("shop", "report")
    job = Job(
        key=load,
        schedule="@manual",
        target=HttpTarget(method="GET", url="https://shop.test/"),
        depends_on=(Dependency(extract, On.SUCCESS), Dependency(report, On.SKIPPED)),
        join=Join.ANY,
        join_window=timedelta(days=1),
    )
    definition = Definition(
        job=job,
        revision=1,
        created_at=NINE,
        updated_at=NINE,
        updated_by="ada",
        revisions=(),
        children=frozenset((report,)),
    )
    assert definition_codec.decode(definition_codec.encode(definition)) == definition


def test_a_recreated_definition_keeps_the_revision_that_was_deleted_before():
    first = definition()
    again = replace(first, made_anew=7)
    assert "made_anew" not in definition_codec.encode(first), "as those that are stored"
    assert definition_codec.decode(definition_codec.encode(again)) == again
    assert definition_codec.decode(definition_codec.encode_listed(again)).made_anew == 7


def test_a_paused_definition_and_its_entry_in_the_list_keep_the_start_of_the_pause():
    first = definition()
    paused = replace(first, paused_since=first.updated_at, paused_by="ada")
    assert not {"paused_since", "paused_by"} & definition_codec.encode(first).keys(), "as those that are stored"
    for encoded in (definition_codec.encode(paused), definition_codec.encode_listed(paused)):
        known = definition_codec.decode(encoded)
        assert (known.paused_since, known.paused_by) == (first.updated_at, "ada")


@pytest.mark.parametrize("error_type", ErrorType)
def test_every_type_of_error_is_stored_as_its_text(error_type):
    stored = run_codec.encode(
        Run(
            key=RunKey.scheduled(LONGEST, NINE),
            target="http",
            revision=1,
            claimed_at=NINE,
            expires_at=NINE,
            error=RunError(error_type, "late"),
        )
    )
    assert stored["error"] == {"M": {"type": {"S": error_type.value}, "message": {"S": "late"}}}


def test_a_run_without_delay_stores_none():
    key = RunKey.scheduled(JobKey(namespace="demo", name="heartbeat"), NINE)
    run = Run(key=key, target="http", revision=1, claimed_at=NINE, expires_at=NINE)
    assert "delay" not in run_codec.encode(run)
    late = replace(run, start_delay=timedelta(hours=24))
    assert run_codec.decode(run_codec.encode(late)) == late


def test_next_at_is_text_rounded_up_to_the_second():
    assert timer_codec.encode(timer(), shards=8)["next_at"] == {"S": "2026-11-20T09:00:00Z"}


def test_a_timer_without_next_at_is_left_out_of_the_index():
    item = timer_codec.encode(replace(timer(), next_at=None), shards=8)
    assert item.keys().isdisjoint({"next_at", "due_shard"})


def test_a_naive_instant_is_refused():
    with pytest.raises(ValueError, match="naive"):
        timer_codec.encode(replace(timer(), next_at=NINE.replace(tzinfo=None)), shards=8)


def item(**changes):
    changed = {**timer_codec.encode(timer(), shards=8), **changes}
    return {name: value for name, value in changed.items() if value is not None}


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"catch_up": {"S": "sometimes"}}, "sometimes"),
        ({"target": None}, "'target' of Timer is missing"),
        ({"misfire_grace": {"N": "many"}}, "many"),
        ({"retention": {"S": "30d"}}, "not a whole number"),
        ({"retention": {"N": "9" * 30}}, "large"),
        ({"utc_offset": {"N": "far"}}, "far"),
        ({"utc_offset": {"S": "+03:00"}}, "not a whole number"),
        ({"runs_left": {"N": "few"}}, "few"),
    ],
)
def test_an_unreadable_timer_is_broken_and_keeps_its_readable_next_at(changes, problem):
    broken = timer_codec.decode(item(**changes))
    assert isinstance(broken, BrokenTimer)
    assert (broken.job, broken.revision, broken.next_at) == (LONGEST, 123_456, NINE)
    assert problem in broken.problem


@pytest.mark.parametrize(
    ("changes", "revision", "next_at"),
    [
        ({"revision": None}, None, NINE),
        ({"revision": {"S": "one"}}, None, NINE),
        ({"next_at": {"S": "2026-11-20"}}, 123_456, None),
        ({"next_at": {"S": "soon"}}, 123_456, None),
        ({"next_at": {"S": "2026-11-20T09:00:00.500Z"}}, 123_456, None),
        ({"next_at": {"S": "2026-11-20T09:00:00+00:00"}}, 123_456, None),
    ],
)
def test_unreadable_attributes_of_a_broken_timer_are_marked(changes, revision, next_at):
    broken = timer_codec.decode(item(**changes))
    assert isinstance(broken, BrokenTimer)
    assert (broken.revision, broken.next_at) == (revision, next_at)


@pytest.mark.parametrize(
    "changes",
    [
        {"pk": {"S": "JOB#no-slash"}},
        {"pk": {"S": ""}},
        {"sk": {"S": "RECHECK#then#now"}},
        {"sk": {"S": "RECHECK#"}},
        {"sk": {"S": "SOMETHING"}},
        {"sk": {"S": "DEADLINE#x"}, "next_at": {"S": "soon"}},
    ],
)
def test_an_unknown_item_in_the_index_is_a_broken_timer(changes):
    assert isinstance(timer_codec.decode(item(**changes)), BrokenTimer)


def test_a_broken_reminder_never_moves_the_timer_of_its_job():
    broken = timer_codec.decode(item(sk={"S": "RECHECK#then#now"}))
    assert isinstance(broken, BrokenTimer)
    assert not broken.own


def definition(**fields):
    job = replace(
        Job(key=LONGEST, schedule="@daily", target=HttpTarget(method="GET", url="https://example.com/")), **fields
    )
    return Definition(
        job=job, revision=1, created_at=NINE, updated_at=NINE, updated_by="ada", revisions=(Revision(1, NINE, "x"),)
    )


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"schedule": ("@daily",)},
        {"schedule": ("0 9 * * *", "rate(1 hour)"), "dialect": "vixie"},
        {"calendars": ("a",)},
        {"calendars": ("a", "b"), "on_blocked": OnBlocked.NEXT_DAY},
        {"start_at": NINE},
        {"end_at": datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)},
        {"max_runs": 1_000_000_000},
        {"jitter": timedelta(hours=24)},
    ],
    ids=lambda fields: ", ".join(fields) or "without limits",
)
def test_a_definition_comes_back_with_its_limits_and_no_others(fields):
    assert definition_codec.decode(definition_codec.encode(definition(**fields))) == definition(**fields)


def test_a_definition_stored_before_limits_existed_has_none():
    stored = definition_codec.encode(definition())
    limits = ("calendars", "on_blocked", "start_at", "end_at", "max_runs", "jitter")
    assert not any(name in str(stored) for name in limits)


@pytest.mark.parametrize("kind", ["dates", "periods"])
def test_the_largest_calendar_takes_little_more_than_a_hundred_kilobytes(kind):
    far = datetime(9999, 12, 31, tzinfo=UTC)
    spans = sorted(Period(far - n * timedelta(days=580), far - n * timedelta(days=579)) for n in range(MOST_SPANS))
    calendar = Calendar(
        key=CalendarKey(namespace="n" * 128, name="c" * 128),
        description="ü" * 1000,
        dates=tuple(DateRange(start.date(), end.date()) for start, end in spans) if kind == "dates" else (),
        weekly=tuple(Weekly(127, 3 * n, 3 * n + 1) for n in range(28_000, 28_000 + MOST_WEEKLY)),
        periods=tuple(spans) if kind == "periods" else (),
        revision=123_456,
        updated_at=NINE,
        updated_by="a" * 128,
    )
    assert size_of(calendar_codec.encode(calendar)) < 110_000
    assert calendar_codec.decode(calendar_codec.encode(calendar)) == calendar


def test_a_calendar_of_a_later_version_cannot_be_read():
    calendar = Calendar(CalendarKey("n", "c"), "", (), (Weekly(1),), (), 1, NINE, "ada")
    later = calendar_codec.encode(calendar) | {"blocked_weekly": {"S": '[[1,0,86400,"odd weeks"]]'}}
    with pytest.raises(TypeError):
        calendar_codec.decode(later)
