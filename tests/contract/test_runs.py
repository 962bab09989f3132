"""What every store of runs promises, claims aside."""

from __future__ import annotations

from dataclasses import fields, replace
from datetime import timedelta

import pytest

from minutehand.domain.errors import Invalid, Unavailable
from minutehand.domain.job import Overlap
from minutehand.domain.run import Attempt, Progress, Result, Run, RunError, RunKey, RunState, SkipReason
from minutehand.domain.timer import Deadline
from minutehand.domain.transitions import IllegalMove
from minutehand.domain.units import Units
from minutehand.usecases.ports.stores import Payload
from tests.contract.examples import HOUR, MILLISECONDS, MINUTE, NINE, SECOND, run_at, started
from tests.contract.together import together

DAY = timedelta(days=1)
RESULT = Result(type="http", status=200, body="größe ✓\x00")
ERROR = RunError(type="TimeoutError", message="no answer", stack="line 1\n\tline 2")


def full(job) -> Run:
    """A run with every field set to something else than its default."""
    return replace(
        started(run_at(job), attempt=3),
        delay=90 * SECOND,
        state=RunState.FAILED,
        takeovers=2,
        finished_at=NINE + MINUTE + 2 * MILLISECONDS,
        skip_reason=SkipReason.SUPERSEDED,
        worker="2026/11/20/[$LATEST]0123",
        deadline_at=NINE + HOUR,
        retry_at=NINE + 3 * MINUTE + MILLISECONDS,
        cancelled_by="ada",
        blocked_by="20261120T085900Z",
        progress=Progress(40, "vier von zehn — läuft"),
        attempts=(
            Attempt(1, "log-1", "n1", NINE, NINE + SECOND, RunState.FAILED, RunError("HttpStatus", "503")),
            Attempt(2, "log-2", "n2", NINE + MINUTE, None, RunState.RUNNING, None),
        ),
        parents=(RunKey.scheduled(job, NINE), RunKey.triggered(job, NINE, "a")),
        own_payload=True,
        overlap=Overlap.QUEUE_ALL,
        result=RESULT,
        error=ERROR,
        detailed=True,
        resent_at=NINE + HOUR,
        resends=4,
        units=Units(write=9.43, read=4.2, calls=3.2, messages=0.4, worker_ms=1_234_567, puts=1, stored_bytes=1_048_576),
    )


@pytest.fixture
def run(stores, job) -> Run:
    """A run that is claimed and queued."""
    run = run_at(job)
    stores.runs.claim([run])
    return run


def stored(stores, run) -> Run:
    return stores.runs.get([run.key])[run.key]


def test_a_run_comes_back_whole_to_the_millisecond(stores, job):
    stores.runs.claim([full(job)])
    assert stored(stores, full(job)) == full(job)


def test_the_example_sets_every_field_to_something_else_than_its_default(job):
    bare, run = run_at(job), full(job)
    given = {"key", "target", "revision", "claimed_at", "expires_at"}
    assert {f.name for f in fields(Run) if getattr(bare, f.name) == getattr(run, f.name)} == given


def test_a_run_is_never_forgotten_early(stores, job):
    run = run_at(job, expires_at=NINE + DAY + MILLISECONDS)
    stores.runs.claim([run])
    assert stored(stores, run).expires_at == NINE + DAY + SECOND
    later = stores.runs.move(run, replace(run, expires_at=NINE + 2 * DAY + MILLISECONDS))
    assert stored(stores, run) == later


def test_only_runs_that_exist_are_given_however_many_are_asked_for(stores, job):
    runs = [run_at(job, NINE + number * SECOND) for number in range(130)]
    stores.runs.claim(runs[:120])
    found = stores.runs.get([run.key for run in (*runs, runs[0])])
    assert found == {run.key: run for run in runs[:120]}
    assert stores.runs.get([]) == {}


def test_a_start_moves_the_run(stores, run):
    assert stores.runs.move(run, started(run)) == started(run)
    assert stored(stores, run) == started(run)


def test_a_start_that_is_repeated_finds_its_own_nonce_and_has_succeeded(stores, run):
    stores.runs.move(run, started(run))
    assert stores.runs.move(run, started(run)) == started(run)


def test_a_start_after_anothers_start_is_answered_with_the_others(stores, run):
    stores.runs.move(run, started(run))
    assert stores.runs.move(run, started(run, nonce="worker-2")) == started(run)
    assert stored(stores, run) == started(run)


