"""Entries of Celery's beat schedule become jobs, in all the forms in which exports write them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.unit.tools.importers.imports import changed, from_json, from_text, lost, only, refused

MODULE = """
from datetime import timedelta

import celery.schedules
from celery import Celery
from celery.schedules import crontab, solar

app = Celery("shop")
MINUTE = 60
app.conf.timezone = "Europe/London"
app.conf.beat_schedule = {
    "close orders": {
        "task": "orders.close",
        "schedule": crontab(minute="*/10", hour=[9, 12]),
        "args": (7,),
        "kwargs": {"fast": True},
        "options": {"queue": "slow", "expires": 5 * MINUTE, "priority": 3},
    },
    "ping": {"task": "net.ping", "schedule": 30.0},
    "sum-up": {"task": "orders.sum_up", "schedule": timedelta(hours=1, minutes=30)},
    "weekly": {"task": "orders.week", "schedule": celery.schedules.crontab(0, 4, day_of_week="mon")},
}
app.conf.beat_schedule["later"] = dict(task="orders.later", schedule=celery.schedules.schedule(run_every=90))


@app.on_after_configure.connect
def setup(sender, **kwargs):
    sender.add_periodic_task(10, greet.s("hello", loud=False), name="greet every 10")
    sender.add_periodic_task(crontab(hour=7, minute=30), greet.s("morning"))
    sender.add_periodic_task(crontab(hour=8, minute=30), greet.s("later"), expires=10)
"""


def entry(**fields: Any) -> str:
    return json.dumps({"beat_schedule": {"close orders": {"task": "orders.close", "schedule": 60, **fields}}})


def test_a_module_is_read_without_running_it() -> None:
    done = from_text("celery", ".py", MODULE)
    assert {d.document["name"]: (d.document["schedule"], d.document["payload"]) for d in done.kept} == {
        "close-orders": ("*/10 9,12 * * *", {"args": [7], "fast": True}),
        "ping": ("@every 30s", {}),
        "sum-up": ("@every 5400s", {}),
        "weekly": ("0 4 * * MON", {}),
        "later": ("@every 90s", {}),
        "greet-every-10": ("@every 10s", {"args": ["hello"], "loud": False}),
        done.kept[6].document["name"]: ("30 7 * * *", {"args": ["morning"]}),
        done.kept[7].document["name"]: ("30 8 * * *", {"args": ["later"]}),
    }
    first = done.kept[0]
    assert (first.document["timezone"], first.document["start_within"]) == ("Europe/London", "5m")
    assert first.document["labels"]["celery/queue"] == "slow"
    assert lost(first) == {"options.priority"}
    assert first.place == "export:12"


@pytest.mark.parametrize(
    ("schedule", "reason"),
    [
        ("compute()", "code computes it, and the importer runs none: compute()"),
        ("crontab(minute=every)", "code computes it, and the importer runs none: crontab(minute=every)"),
        ("crontab(nowfun=clock)", "code computes it"),
        ("solar('sunset', -37.8, 144.9)", "no schedule here follows the sun"),
        ("0.5", "a job runs at whole seconds, not every 0.5 s"),
        ("-5", "-5 is no number of seconds"),
        ("crontab(minute=61)", "minute: '61': 61 is out of range; it goes from 0 to 59"),
        ("crontab(day_of_month=13, day_of_week=5)", "when both day fields match"),
    ],
)
def test_a_schedule_that_no_job_can_have_is_left_out(schedule: str, reason: str) -> None:
    text = f'beat_schedule = {{"x": {{"task": "t", "schedule": {schedule}}}}}'
    assert reason in refused(from_text("celery", ".py", text))


def test_arguments_that_code_computes_are_not_guessed() -> None:
    text = 'beat_schedule = {"x": {"task": "t", "schedule": 60, "args": [today()]}}'
    assert refused(from_text("celery", ".py", text)) == "args: code computes it: [today()]"


def test_a_module_without_a_schedule_is_told_so() -> None:
    from minutehand.tools.importers.exports import ExportFault  # noqa: PLC0415

    for text, message in (("x = 1", "sets no beat_schedule"), ("def", "not Python"), ("a\0", "not Python")):
        with pytest.raises(ExportFault, match=message):
            from_text("celery", ".py", text)


@pytest.mark.parametrize(
    ("schedule", "expected"),
    [
        (60, "@every 60s"),
        ("60.0", "@every 60s"),
        ("1:30:00", "@every 5400s"),
        ("2 days, 0:00:10", "@every 172810s"),
        ("<freq: 10.00 seconds>", "@every 10s"),
        ("<freq: 2.00 minutes>", "@every 120s"),
        ("<crontab: 0 4 * * mon (m/h/dM/MY/d)>", "0 4 * * MON"),
        ("<crontab: 0 4 mon * * (m/h/d/dM/MY)>", "0 4 * * MON"),
        ({"minute": "0", "hour": "*/4"}, "0 */4 * * *"),
        ({"crontab": {"minute": 0, "day_of_month": [1, 15]}}, "0 * 1,15 * *"),
    ],
)
def test_each_form_of_a_schedule_is_read(schedule: Any, expected: str) -> None:
    assert only(from_json("celery", entry(schedule=schedule))).document["schedule"] == expected


def test_what_inspect_conf_prints_is_read() -> None:
    conf = {"celery@host": {"timezone": "Asia/Tokyo", "beat_schedule": {"a": {"task": "t", "schedule": {"hour": 4}}}}}
    found = only(from_json("celery", json.dumps(conf))).document
    assert (found["schedule"], found["timezone"]) == ("* 4 * * *", "Asia/Tokyo")


def test_several_workers_with_one_schedule_make_one_job() -> None:
    conf = {"beat_schedule": {"a": {"task": "t", "schedule": 60}}}
    done = from_json("celery", json.dumps({"celery@one": conf, "celery@two": conf}))
    assert len(done.kept) == 1
    assert [draft.refused.reason for draft in done.drafts if draft.refused] == [
        "the export has this entry twice; the first is at export:1"
    ]


def test_options_have_their_fields_or_are_named() -> None:
    options = {"expires": 5, "time_limit": 300, "soft_time_limit": 200, "queue": "q", "link": "x", "odd": 1}
    draft = only(from_json("celery", entry(options=options, relative=True)))
    assert (draft.document["start_within"], draft.document["timeout"]) == ("10s", "5m")
    assert changed(draft) >= {"options.expires", "options.time_limit", "options.queue", "schedule: interval", "task"}
    assert lost(draft) == {"options.link", "options.odd", "relative"}


def test_a_keyword_argument_called_args_does_not_hide_the_others() -> None:
    payload = only(from_json("celery", entry(args=[1], kwargs={"args": 2}))).document["payload"]
    assert payload == {"args": [1], "kwargs": {"args": 2}}


def test_an_unknown_time_zone_is_not_guessed() -> None:
    conf = {"timezone": "Mars/Base", "beat_schedule": {"a": {"task": "t", "schedule": {"hour": 4}}}}
    assert refused(from_json("celery", json.dumps(conf))) == "timezone: there is no time zone 'Mars/Base'"


@pytest.mark.parametrize(
    "text", ["[]", "3", '{"a": 1}', '{"beat_schedule": {"a": {"schedule": 1}}}', '{"a": {"b": {}}}']
)
def test_what_is_no_schedule_is_told_so(text: str) -> None:
    done = from_json("celery", text)
    assert not done.kept
    assert all(draft.refused for draft in done.drafts)
