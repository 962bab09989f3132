"""Contract of stores of spreads, and of stores of runs for runs on nodes."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

from minutehand.domain.job_key import JobKey
from minutehand.domain.run import Run, RunState
from minutehand.domain.run_key import RunKey
from minutehand.domain.share import Share
from minutehand.domain.spread import Spread
from minutehand.usecases.ports.stores import Claim
from tests.contract.examples import ERROR, HOUR, MILLISECONDS, NINE, RESULT, run_at, started
from tests.contract.together import together

LATER = NINE + timedelta(days=30)


def spread_of(job: JobKey, **fields: Any) -> Spread:
    """A spread over three nodes, as it is made."""
    made = Spread(
        parent=RunKey.scheduled(job, NINE),
        attempt=2,
        pool="web",
        nodes=("b", "a", "größe"),
        min_success=2,
        max_parallel=1,
    )
    return replace(made, **fields)


def part_of(spread: Spread, node: str, **fields: Any) -> Run:
    """The run of a node, as its claim makes it."""
    share = Share(
        spread.parent, spread.attempt, spread.pool, node, spread.nodes.index(node), len(spread.nodes), NINE + HOUR
    )
    return run_at(spread.parent.job, key=spread.child(node), share=share, **fields)


def test_a_spread_is_read_as_it_was_stored(stores, job):
    made = spread_of(job)
    assert stores.spreads.create(made, LATER) == made
    assert stores.spreads.get(made.parent, 2) == made
    after = replace(made, taken=3, closed=True, version=2)
    assert stores.spreads.save(made, after)
    assert stores.spreads.get(made.parent, 2) == after


def test_an_attempt_without_a_spread_has_none(stores, job):
    made = spread_of(job)
    stores.spreads.create(made, LATER)
    assert stores.spreads.get(made.parent, 1) is None
    unknown = spread_of(job, attempt=1)
    assert not stores.spreads.save(unknown, replace(unknown, taken=1, version=2))
    assert stores.spreads.get(made.parent, 1) is None


def test_creating_an_existing_spread_returns_it(stores, job):
    made = stores.spreads.create(spread_of(job), LATER)
    moved = replace(made, taken=1, version=2)
    stores.spreads.save(made, moved)
    assert stores.spreads.create(spread_of(job, nodes=("c",)), LATER) == moved


def test_of_concurrent_creates_of_a_spread_all_get_the_same(stores, job):
    made = together(lambda number: stores.spreads.create(spread_of(job, nodes=(f"node-{number}",)), LATER))
    assert set(made) == {stores.spreads.get(made[0].parent, 2)}


def test_of_concurrent_saves_of_a_spread_one_succeeds(stores, job):
    made = stores.spreads.create(spread_of(job), LATER)
    saved = together(lambda number: stores.spreads.save(made, replace(made, taken=number % 3, version=2)))
    assert sorted(saved) == [False] * (len(saved) - 1) + [True]


def test_a_run_on_a_node_is_claimed_once_and_read_as_it_was_stored(stores, job):
    part = part_of(spread_of(job), "a")
    assert stores.runs.claim([part]) == [Claim.CLAIMED]
    assert stores.runs.claim([part]) == [Claim.EXISTS]
    assert stores.runs.get([part.key]) == {part.key: part}
    begun = started(part)
    assert stores.runs.move(part, begun) == begun
    ended = replace(
        begun, state=RunState.FAILED, result=RESULT, error=ERROR, finished_at=NINE + MILLISECONDS, lease_until=None
    )
    assert stores.runs.move(begun, ended) == ended
    assert stores.runs.get([part.key]) == {part.key: ended}


def test_a_run_that_waits_for_its_nodes_is_read_as_it_was_stored(stores, run):
    begun = stores.runs.move(run, started(run))
    waiting = replace(begun, state=RunState.WAITING, deadline_at=NINE + HOUR, joins_at=NINE + MILLISECONDS)
    assert stores.runs.move(begun, waiting) == waiting
    assert stores.runs.get([run.key]) == {run.key: waiting}


def test_no_list_has_runs_on_nodes_or_spreads(stores, job, run):
    spread = stores.spreads.create(spread_of(job, attempt=1), LATER)
    parts = [part_of(spread, node) for node in spread.nodes]
    stores.runs.claim(parts)
    for part in parts:
        begun = stores.runs.move(part, started(part))
        stores.runs.move(
            begun, replace(begun, state=RunState.FAILED, finished_at=NINE + MILLISECONDS, lease_until=None)
        )
    assert list(stores.runs.page(job, 10, None).items) == [run]
    assert list(stores.runs.between(job, NINE - HOUR, NINE + HOUR)) == [run]
    within = [key for page in stores.runs.within(job.namespace, NINE - HOUR, NINE + HOUR) for key in page]
    assert [key for key in within if key.job == job] == [run.key]
    ended = stores.run_lists.by_end(job.namespace, NINE - HOUR, NINE + HOUR)
    assert [one for page in ended for one in page] == []
    listed = stores.run_lists.of_job(job, NINE - HOUR, NINE + HOUR, limit=10)
    assert list(listed) == [run]