def test_of_many_who_start_an_attempt_at_once_one_does(stores, run):
    stands = together(lambda number: stores.runs.move(run, started(run, nonce=f"worker-{number}")))
    assert len(set(stands)) == 1
    assert stored(stores, run) == stands[0]


def test_a_report_moves_the_run(stores, run):
    running = stores.runs.move(run, started(run))
    ended = replace(running, state=RunState.SUCCEEDED, finished_at=NINE + SECOND, result=RESULT)
    assert stores.runs.move(running, ended) == ended
    assert stores.runs.move(running, ended) == ended
    assert stored(stores, run) == ended


def test_a_report_of_an_attempt_that_was_taken_over_changes_nothing(stores, run):
    late = stores.runs.move(run, started(run))
    taken_over = replace(started(run, nonce="worker-2", attempt=2), takeovers=1)
    assert stores.runs.move(late, taken_over) == taken_over
    report = replace(late, state=RunState.FAILED, finished_at=NINE + SECOND, error=ERROR)
    assert stores.runs.move(late, report) == taken_over
    assert stored(stores, run) == taken_over


def test_a_move_that_the_table_of_moves_does_not_have_is_refused(stores, run):
    with pytest.raises(IllegalMove, match="cannot go from queued to succeeded"):
        stores.runs.move(run, replace(run, state=RunState.SUCCEEDED))
    assert stored(stores, run) == run


def test_a_move_fails_when_the_nonce_alone_is_anothers(stores, run):
    stores.runs.move(run, started(run))
    mistaken = started(run, nonce="worker-2")
    assert stores.runs.move(mistaken, replace(mistaken, state=RunState.SUCCEEDED)) == started(run)


def test_a_move_fails_when_a_field_that_it_changes_was_changed_meanwhile(stores, run):
    marked = stores.runs.move(run, replace(run, resent_at=NINE + HOUR))
    assert stores.runs.move(run, replace(run, resent_at=NINE + 2 * HOUR)) == marked
    assert stored(stores, run) == marked


def test_a_move_leaves_alone_what_it_does_not_change(stores, run):
    stores.runs.move(run, replace(run, resent_at=NINE + HOUR))
    stores.runs.move(run, started(run))
    assert stored(stores, run) == replace(started(run), resent_at=NINE + HOUR)


def test_a_repeated_start_has_succeeded_whatever_else_was_marked_meanwhile(stores, run):
    running = stores.runs.move(run, started(run))
    stores.runs.move(running, replace(running, resent_at=NINE + HOUR))
    assert stores.runs.move(run, started(run)) == started(run)


def test_a_skipped_run_can_be_opened_again_and_looks_as_new(stores, run):
    skipped = replace(run, state=RunState.SKIPPED, skip_reason=SkipReason.PAUSED, revision=2, finished_at=NINE)
    assert stores.runs.move(run, skipped) == skipped
    new = replace(run, revision=3, claimed_at=NINE + HOUR)
    assert stores.runs.move(skipped, new) == new
    assert stored(stores, run) == new


def test_a_move_that_changes_nothing_answers_how_the_run_stands(stores, run):
    stores.runs.move(run, started(run))
    assert stores.runs.move(run, run) == started(run)


def test_moving_a_run_that_is_gone_does_not_bring_it_back(stores, job):
    gone = run_at(job)
    with pytest.raises(Unavailable, match="is gone"):
        stores.runs.move(gone, started(gone))
    assert stores.runs.get([gone.key]) == {}


def triggered(job, key="abc", instant=NINE, **fields) -> tuple[Run, Deadline]:
    run = run_at(job, instant, key=RunKey.triggered(job, instant, key), claimed_at=instant, **fields)
    return run, Deadline(run=run.key, next_at=instant + MINUTE)


def test_an_end_that_was_asked_for_meanwhile_fences_off_every_move(stores, run):
    running = stores.runs.move(run, started(run))
    marked = stores.runs.move(running, replace(running, cancelled_by="ada"))
    assert marked.cancelled_by == "ada"
    for after in (
        replace(running, state=RunState.FAILED, finished_at=NINE + SECOND),
        replace(running, state=RunState.RETRYING, retry_at=NINE + HOUR),
        replace(running, lease_until=NINE + HOUR),
        replace(running, cancelled_by="bob"),
    ):
        assert stores.runs.move(running, after) == marked
    assert stored(stores, run) == marked


