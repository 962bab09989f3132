from typing import Any

import pytest

from minutehand.schedule import ScheduleError
from minutehand.tools.costs import model
from minutehand.tools.costs.definition import DefinitionError, Parent
from minutehand.tools.costs.model import Month
from minutehand.tools.costs.units import Unit
from tests.unit.tools.costs.jobs import job


def test_a_plain_job_uses_nothing() -> None:
    plain = job()
    assert plain.job == "shop/report"
    assert (plain.waits, plain.lock, plain.slots, plain.later, plain.runs_left, plain.idle) == (
        (),
        False,
        0,
        False,
        None,
        None,
    )
    assert plain.retention == 30 * 86_400


def test_what_a_job_uses_is_read() -> None:
    full = job(
        overlap="skip",
        max_concurrency=3,
        limits=[{"name": "db", "max": 3}],
        max_runs=9,
        jitter="5m",
        calendars=["holidays"],
        on_blocked="next_day",
        retention="90d",
        retention_count=50,
        timeout="1h",
        retry={"max_attempts": 4, "backoff": {"initial": "30m"}},
        target={"mode": "callback", "heartbeat": "1m"},
        payload="x" * 5_000,
    )
    assert (full.lock, full.slots, full.runs_left, full.jitter) == (True, 2, 9, 300)
    assert (full.namespace, full.calendars, full.moved) == ("shop", ("shop/holidays",), True)
    assert (full.retention, full.retention_count) == (90 * 86_400, 50)
    assert full.waits == (900, 900, 900), "15 minutes is the longest if nobody says otherwise"
    assert (full.later, full.long, full.heartbeat) == (True, True, 60)
    assert full.size > 5_000


def test_each_wait_is_longer_than_the_one_before_up_to_the_longest() -> None:
    assert job(retry={"max_attempts": 4}).waits == (10, 20, 40)
    backoff = {"initial": "5m", "factor": 3, "max": "1h"}
    assert job(retry={"max_attempts": 5, "backoff": backoff}).waits == (300, 900, 2700, 3600)


def test_what_the_api_says_of_the_runs_that_are_left_counts() -> None:
    assert job(max_runs=9, status={"runs_left": 2}).runs_left == 2
    assert job(max_runs=9, status={"runs_left": 0}).runs_left == 0
    assert job(max_runs=9, status={"runs_left": None}).runs_left == 9
    assert job(status={"runs_left": None}).runs_left is None


def test_jobs_share_a_compiled_schedule_unless_it_goes_by_their_names() -> None:
    assert job("one", "0 9 * * THU").schedule is job("other", "0 9 * * THU").schedule
    assert job("one", "H H * * *").schedule != job("other", "H H * * *").schedule
    assert job("one", ["0 9 * * *", "H * * * *"]).schedule != job("other", ["0 9 * * *", "H * * * *"]).schedule


def test_a_fixed_delay_has_the_lock_in_its_own_price() -> None:
    assert not job(schedule="@after 10m", overlap="skip").lock


def test_parents_are_named_in_full() -> None:
    child = job(schedule=None, depends_on=[{"job": "extract"}, {"job": "other/load", "on": "end"}], join="any")
    assert child.parents == (Parent(job="shop/extract"), Parent(job="other/load", on="end"))
    assert child.any_parent
    assert child.schedule.manual


def test_a_job_is_due_from_its_start_or_the_end_of_its_pause_on() -> None:
    paused = job(
        start_at="2026-12-01T00:00:00Z", paused={"until": "2026-12-05T01:00:00+01:00"}, end_at="2027-01-01T00:00:00Z"
    )
    assert (str(paused.first), str(paused.last)) == ("2026-12-05 00:00:00+00:00", "2027-01-01 00:00:00+00:00")
    assert job(paused=True).idle == "it is paused"


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("schedule", {"schedule": None}),
        ("schedule", {"schedule": 5}),
        ("schedule", {"schedule": []}),
        ("timezone", {"timezone": 1}),
        ("timeout", {"timeout": "soon"}),
        ("retention", {"retention": 30}),
        ("jitter", {"jitter": "some"}),
        ("limits", {"limits": {"db": 3}}),
        ("retry", {"retry": 3}),
        ("retry.max_attempts", {"retry": {"max_attempts": "3"}}),
        ("retry.backoff", {"retry": {"backoff": 3}}),
        ("retry.backoff.initial", {"retry": {"backoff": {"initial": 10}}}),
        ("retry.backoff.max", {"retry": {"backoff": {"max": "long"}}}),
        ("retry.backoff.factor", {"retry": {"backoff": {"factor": "2"}}}),
        ("retry.backoff.factor", {"retry": {"backoff": {"factor": 0.5}}}),
        ("calendars", {"calendars": "holidays"}),
        ("calendars", {"calendars": [1]}),
        ("target.heartbeat", {"target": {"heartbeat": "often"}}),
        ("max_runs", {"max_runs": 0}),
        ("start_at", {"start_at": "2026-11-20T09:00:00"}),
        ("paused.until", {"paused": {"until": "tomorrow"}}),
        ("depends_on", {"depends_on": "extract"}),
        ("depends_on[0]", {"depends_on": ["extract"]}),
    ],
)
def test_a_field_that_cannot_be_priced_is_named_with_what_would_be_right(path: str, fields: dict[str, Any]) -> None:
    with pytest.raises(DefinitionError) as refused:
        job(**fields)
    assert refused.value.path == path
    assert refused.value.message
    assert refused.value.hint


def test_a_schedule_that_cannot_be_read_says_where() -> None:
    with pytest.raises(ScheduleError) as refused:
        job(schedule=["@hourly", "61 * * * *"])
    assert refused.value.part == 1


@pytest.mark.parametrize(("mode", "writes", "reads"), [("start", 0, 0), ("wait", 1, 1)])
def test_waiting_for_an_execution_also_costs_the_item_that_names_the_attempt(
    mode: str, writes: float, reads: float
) -> None:
    target = {"type": "stepfunctions", "mode": mode}
    other = {"type": "ecs", "mode": mode}
    month = Month(scheduled=100)
    used, without = (model.usage(job(target=each), month) for each in (target, other))
    assert used.of(Unit.DYNAMODB_WRITE) - without.of(Unit.DYNAMODB_WRITE) == pytest.approx(100 * writes)
    assert used.of(Unit.DYNAMODB_READ) - without.of(Unit.DYNAMODB_READ) == pytest.approx(100 * reads)


def test_a_command_is_reported_later_by_an_agent_with_heartbeats() -> None:
    target = {"type": "command", "pool": "web", "command": "backup"}
    assert (job(target=target).later, job(target=target).by_event, job(target=target).heartbeat) == (True, False, 180)
    assert job(target=target | {"heartbeat": "1m"}).heartbeat == 60
