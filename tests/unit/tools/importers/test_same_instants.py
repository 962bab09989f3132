"""An imported schedule names the same instants as the old system's own evaluator, or another one of its language."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from apscheduler.triggers.cron import CronTrigger
from apscheduler.triggers.interval import IntervalTrigger
from celery.schedules import crontab
from cronsim import CronSim
from hypothesis import assume, given, reject, settings
from hypothesis import strategies as st

from tests.unit.tools.importers.imports import NOW, from_json, instants, only
from tests.unit.tools.importers.test_eventbridge import schedule
from tests.unit.tools.importers.test_kubernetes import cron_job
from tests.unit.tools.importers.test_xxl_job import row, rows

HERE = Path(__file__).parent
COUNT = 20
YEARS_LATER = NOW + timedelta(days=4 * 365)
"""The end of the comparison with Celery, which takes long to find what is rare."""
WEEKDAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")


def numbers(low: int, high: int, *, names: tuple[str, ...] = (), wraps: bool = False) -> st.SearchStrategy[str]:
    """A field of a crontab: `*`, values, ranges, steps, lists."""
    value = st.integers(low, high).map(str) | (st.sampled_from(names) if names else st.nothing())
    pair = st.tuples(st.integers(low, high), st.integers(low, high)).filter(lambda ends: ends[0] != ends[1])
    between = (pair if wraps else pair.map(sorted)).map(lambda ends: f"{ends[0]}-{ends[1]}")
    step = st.integers(1, high // 2).map(str)
    stepped = st.builds("{}/{}".format, st.just("*") | between, step)
    item = value | between | stepped
    return st.just("*") | item | st.lists(value | between, min_size=2, max_size=4).map(",".join)


@pytest.mark.thorough
@given(
    fields=st.fixed_dictionaries(
        {
            "minute": numbers(0, 59, wraps=True),
            "hour": numbers(0, 23, wraps=True),
            "day_of_month": st.just("*") | numbers(1, 28),
            "month_of_year": st.just("*") | numbers(1, 12),
            "day_of_week": st.just("*") | numbers(0, 6, names=(*WEEKDAYS, "monday", "Friday")),
        }
    )
)
@settings(deadline=None, max_examples=40)
def test_celery_s_crontabs(fields: dict[str, str]) -> None:
    done = from_json("celery", json.dumps({"beat_schedule": {"a": {"task": "t", "schedule": fields}}}))
    assume(done.kept)
    found = [at for at in instants(only(done).document, NOW, COUNT) if at <= YEARS_LATER]
    assert found == list(islice(of_celery(fields), COUNT))


def of_celery(fields: dict[str, str]) -> Any:
    """The instants of Celery's own crontab: each is due once the time that it names as remaining has passed."""
    at = NOW
    theirs = crontab(**fields, nowfun=lambda: at)
    theirs.tz = UTC
    while True:
        last, delta, _ = theirs.remaining_delta(at, tz=UTC)
        following = last + delta
        if following > YEARS_LATER:
            return
        at = following
        yield following.astimezone(UTC)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"day_of_month": "1-7", "day_of_week": "1"}, "0 0 * * MON#1"),
        ({"day_of_month": "1,15", "day_of_week": "5"}, "0 0 */31,15 * FRI"),
        ({"day_of_month": "13,14", "day_of_week": "0,5"}, "0 0 13,14 * */7,5"),
        ({"day_of_month": "*/2", "day_of_week": "5"}, "0 0 */2 * FRI"),
        ({"day_of_month": "13", "day_of_week": "*/2"}, "0 0 13 * */2"),
        ({"day_of_month": "29-31,8-14", "day_of_week": "0,6"}, "0 0 * * SUN#2,SUN#5,SAT#2,SAT#5"),
    ],
)
def test_celery_s_crontabs_of_which_both_day_fields_must_match(fields: dict[str, str], expected: str) -> None:
    whole = {"minute": "0", "hour": "0", **fields}
    document = only(from_json("celery", json.dumps({"a": {"task": "t", "schedule": whole}}))).document
    assert document["schedule"] == expected
    assert list(instants(document, NOW, 8)) == list(islice(of_celery(whole), 8))


@pytest.mark.thorough
@given(
    text=st.builds(
        "{} {} {} {} {}".format,
        numbers(0, 59),
        numbers(0, 23),
        numbers(1, 28),
        numbers(1, 12),
        numbers(0, 6),
    )
)
@settings(deadline=None, max_examples=60)
def test_schedules_of_kubernetes(text: str) -> None:
    days, weekdays = text.split()[2], text.split()[4]
    # cronsim is Debian's cron, which demands both of two day fields if one of them begins with a star.
    assume(not any("*/" in field for field in (days, weekdays)))
    given_spec = {"schedule": text, "timeZone": "Asia/Kolkata"}
    document = only(from_json("kubernetes", json.dumps(cron_job(spec=given_spec)))).document
    zone_start = NOW + timedelta(hours=5, minutes=30)  # its clocks never change
    theirs = (at - timedelta(hours=5, minutes=30) for at in CronSim(text, zone_start))
    assert list(instants(document, NOW, COUNT)) == list(islice(theirs, COUNT))


