"""A parent's message stays until each child has its run, whatever cannot be read or sent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from minutehand.domain.errors import Unavailable
from minutehand.domain.job_key import JobKey
from tests.unit.usecases.completion.child_runs.family import (
    EXTRACT,
    LOAD,
    MAIL,
    REPORT,
    depends,
    end,
    ends,
    follow,
    of,
    sent,
    started,
)
from tests.unit.usecases.stage import Stage


def fails(port: Callable[[Stage], Any], method: str, *, after: bool = False) -> Callable[[Stage], None]:
    return lambda stage: port(stage).fails(method, after_effect=after)


def refuses_once(stage: Stage) -> None:
    stage.outbox.before("send", lambda: setattr(stage.picky, "refuses", lambda _message: True))


@pytest.mark.parametrize(
    "trouble",
    [
        fails(lambda stage: stage.runs, "claim"),
        fails(lambda stage: stage.runs, "claim", after=True),
        fails(lambda stage: stage.runs, "between"),
        fails(lambda stage: stage.outbox, "send"),
        fails(lambda stage: stage.outbox, "send", after=True),
        refuses_once,
    ],
    ids=["claim", "after the claim", "siblings", "send", "after the send", "refused message"],
)
def test_the_parents_message_stays_until_the_child_run_has_its_own(
    stage: Stage, trouble: Callable[[Stage], None]
) -> None:
    depends(stage, REPORT, EXTRACT, LOAD)
    end(stage, LOAD, "08:00")
    run = end(stage, EXTRACT, "08:00")
    trouble(stage)
    try:
        done = follow(stage, run)
    except Unavailable:
        done = False
    assert not done
    stage.picky.refuses = lambda _message: False
    assert follow(stage, run), "when the message comes again"
    assert started(stage) == ["08:00"]
    assert REPORT in sent(stage)


def unreadable(jobs: Sequence[JobKey]) -> bool:
    return REPORT in jobs


def test_a_child_that_cannot_be_read_keeps_no_other_from_starting(stage: Stage) -> None:
    depends(stage, REPORT, EXTRACT)
    depends(stage, MAIL, EXTRACT)
    stage.definitions.refuses("get", unreadable)
    run = end(stage, EXTRACT, "08:00")
    assert not follow(stage, run)
    assert (started(stage), started(stage, MAIL)) == ([], ["08:00"])


def test_siblings_that_cannot_be_read_keep_no_other_child_from_starting(stage: Stage) -> None:
    depends(stage, REPORT, EXTRACT, LOAD)
    depends(stage, MAIL, EXTRACT)
    stage.runs.refuses("between", lambda *_: True)
    assert not ends(stage, EXTRACT, "08:00")
    assert (started(stage), started(stage, MAIL)) == ([], ["08:00"])


def test_a_childs_run_that_cannot_be_read_keeps_no_other_from_starting(stage: Stage) -> None:
    depends(stage, REPORT, EXTRACT)
    depends(stage, MAIL, EXTRACT)
    run = end(stage, EXTRACT, "08:00")
    assert follow(stage, run)
    (mine,) = (one.key for one in of(stage, REPORT))
    del stage.state.runs[of(stage, MAIL)[0].key]
    stage.runs.refuses("get", lambda keys: mine in keys)
    assert not follow(stage, run)
    assert started(stage, MAIL) == ["08:00"]
