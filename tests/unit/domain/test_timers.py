"""Skip policies and their readable form."""

from __future__ import annotations

import pytest

from minutehand.domain.timer import SkipCause, SkipPolicy


@pytest.mark.parametrize(
    ("text", "policy"),
    [
        ("calendar=holidays", SkipPolicy(SkipCause.CALENDAR, "holidays")),
        (
            "calendar=holidays, moved to the next day that is open",
            SkipPolicy(SkipCause.CALENDAR, "holidays", moved=True),
        ),
        ("catch_up=latest", SkipPolicy(SkipCause.CATCH_UP, "latest")),
        ("changed during a catch-up", SkipPolicy(SkipCause.OTHER, "changed during a catch-up")),
        ("timer set aside: a=b", SkipPolicy(SkipCause.OTHER, "timer set aside: a=b")),
    ],
)
def test_a_skip_policy_equals_its_readable_form(text: str, policy: SkipPolicy) -> None:
    assert (str(policy), SkipPolicy.of(text)) == (text, policy)