@given(minute=numbers(0, 59), hour=numbers(0, 23), month=numbers(1, 12), second=numbers(0, 59))
@settings(deadline=None, max_examples=40)
def test_schedules_of_dkron_with_seconds(second: str, minute: str, hour: str, month: str) -> None:
    text = f"{second} {minute} {hour} * {month} *"
    job = {"name": "a", "schedule": text, "timezone": "UTC", "executor": "x"}
    try:
        trigger = CronTrigger(second=second, minute=minute, hour=hour, month=month, timezone=UTC)
    except ValueError:  # APScheduler refuses steps that are longer than their range
        reject()
    found = list(instants(only(from_json("dkron", json.dumps(job))).document, NOW, COUNT))
    assert found == fired(trigger, COUNT)


@pytest.mark.parametrize(("text", "minutes"), [("rate(7 minutes)", 7), ("rate(5 hours)", 300), ("rate(3 days)", 4320)])
def test_rates_of_eventbridge(text: str, minutes: int) -> None:
    document = only(from_json("eventbridge", json.dumps(schedule(ScheduleExpression=text)))).document
    created = datetime(2026, 1, 15, 9, 2, 30, tzinfo=UTC)
    trigger = IntervalTrigger(minutes=minutes, start_date=created, timezone=UTC)
    assert list(instants(document, NOW, COUNT)) == fired(trigger, COUNT)


@pytest.mark.parametrize(
    ("text", "its"), [("cron(0/20 8-17 ? * MON-FRI *)", {"minute": "0/20", "hour": "8-17", "day_of_week": "mon-fri"})]
)
def test_crontabs_of_eventbridge(text: str, its: dict[str, str]) -> None:
    given_fields = {"ScheduleExpression": text, "ScheduleExpressionTimezone": "Asia/Tokyo"}
    document = only(from_json("eventbridge", json.dumps(schedule(**given_fields)))).document
    trigger = CronTrigger(**(its | {"minute": "*/20"}), timezone="Asia/Tokyo")
    assert list(instants(document, NOW, COUNT)) == fired(trigger, COUNT)


@pytest.mark.parametrize("seconds", [7, 90, 100_000])
def test_fixed_rates_of_xxl_job(seconds: int) -> None:
    following = 1795166000 + 17
    fields = {"schedule_type": "FIX_RATE", "schedule_conf": str(seconds), "trigger_next_time": str(following * 1000)}
    trigger = IntervalTrigger(seconds=seconds, start_date=datetime.fromtimestamp(following, UTC), timezone=UTC)
    after = datetime.fromtimestamp(following - 1, UTC)
    assert list(instants(only(rows(row(**fields))).document, after, COUNT)) == fired(trigger, COUNT)


def fired(trigger: CronTrigger | IntervalTrigger, count: int) -> list[datetime]:
    """The instants of a trigger of APScheduler."""
    found: list[datetime] = []
    at: datetime | None = None
    now = NOW
    while len(found) < count:
        at = trigger.get_next_fire_time(at, now if at is None else at)
        if at is None:
            break
        if at > NOW or isinstance(trigger, IntervalTrigger):
            found.append(at.astimezone(UTC))
        now = at
    return found


def quartz_patterns(seed: int, count: int) -> list[str]:
    dice = random.Random(seed)

    def item(low: int, high: int) -> str:
        first, last = sorted((dice.randint(low, high), dice.randint(low, high)))
        step = dice.randint(1, (high - low) // 2)
        return dice.choice(
            [str(first), f"{first}-{last}", f"{first}-{last}/{step}", f"*/{step}", f"{first}/{step}", "*"]
        )

    def listed(low: int, high: int) -> str:
        return ",".join([item(low, high), *(str(dice.randint(low, high)) for _ in range(dice.randint(0, 2)))])

    def one() -> str:
        times = f"{dice.choice(['0', '30', listed(0, 59)])} {listed(0, 59)} {listed(0, 23)}"
        month = dice.choice(["*", "*", listed(1, 12), "FEB", "JAN-MAR"])
        if dice.random() < 0.5:
            return f"{times} {dice.choice(['*', 'L', 'LW', f'{dice.randint(1, 28)}W', listed(1, 28)])} {month} ?"
        day, nth = dice.randint(1, 7), dice.randint(1, 4)
        weekday = dice.choice(
            ["*", f"{day}L", f"{day}#{nth}", f"FRI#{nth}", listed(1, 7), "MON-FRI", "SUN,SAT", "FRI-MON"]
        )
        return f"{times} ? {month} {weekday}"

    return [one() for _ in range(count)]


@pytest.mark.thorough
def test_crontabs_of_quartz() -> None:
    module = Path(__file__).parents[4] / "node_modules" / "croner"
    if shutil.which("node") is None or not module.is_dir():
        pytest.skip("without npm and Node, Quartz's crontabs are not compared")
    patterns = quartz_patterns(16, 300)
    questions = [json.dumps({"pattern": each, "after": int(NOW.timestamp()), "count": COUNT}) for each in patterns]
    answered = subprocess.run(
        ["node", str(HERE / "quartz.cjs")],  # noqa: S607 - the node of whoever runs the tests
        input="\n".join(questions) + "\n",
        capture_output=True,
        text=True,
        check=True,
    )
    compared = 0
    for pattern, line in zip(patterns, answered.stdout.splitlines(), strict=True):
        theirs = json.loads(line)
        if theirs is None:
            continue
        document = only(rows(row(schedule_conf=pattern))).document
        assert [int(at.timestamp()) for at in instants(document, NOW, COUNT)] == theirs, pattern
        compared += 1
    assert compared > 250