def test_a_start_that_does_not_know_of_the_end_that_was_asked_for_is_not_made(stores, run):
    marked = stores.runs.move(run, replace(run, cancelled_by="ada"))
    assert stores.runs.move(run, started(run)) == marked
    assert stored(stores, run) == marked


def test_of_a_flag_and_a_report_at_once_the_report_that_knows_of_it_ends_the_run(stores, run):
    running = stores.runs.move(run, started(run))
    flagged = replace(running, cancelled_by="ada")
    reported = replace(running, state=RunState.SUCCEEDED, finished_at=NINE + SECOND)
    stands = together(lambda number: stores.runs.move(running, flagged if number % 2 else reported))
    assert set(stands) == {stored(stores, run)}
    assert stands[0] in (flagged, reported)


def due_at(stores, run) -> list[Deadline]:
    return [timer for timer in stores.due(run.key.job, NINE + 2 * HOUR) if isinstance(timer, Deadline)]


def ended(run: Run) -> Run:
    return replace(run, state=RunState.CANCELLED, cancelled_by="ada", finished_at=NINE + SECOND)


def test_a_reminding_move_ends_the_run_and_leaves_the_deadline(stores, run):
    deadline = Deadline(run.key, NINE + HOUR)
    assert stores.runs.move_reminding(run, ended(run), deadline) == ended(run)
    assert stored(stores, run) == ended(run)
    assert due_at(stores, run) == [deadline]
    stores.timers.settle(deadline)
    assert due_at(stores, run) == []


def test_the_deadline_of_a_move_never_comes_early(stores, run):
    stores.runs.move_reminding(run, ended(run), Deadline(run.key, NINE + MILLISECONDS))
    assert due_at(stores, run) == [Deadline(run.key, NINE + SECOND)]


def test_a_reminding_move_that_is_not_made_leaves_no_deadline(stores, run):
    running = stores.runs.move(run, started(run))
    assert stores.runs.move_reminding(run, ended(run), Deadline(run.key, NINE + HOUR)) == running
    assert stored(stores, run) == running
    assert due_at(stores, run) == []


def test_a_reminding_move_that_is_repeated_has_succeeded_and_leaves_no_second_deadline(stores, run):
    deadline = Deadline(run.key, NINE + HOUR)
    stores.runs.move_reminding(run, ended(run), deadline)
    stores.timers.settle(deadline)
    assert stores.runs.move_reminding(run, ended(run), deadline) == ended(run)
    assert due_at(stores, run) == []


def test_a_reminding_move_of_a_run_that_is_gone_leaves_nothing(stores, job):
    gone = run_at(job)
    with pytest.raises(Unavailable, match="is gone"):
        stores.runs.move_reminding(gone, ended(gone), Deadline(gone.key, NINE + HOUR))
    assert (stores.runs.get([gone.key]), due_at(stores, gone)) == ({}, [])


def test_a_reminding_move_that_the_table_does_not_have_is_refused(stores, run):
    with pytest.raises(IllegalMove):
        stores.runs.move_reminding(run, replace(run, state=RunState.SUCCEEDED), Deadline(run.key, NINE))
    assert (stored(stores, run), due_at(stores, run)) == (run, [])


def test_a_trigger_creates_the_run_and_its_deadline(stores, job):
    run, deadline = triggered(job)
    assert stores.runs.trigger(run, "a key", deadline) == run
    assert stored(stores, run) == run
    assert stores.due(job, NINE + MINUTE) == [deadline]


def test_a_trigger_with_a_key_that_was_used_answers_the_run_it_made_and_writes_nothing(stores, job):
    first, deadline = triggered(job)
    stores.runs.trigger(first, "a key", deadline)
    moved = stores.runs.move(first, started(first))
    second, other_deadline = triggered(job, "def", NINE + HOUR)
    assert stores.runs.trigger(second, "a key", other_deadline) == moved
    assert stores.runs.trigger(first, "a key", deadline) == moved
    assert stores.runs.get([second.key]) == {}
    assert stores.due(job, NINE + 2 * HOUR) == [deadline]


