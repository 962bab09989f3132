"""Which revision governs an instant."""

from __future__ import annotations

import pytest

from minutehand.schedule import Schedule
from tests.unit.domain.examples import at, definition, job, revision

HISTORY = definition(
    revision(3, "09:00"), revision(4, "09:10", schedule=None), revision(5, "09:20"), revision(6, "09:20")
)


@pytest.mark.parametrize(
    ("instant", "number", "why"),
    [
        ("08:59:59", None, "further back than what is kept"),
        ("09:00", None, "a revision governs instants strictly later than it took effect: this one it dispatched"),
        ("09:00:01", 3, "the first instant that it governs"),
        ("09:10", 3, "the edit at 09:10 dispatched this one before it took effect"),
        ("09:10:01", 4, "from here on the edit governs, though it names nothing"),
        ("09:20", 4, "still"),
        ("09:20:01", 6, "of two that took effect in the same second, the later one"),
        ("23:00", 6, "the newest governs all that is to come"),
    ],
)
def test_an_instant_is_governed_by_the_last_revision_before_it(instant: str, number: int | None, why: str) -> None:
    governing = HISTORY.in_effect_at(at(instant))
    assert (governing and governing.number) == number, why


@pytest.mark.parametrize(
    "schedule",
    ["@after 10m", "CRON_TZ=Asia/Tokyo @after 90s", "\t@after 1h", "@every 10m", "@manual", "0 9 * * *"],
)
def test_a_job_has_a_fixed_delay_when_its_compiled_schedule_has_one(schedule: str) -> None:
    assert job(schedule).fixed_delay is (Schedule.parse(schedule).delay is not None)
