"""Random crontabs compared with croniter on naive time; ERRORS lists the texts that croniter gets wrong.

Our parser uses croniter only to expand fields; here it also finds the days. It has seconds in the last of 6 fields, and L5 is the last
Friday.
"""

import re
from datetime import UTC, datetime, timedelta

import pytest
from croniter import CroniterError, croniter

from minutehand.schedule import Schedule, ScheduleError
from tests.unit.schedule.oracle import never_runs, random_job, seeded, utc


def written_for_croniter(job):
    """The text in croniter's grammar; None for texts that it reads wrongly or refuses, see ERRORS."""
    second, *fields = job.written
    day, weekday = fields[2], fields[4]
    ranges = [re.match(r"(\d+)-(\d+)", item) for text in job.written for item in text.split(",")]
    restricted = day[0] not in "*?" and weekday[0] not in "*?"
    if (
        any(found and found[1] == found[2] for found in ranges)
        or (restricted and (job.dates or job.weekdays))
        # Debian's rule for a field that starts with a star.
        or (len(day) > 1 and day[0] == "*" and weekday not in {"*", "?"})
        or (len(weekday) > 1 and weekday[0] == "*" and day not in {"*", "?"})
        or ("*" in day + weekday and restricted)
        or (job.weekdays and "," in weekday)
        or "LW" in day
        or any(special[0] == "nearest" and (special[1] > 28 or "," in day) for special in job.dates)
        or re.search(r"[A-Za-z]{3}L", weekday)
    ):
        return None
    fields[4] = re.sub(r"(\d)L", r"L\1", weekday)
    return " ".join([*fields, *([second] if len(job.text.split()) == 6 else [])])


@pytest.mark.thorough
def test_random_crontabs_in_utc_match_croniter():
    random, compared = seeded(3), 0
    while compared < 200:
        job = random_job(random, specials=True, with_seconds=random.random() < 0.3)
        text = written_for_croniter(job)
        if text is None or never_runs(job, "vixie"):
            continue
        start = utc("2026-11-20T11:00") + timedelta(minutes=random.randrange(500_000))
        theirs, at = croniter(text, start.replace(tzinfo=None)), start
        for _ in range(4):
            at = Schedule.parse(job.text).next(at)
            assert at == theirs.get_next(datetime).replace(tzinfo=UTC), job.text
        compared += 1


ERRORS = [
    # why, our text, its text, after 2026-11-20T11:00 (a Friday): its answer and ours
    ("a range of one value is the whole field", "10-10 * * * *", "10-10 * * * *", "2026-11-20T11:01", "2026-11-20T11:10"),
    ("31W moves to the last weekday of a shorter month", "0 0 31W * *", "0 0 31W * *", "2026-11-30T00:00", "2026-12-31T00:00"),
    ("a 6th field is seconds, last", "0 0 12 * * *", "0 0 12 * * *", "2026-12-12T00:00", "2026-11-20T12:00"),
    ("a star with a step leaves the other day field enough", "0 0 */2 * 1", "0 0 */2 * 1", "2026-11-21T00:00", "2026-11-23T00:00"),
    ("LW is not read", "0 0 LW * *", "0 0 LW * *", CroniterError, "2026-11-30T00:00"),
    ("days of a list beside nW are refused", "0 0 1,15W * *", "0 0 1,15W * *", CroniterError, "2026-12-01T00:00"),
    ("weekdays of a list beside d#n are refused", "0 0 * * 1,5#1", "0 0 * * 1,5#1", CroniterError, "2026-11-23T00:00"),
    ("a day of the month and d#n must both match", "0 0 13 * 5#3", "0 0 13 * 5#3", CroniterError, "2026-12-13T00:00"),
    ("a day of the month and dL must both match", "0 0 13 * 5L", "0 0 13 * L5", CroniterError, "2026-11-27T00:00"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("ours", "its", "answer", "right"), [row[1:] for row in ERRORS], ids=[row[0] for row in ERRORS]
)
def test_known_errors_of_croniter_are_not_shared(ours, its, answer, right):
    after = utc("2026-11-20T11:00")
    assert Schedule.parse(ours).next(after) == utc(right)
    if answer is CroniterError:
        with pytest.raises(CroniterError):
            croniter(its, after.replace(tzinfo=None)).get_next(datetime)
    else:
        assert croniter(its, after.replace(tzinfo=None)).get_next(datetime).replace(tzinfo=UTC) == utc(answer)


@pytest.mark.parametrize("text", ["R * * * *", "R(0-5) * * * *", "0 0 30 2 *"])
def test_texts_that_croniter_accepts_although_random_or_impossible_are_refused(text):
    assert croniter.is_valid(text)
    with pytest.raises(ScheduleError):
        Schedule.parse(text)