def test_another_key_or_another_job_makes_another_run(stores, jobs):
    one, other = jobs(2)
    runs = [triggered(one, "a"), triggered(one, "b"), triggered(other, "a")]
    for (run, deadline), key in zip(runs, ["a key", "b key", "a key"], strict=True):
        assert stores.runs.trigger(run, key, deadline) == run
    assert len(stores.runs.get([run.key for run, _ in runs])) == 3


def test_a_key_is_forgotten_after_a_day(stores, job):
    first, deadline = triggered(job)
    stores.runs.trigger(first, "a key", deadline)
    early, early_deadline = triggered(job, "b", NINE + DAY - SECOND)
    assert stores.runs.trigger(early, "a key", early_deadline) == first
    late, late_deadline = triggered(job, "c", NINE + DAY)
    assert stores.runs.trigger(late, "a key", late_deadline) == late


def test_a_key_is_forgotten_with_its_run(stores, job):
    first, deadline = triggered(job, expires_at=NINE + HOUR)
    stores.runs.trigger(first, "a key", deadline)
    late, late_deadline = triggered(job, "c", NINE + HOUR)
    assert stores.runs.trigger(late, "a key", late_deadline) == late


def test_a_trigger_of_a_run_that_exists_answers_it(stores, job):
    run, deadline = triggered(job)
    stores.runs.trigger(run, "a key", deadline)
    assert stores.runs.trigger(replace(run, revision=5), "b key", deadline) == run


def test_a_key_may_be_long_and_in_any_script(stores, job):
    run, deadline = triggered(job)
    key = "ключ" * 1000
    assert stores.runs.trigger(run, key, deadline) == run
    assert stores.runs.trigger(replace(run, revision=5), key, deadline) == run


@pytest.mark.parametrize("value", [None, True, 0, "", "ü", [1, 2.5, {"a": None}], {"deep": [[]]}])
def test_a_payload_of_its_own_is_kept_beside_the_run(stores, job, value):
    run, deadline = triggered(job, own_payload=True)
    assert stores.runs.trigger(run, "a key", deadline, Payload(value)) == run
    kept = stores.runs.payload(run.key)
    assert kept == Payload(value)
    assert type(kept.value) is type(value)
    assert stores.runs.page(job, 10, None).items == (run,), "it is no run"


def test_a_run_without_a_payload_of_its_own_has_none(stores, job):
    run, deadline = triggered(job)
    stores.runs.trigger(run, "a key", deadline)
    assert stores.runs.payload(run.key) is None


def test_a_trigger_that_is_repeated_keeps_the_first_payload(stores, job):
    run, deadline = triggered(job, own_payload=True)
    stores.runs.trigger(run, "a key", deadline, Payload("first"))
    stores.runs.trigger(run, "a key", deadline, Payload("second"))
    assert stores.runs.payload(run.key) == Payload("first")


def test_of_many_who_trigger_with_one_key_at_once_one_makes_the_run(stores, job):
    made = together(lambda number: stores.runs.trigger(*_arguments(job, number)))
    assert len({run.key for run in made}) == 1
    assert [run.key for run in stores.runs.page(job, 10, None).items] == [made[0].key]
    assert [timer.run for timer in stores.due(job, NINE + HOUR)] == [made[0].key]


def _arguments(job, number):
    run, deadline = triggered(job, f"id{number}")
    return run, "one key", deadline


def test_runs_are_listed_the_newest_first(stores, job):
    asked, deadline = triggered(job, instant=NINE + MINUTE)
    stores.runs.claim([run_at(job), run_at(job, NINE + HOUR), run_at(job, NINE + MINUTE)])
    stores.runs.trigger(asked, "a key", deadline)
    page = stores.runs.page(job, 10, None)
    assert [run.key for run in page.items] == [
        run_at(job, NINE + HOUR).key,
        asked.key,
        run_at(job, NINE + MINUTE).key,
        run_at(job).key,
    ]
    assert page.next is None


@pytest.mark.parametrize(("limit", "pages"), [(1, 5), (2, 3), (4, 2), (5, 1), (6, 1)])
def test_runs_are_read_page_by_page_without_an_empty_page_at_the_end(stores, job, limit, pages):
    runs = [run_at(job, NINE + number * MINUTE) for number in range(5)]
    stores.runs.claim(runs)
    found, cursor, asked = [], None, 0
    while cursor is not None or not asked:
        page = stores.runs.page(job, limit, cursor)
        found += page.items
        cursor, asked = page.next, asked + 1
    assert (found, asked) == (runs[::-1], pages)


