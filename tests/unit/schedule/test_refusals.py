"""Texts that crontab(5), robfig/cron and EventBridge refuse, one row for each rule, and texts that only some refuse."""

import pytest

from minutehand.schedule import Schedule, ScheduleError
from tests.unit.schedule.oracle import DIALECTS, utc

# crontab(5) of cron 3.0pl1 and its entry.c: bounds of fields, "first less than or equal to second", steps after a range or `*`,
# three-letter names, nicknames in lower case, and nothing between the fields but blanks.
CRONTAB = [
    "60 * * * *", "-1 * * * *", "* 24 * * *", "* * 0 * *", "* * 32 * *", "* * * 0 *", "* * * 13 *", "* * * * 8",
    "8-5 * * * *", "* 23-7 * * *", "* * 31-1 * *", "* * * DEC-JAN *", "* * * * SAT-MON", "* * * * 7-0",
    "*/0 * * * *", "0-30/0 * * * *", "*/-5 * * * *", "*/x * * * *", "*/ * * * *", "0-30/ * * * *", "/5 * * * *",
    "1, * * * *", ",1 * * * *", "1,,2 * * * *", "1- * * * *", "-5 * * * *", "1--2 * * * *", "1-2-3 * * * *", "*-5 * * * *",
    "** * * * *", "*5 * * * *", "5* * * * *", "+5 * * * *", "1.5 * * * *", "0x10 * * * *", "1e1 * * * *", "1_0 * * * *",
    "* * * JANUARY *", "* * * JA *", "* * * * MONDAY", "* * * * MO", "* * * MON *", "* * * * JAN", "MON * * * *", "* JAN * * *",
    "* * * *", "*", "* * * * * * *", "@DAILY", "@Daily", "@dayly", "@", "@ daily", "@daily * * * *", "* * * * @daily",
    "0 9 * * *;", "0 9 * * *%", "# 0 9 * * *", "MAILTO=x", "0;9 * * *", "0 9\n* * *",
]  # fmt: skip

# robfig/cron v3's parser.go and its documentation: the same bounds, no wrapping, a positive step, one hyphen, one slash, a known
# time zone, a known descriptor, a duration that Go's ParseDuration reads.
ROBFIG = [
    "60 0 * * * *", "0 60 * * * *", "0 0 24 * * *", "0 0 0 0 * *", "0 0 0 32 * *", "0 0 0 * 13 *", "0 0 0 * 0 *", "0 0 0 * * 8",
    "5-3 * * * * *", "1-2-3 * * * * *", "1/2/3 * * * * *", "*/0 * * * * *", "x * * * * *", "-1 * * * * *", "5-x * * * * *",
    "* * * * XYZ", "xyz * * * *", "* * * * * * * *", "", " ",
    "@unrecognized", "@every", "@every ", "@every x", "@every 5", "@every 1h 30m", "@every 1d", "@every h", "@every .s", "@every 1.2.3s",
    "@every 5 m", "@every --5m", "@every 1hm", "@every 1H",
    "TZ=Never/Land 0 0 * * *", "CRON_TZ= 0 0 * * *", "CRON_TZ=UTC", "TZ=UTC", "tz=UTC 0 0 * * *", "0 0 * * * TZ=UTC",
]  # fmt: skip

