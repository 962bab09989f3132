"""Contract of stores of runs: entries, each of which lists runs by time that were claimed together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from minutehand.adapters.dynamodb.calls.metering import item_size
from minutehand.domain.errors import Unreadable
from minutehand.domain.job_key import JobKey
from minutehand.domain.run import Run, RunState, SkipReason
from minutehand.domain.run_entry import Entry, entries_of
from minutehand.domain.run_key import RunKey
from minutehand.domain.timer import Deadline
from minutehand.usecases.ports.stores import Claim, Move
from tests.contract.examples import HOUR, MINUTE, NINE, SECOND, run_at, triggered
from tests.contract.stores import Stores, in_dynamodb
from tests.contract.together import together


def claimed_together(stores: Stores, runs: Sequence[Run]) -> list[Run]:
    """Runs after a claim of all of them by one dispatch."""
    wanted = list(runs)
    for entry, named in entries_of(runs):
        assert list(stores.runs.enter([entry])) == [True]
        wanted = [replace(run, entry=entry.id) if run in named else run for run in wanted]
    stores.runs.claim(wanted)
    return wanted


def found(stores: Stores, namespace: str, start=NINE, end=NINE + HOUR) -> list[RunKey]:
    return [key for page in stores.runs.within(namespace, start, end) for key in page]


def test_runs_that_an_entry_names_are_found_by_time(stores, jobs):
    runs = claimed_together(
        stores, [run_at(job, NINE + 20 * number * SECOND) for job in jobs(3) for number in range(3)]
    )
    assert all(run.entry for run in runs)
    assert sorted(found(stores, jobs(1)[0].namespace)) == sorted(run.key for run in runs)
    assert stores.runs.get([run.key for run in runs]) == {run.key: run for run in runs}


def test_runs_of_both_kinds_are_found_in_one_order(stores, jobs):
    first, *others = jobs(6)
    asked, deadline = triggered(first, instant=NINE + 30 * SECOND)
    stores.runs.trigger(asked, "a key", deadline)
    for turn in (0, 1):
        claimed_together(stores, [run_at(job, NINE + turn * 30 * SECOND) for job in others[turn::2]])
    stores.runs.claim([run_at(first, NINE + SECOND), run_at(first, NINE + 30 * SECOND), run_at(first, NINE + MINUTE)])
    keys = found(stores, first.namespace)
    assert len(keys) == len(others) + 4
    assert keys == sorted(keys, key=lambda key: (key.run_id, key.job))


def test_an_interval_ends_within_an_entry_too(stores, jobs):
    runs = claimed_together(stores, [run_at(job, NINE + n * SECOND) for job in jobs(2) for n in (0, 29, 30, 31, 59)])
    keys = found(stores, jobs(1)[0].namespace, NINE + 29 * SECOND, NINE + 31 * SECOND)
    assert sorted(keys) == sorted(run.key for run in runs if run.scheduled_for.second in (29, 30))
    assert found(stores, jobs(1)[0].namespace, NINE + MINUTE, NINE + HOUR) == []


def test_an_entry_lists_no_run_of_another_hour_or_namespace(stores, jobs):
    elsewhere = [job._replace(namespace=f"{job.namespace}x") for job in jobs(2)]
    for group in (jobs(2), elsewhere):
        claimed_together(
            stores, [run_at(job, instant) for job in group for instant in (NINE - SECOND, NINE, NINE + HOUR)]
        )
    assert found(stores, jobs(1)[0].namespace) == [run_at(job).key for job in jobs(2)]


def test_groups_that_overlap_list_each_run_once(stores, jobs):
    a, b, c = (run_at(job) for job in jobs(3))
    mine, other = claimed_together(stores, [a, b]), claimed_together(stores, [b, c])
    assert mine[1].entry != other[0].entry
    assert found(stores, a.key.job.namespace) == [a.key, b.key, c.key]
    assert stores.runs.get([b.key])[b.key].entry == mine[1].entry, "it is listed where the first claim put it"


def test_an_entry_is_stored_once_and_never_changed(stores, jobs):
    runs = [run_at(job) for job in jobs(2)]
    [(entry, _)] = entries_of(runs)
    others = together(lambda _: stores.runs.enter([entry]))
    assert others == [[True]] * len(others)
    [(longer, _)] = entries_of([replace(run, expires_at=run.expires_at + HOUR) for run in runs])
    assert list(stores.runs.enter([longer, entry])) == [True, True]
    assert found(stores, entry.namespace) == [run.key for run in runs]
    assert list(stores.runs.enter([])) == []


def test_names_without_a_run_may_be_listed_and_are_no_runs(stores, jobs):
    kept, gone, never = (run_at(job, state=RunState.SKIPPED) for job in jobs(3))
    [(entry, _)] = entries_of([kept, gone, never])
    stores.runs.enter([entry])
    stores.runs.claim([replace(run, entry=entry.id) for run in (kept, gone)])
    stores.runs.forget([replace(gone, entry=entry.id)])
    keys = found(stores, entry.namespace)
    assert kept.key in keys
    assert list(stores.runs.get(keys)) == [kept.key]


def test_a_counted_claim_that_replaces_a_run_lists_it_once(stores, jobs, due_at_nine, job):
    first, second = run_at(job, revision=0), run_at(job, NINE + SECOND)
    claimed_together(stores, [first, second])
    anew = run_at(job)
    move = Move(job, 1, NINE, NINE + MINUTE)
    assert stores.runs.claim_counted(anew, move, Deadline(run=anew.key, next_at=NINE))
    assert stores.runs.get([anew.key]) == {anew.key: anew}
    assert found(stores, job.namespace) == [first.key, second.key]


def test_a_run_of_an_entry_moves_and_keeps_it(stores, jobs):
    one, other = claimed_together(stores, [run_at(job) for job in jobs(2)])
    ended = stores.runs.move(one, replace(one, state=RunState.SKIPPED, finished_at=NINE))
    assert stores.runs.get([one.key]) == {one.key: ended}
    assert ended.entry == other.entry
    assert found(stores, one.key.job.namespace) == [one.key, other.key]


def test_an_entry_that_cannot_be_read_is_reported_and_blocks_no_other(server, jobs):
    stores = in_dynamodb(server.client, server.jobs_table, server.runs_table)
    runs = claimed_together(stores, [run_at(job) for job in jobs(2)])
    namespace = jobs(1)[0].namespace
    key = {"job": {"S": f"ENTRIES#{namespace}#2026112009"}}
    for number, damage in enumerate(({}, {"names": {"S": "report@0,sixty"}}, {"names": {"N": "7"}})):
        damaged = {**key, "run_id": {"S": f"20261120T0900#2-{number}"}, "expires_at": {"N": "1795000000"}, **damage}
        server.client.put_item(TableName=server.runs_table, Item=damaged)
    problems: list[Unreadable] = []
    pages = stores.runs.within(namespace, NINE, NINE + HOUR, problems.append)
    assert [key for page in pages for key in page] == [run.key for run in runs]
    assert [f"ENTRIES#{namespace}#2026112009 20261120T0900#2-{n}" in str(p) for n, p in enumerate(problems)] == [
        True
    ] * 3


def test_an_entry_that_cannot_be_stored_does_not_raise(server, jobs):
    stores = in_dynamodb(server.client, "NoSuchTable", "NoSuchTable")
    [(entry, _)] = entries_of([run_at(job) for job in jobs(2)])
    assert list(stores.runs.enter([entry])) == [False]


def test_a_full_entry_is_below_one_kilobyte(server):
    client, table = server.client, server.runs_table
    stores = in_dynamodb(client, server.jobs_table, table)
    keys = [JobKey("n" * 128, f"{number:03d}-{'j' * 124}"[: 20 + number % 109]) for number in range(60)]
    entries: list[Entry] = [entry for entry, _ in entries_of([run_at(key) for key in keys])]
    stores.runs.enter(entries)
    answer = client.query(
        TableName=table,
        KeyConditionExpression="job = :partition",
        ExpressionAttributeValues={":partition": {"S": f"ENTRIES#{'n' * 128}#2026112009"}},
    )
    sizes = [item_size(item) for item in answer["Items"]]
    assert len(sizes) == len(entries) > 1
    assert max(sizes) <= 1024


def test_claims_of_a_batch_are_all_made_whatever_lists_them(stores, jobs):
    one, two, alone = (run_at(job) for job in jobs(3))
    [(entry, _)] = entries_of([one, two])
    stores.runs.enter([entry])
    named = [replace(one, entry=entry.id), alone, replace(two, entry=entry.id)]
    assert list(stores.runs.claim(named)) == [Claim.CLAIMED] * 3
    assert found(stores, entry.namespace) == [one.key, two.key, alone.key]


@pytest.mark.parametrize(
    ("fields", "anew"),
    [
        ({"state": RunState.QUEUED}, True),
        ({"state": RunState.SKIPPED, "skip_reason": SkipReason.PAUSED}, True),
        ({"state": RunState.SKIPPED, "skip_reason": SkipReason.TARGET, "attempt": 1}, False),
        ({"state": RunState.SUCCEEDED, "attempt": 1}, False),
        ({"state": RunState.CANCELLED}, False),
    ],
)
def test_a_counted_claim_replaces_only_a_run_that_has_not_begun(stores, due_at_nine, job, fields, anew):
    before, after = run_at(job, revision=0, **fields), run_at(job)
    stores.runs.claim([before])
    move = Move(job, 1, NINE, NINE + MINUTE)
    assert stores.runs.claim_counted(after, move, Deadline(run=after.key, next_at=NINE)) is anew
    assert stores.runs.get([after.key]) == {after.key: after if anew else before}