def test_runs_that_are_claimed_meanwhile_do_not_disturb_the_pages(stores, job):
    stores.runs.claim([run_at(job), run_at(job, NINE + HOUR)])
    cursor = stores.runs.page(job, 1, None).next
    stores.runs.claim([run_at(job, NINE + 2 * HOUR)])
    assert stores.runs.page(job, 1, cursor).items == (run_at(job),)


@pytest.mark.parametrize("looked_at", [1, 2, 500])
@pytest.mark.parametrize("limit", [1, 2, 3, 10])
def test_runs_in_certain_states_are_read_page_by_page_newest_first(stores, job, limit, looked_at, monkeypatch):
    for adapter in ("memory", "dynamodb"):
        monkeypatch.setattr(f"minutehand.adapters.{adapter}.runs.MOST_LOOKED_AT", looked_at)
    runs = [run_at(job, NINE + number * MINUTE) for number in range(7)]
    stores.runs.claim(runs)
    for number, state in (
        (1, RunState.SKIPPED),
        (2, RunState.CANCELLED),
        (4, RunState.SKIPPED),
        (6, RunState.CANCELLED),
    ):
        stores.runs.move(runs[number], replace(runs[number], state=state, finished_at=NINE + HOUR))
    wanted = (RunState.SKIPPED, RunState.CANCELLED)
    found, cursor, asked = [], None, 0
    while cursor is not None or not asked:
        page = stores.runs.page(job, limit, cursor, wanted)
        assert len(page.items) <= limit
        found += page.items
        cursor, asked = page.next, asked + 1
    assert [run.key for run in found] == [runs[number].key for number in (6, 4, 2, 1)]
    assert asked <= 1 + len(runs) // min(limit, looked_at)
    assert stores.runs.page(job, 10, None, (RunState.LOST,)).items == ()


def test_a_job_without_runs_has_an_empty_page(stores, job):
    page = stores.runs.page(job, 10, None)
    assert (page.items, page.next) == ((), None)


@pytest.mark.parametrize("cursor", ["", "nonsense", "bm9uc2Vuc2U", "ünicode", "W10", "e30"])
def test_a_list_of_runs_refuses_what_is_no_cursor(stores, job, cursor):
    with pytest.raises(Invalid) as refusal:
        stores.runs.page(job, 10, cursor)
    assert [problem.path for problem in refusal.value.problems] == ["cursor"]


def test_a_list_of_runs_refuses_the_cursor_of_another_job(stores, jobs):
    one, other = jobs(2)
    stores.runs.claim([run_at(one), run_at(one, NINE + HOUR)])
    cursor = stores.runs.page(one, 1, None).next
    with pytest.raises(Invalid, match="another list"):
        stores.runs.page(other, 1, cursor)


def test_runs_between_two_instants_are_later_than_the_first_and_not_later_than_the_second(stores, jobs):
    job, other = jobs(2)
    asked = [triggered(job, instant=NINE + number * SECOND) for number in range(4)]
    for number, (run, deadline) in enumerate(asked):
        stores.runs.trigger(run, f"key {number}", deadline)
    runs = [run_at(job, NINE + number * SECOND) for number in range(4)]
    stores.runs.claim([*runs, run_at(other, NINE + SECOND)])
    wanted = [runs[1], asked[1][0], runs[2], asked[2][0]]
    assert list(stores.runs.between(job, NINE, NINE + 2 * SECOND)) == wanted
    assert list(stores.runs.between(job, NINE + MILLISECONDS, NINE + 2 * SECOND + MILLISECONDS)) == wanted
    assert list(stores.runs.between(job, NINE, NINE)) == []
    assert list(stores.runs.between(job, NINE + SECOND, NINE)) == []


def test_an_hour_holds_the_runs_of_the_whole_namespace_and_of_no_other(stores, jobs):
    wanted = [run_at(job, NINE + number * MINUTE) for number, job in enumerate(jobs(20))]
    elsewhere = jobs(1)[0]._replace(namespace=f"{jobs(1)[0].namespace}x")
    stores.runs.claim([*wanted, run_at(elsewhere), run_at(wanted[0].key.job, NINE + HOUR)])
    found = [key for page in stores.runs.within(jobs(1)[0].namespace, NINE, NINE + HOUR) for key in page]
    assert sorted(found) == sorted(run.key for run in wanted)