# EventBridge user guide, "Cron expressions reference" (fields, values, wildcards, limitations) and "Rate expressions"; EventBridge
# Scheduler user guide, "Schedule types": at(yyyy-mm-ddThh:mm:ss).
EVENTBRIDGE = [
    "cron(0 10 * * * *)", "cron(0 10 ? * ? *)", "cron(0 10 1 * MON *)", "cron(0 10 1 * * *)", "cron(0 10 * * MON *)",
    "cron(0 10 * * ?)", "cron(0 10 * * ? * *)", "cron()", "cron( )", "cron", "cron(0 10 * * ? *", "cron 0 10 * * ? *)", "0 10 * * ? *)",
    "cron(60 10 * * ? *)", "cron(0 24 * * ? *)", "cron(0 10 0 * ? *)", "cron(0 10 32 * ? *)", "cron(0 10 1 13 ? *)", "cron(0 10 1 0 ? *)",
    "cron(0 10 ? * 0 *)", "cron(0 10 ? * 8 *)", "cron(0 10 1 * ? 1969)", "cron(0 10 1 * ? 2200)", "cron(0 10 1 * ? 26)",
    "cron(0 10 ? * 3#1,6#3 *)", "cron(0 10 ? * 3#6 *)", "cron(0 10 ? * 3#0 *)", "cron(0 10 ? * #3 *)", "cron(0 10 ? * 3# *)",
    "cron(? 10 * * ? *)", "cron(0 ? * * ? *)", "cron(0 10 * ? ? *)", "cron(0 10 * * ? ?)", "cron(L 10 * * ? *)", "cron(0 L * * ? *)",
    "cron(0 10 1 L ? *)", "cron(0 10 1 * ? L)", "cron(0 10W 1 * ? *)", "cron(0 10 ? * 2W *)", "cron(0 10 W * ? *)", "cron(0 10 0W * ? *)",
    "cron(0 10 32W * ? *)", "cron(0 10 1-5W * ? *)", "cron(0 10 1#1 * ? *)", "cron(0 10 ? * 2/2 *)", "cron(0 10 ?/2 * MON *)",
    "cron(*/0 * * * ? *)", "cron(0 10 31 2 ? *)", "cron(0 10 1 * ? 2030-2020)", "cron(0 10 1 * ? *)x", "cron(cron(0 10 1 * ? *))",
    "Cron(0 10 * * ? *)", "CRON(0 10 * * ? *)", "cron(0,10,*,*,?,*)", "cron(@daily)", "cron(H 10 * * ? *)", "cron(0 10 * * ? H)",
    "rate(5 minute)", "rate(1 minutes)", "rate(1 hours)", "rate(2 hour)", "rate(1 days)", "rate(2 day)", "rate(0 minutes)", "rate(0 minute)",
    "rate(-1 minutes)", "rate(+5 minutes)", "rate(1.5 hours)", "rate(5)", "rate(minutes)", "rate(5minutes)", "rate(5 seconds)",
    "rate(5 weeks)", "rate(1 month)", "rate(5 Minutes)", "rate(five minutes)", "rate()", "rate(5 minutes", "rate 5 minutes", "Rate(5 minutes)",
    "rate(5 minutes) rate(5 minutes)", "rate(5 minutes 10 seconds)",
    "at()", "at(now)", "at(2026-12-01)", "at(2026-12-01T09:00)", "at(2026-12-01 09:00:00)", "at(2026-12-01T09:00:00Z)",
    "at(2026-12-01T09:00:00+01:00)", "at(2026-12-01T09:00:00.5)", "at(2026-13-01T09:00:00)", "at(2026-02-29T09:00:00)", "at(2026-12-01T24:00:00)",
    "at(2026-12-01T09:60:00)", "at(2026-12-01T09:00:60)", "at(26-12-01T09:00:00)", "at(2026-12-1T09:00:00)", "at(2026-12-01t09:00:00)",
    "at(2026-W49-2T09:00:00)", "AT(2026-12-01T09:00:00)", "at(2026-12-01T09:00:00", "at 2026-12-01T09:00:00", "at(+026-12-01T09:00:00)",
]  # fmt: skip


@pytest.mark.parametrize("text", [*CRONTAB, *ROBFIG, *EVENTBRIDGE])
def test_texts_that_other_schedulers_refuse_are_refused_in_every_dialect(text):
    for dialect in (None, *DIALECTS):
        with pytest.raises(ScheduleError) as refusal:
            Schedule.parse(text, dialect=dialect, name="shop/nightly")
        error = refusal.value
        assert error.hint
        assert error.column is not None or not text.strip()
        assert error.column is None or error.column <= len(text)


# Texts that one scheduler refuses and every dialect accepts, because all dialects have one grammar; each has the same meaning in
# every scheduler that accepts it.
TAKEN = [
    # (which refuses it, text, the same in words that it does read)
    ("robfig", "0 0 * * 7", "0 0 * * 0"),
    ("robfig", "0 0 * * FRI-7", "0 0 * * 5,6,0"),
    (
        "crontab(5)",
        "0 0 * * MON-FRI",
        "0 0 * * 1-5",
    ),  # "ranges or lists of names are not allowed", though its code reads them
    ("crontab(5)", "0 0 * JAN,MAR *", "0 0 * 1,3 *"),
    ("crontab(5)", "0 0 ? * 1", "0 0 * * 1"),
    ("crontab(5)", "5/20 * * * *", "5-59/20 * * * *"),  # cron 3.0pl1 reads 5 and drops the rest, cronie refuses it
]


@pytest.mark.parametrize(("text", "same"), [row[1:] for row in TAKEN])
@pytest.mark.parametrize("dialect", DIALECTS)
def test_texts_that_one_scheduler_refuses_mean_the_same_as_in_the_others(text, same, dialect):
    one, other = (Schedule.parse(written, dialect=dialect) for written in (text, same))
    span = utc("2026-11-20T00:00"), utc("2028-11-20T00:00")
    assert one.between(*span, 500) == other.between(*span, 500)


@pytest.mark.parametrize(
    "text",
    ["@every 500ms", "@every 0s", "@every -5m", "@every 1.5s", "0 0 0 30 Feb ?", "0 0 31 4 *", "5,,6 * * * *", "*-5 * * * *", "?-5 * * * *"],
)  # fmt: skip
def test_texts_that_robfig_rounds_or_never_runs_are_refused(text):
    with pytest.raises(ScheduleError):
        Schedule.parse(text, dialect="robfig")