def test_a_span_holds_its_first_instant_and_not_its_end_whatever_asked_for_the_run(stores, job):
    inside = [run_at(job, NINE + 58 * MINUTE), run_at(job, NINE + HOUR), run_at(job, NINE + HOUR + 2 * MINUTE)]
    key = RunKey.triggered(job, NINE + HOUR + 2 * MINUTE, "a1")
    asked_for = replace(inside[-1], key=key)
    outside = [run_at(job, NINE + 58 * MINUTE - SECOND), run_at(job, NINE + HOUR + 2 * MINUTE + SECOND)]
    stores.runs.claim([*inside, asked_for, *outside])
    pages = stores.runs.within(job.namespace, NINE + 58 * MINUTE, NINE + HOUR + 2 * MINUTE + SECOND)
    assert {found for page in pages for found in page} == {*(run.key for run in inside), key}


def test_a_stale_reading_of_a_run_that_a_later_revision_has_taken_over_moves_nothing(stores, job):
    [mine] = [run_at(job)]
    stores.runs.claim([mine])
    taken = replace(mine, revision=mine.revision + 1)
    assert stores.runs.move(mine, taken) == taken
    skipped = replace(mine, state=RunState.SKIPPED, skip_reason=SkipReason.SUPERSEDED, finished_at=NINE)
    assert stores.runs.move(mine, skipped) == taken
    assert stores.runs.get([mine.key]) == {mine.key: taken}


def kept(stores, job) -> list[Run]:
    return list(reversed(stores.runs.page(job, 100, None).items))


def test_the_oldest_runs_are_those_before_the_newest_finished_ones(stores, job):
    runs = [run_at(job, NINE + number * MINUTE, state=RunState.SUCCEEDED) for number in range(8)]
    asked = replace(runs[1], key=RunKey.triggered(job, NINE + MINUTE, "abc"), state=RunState.SKIPPED)
    waiting = [run_at(job, NINE + HOUR), run_at(job, NINE + HOUR + MINUTE, state=RunState.RETRYING)]
    stores.runs.claim([*runs, asked, *waiting])
    assert list(stores.runs.oldest(job, beyond=5, limit=100)) == [runs[0], runs[1], asked, runs[2]]
    assert list(stores.runs.oldest(job, beyond=5, limit=2)) == [runs[0], runs[1]]
    assert list(stores.runs.oldest(job, beyond=9, limit=2)) == []
    assert list(stores.runs.oldest(job, beyond=10, limit=2)) == []


def test_one_that_has_not_ended_is_among_the_oldest_and_is_not_counted(stores, job):
    runs = [run_at(job, NINE + number * MINUTE, state=RunState.FAILED) for number in range(4)]
    runs[0] = replace(runs[0], state=RunState.WAITING)
    runs[3] = replace(runs[3], state=RunState.RUNNING)
    stores.runs.claim(runs)
    assert list(stores.runs.oldest(job, beyond=1, limit=100)) == runs[:2]


def test_a_job_without_runs_has_no_oldest(stores, job):
    assert list(stores.runs.oldest(job, beyond=1, limit=100)) == []


def test_runs_are_removed_if_they_stand_as_they_were_read(stores, jobs):
    one, other = jobs(2)
    runs = [run_at(one, NINE + number * SECOND, state=RunState.SKIPPED) for number in range(60)]
    stores.runs.claim([*runs, run_at(other, state=RunState.SKIPPED)])
    opened = stores.runs.move(runs[7], replace(runs[7], state=RunState.QUEUED, revision=2))
    stores.runs.forget([*runs[:58], run_at(other, NINE + HOUR)])
    stores.runs.forget(runs[:58])
    stores.runs.forget([])
    assert kept(stores, one) == [opened, *runs[58:]]
    assert len(kept(stores, other)) == 1


def test_what_was_removed_is_in_no_list_by_time(stores, job):
    runs = [run_at(job, NINE + number * MINUTE, state=RunState.FAILED, finished_at=NINE) for number in range(3)]
    stores.runs.claim(runs)
    stores.runs.forget(runs[:2])
    found = [key for page in stores.runs.within(job.namespace, NINE, NINE + HOUR) for key in page]
    assert found == [runs[2].key]
