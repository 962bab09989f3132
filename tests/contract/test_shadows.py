"""Runs that become shadows as they start: a feature that their items did not need before."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from minutehand.domain.run import RunState, SkipReason
from tests.contract.examples import NINE, run_at


def test_a_run_becomes_a_shadow_at_its_start_and_ends_as_one(stores, job):
    run = run_at(job)
    stores.runs.claim([run])
    begun = replace(
        run,
        state=RunState.RUNNING,
        attempt=1,
        nonce="n",
        started_at=NINE,
        lateness=timedelta(0),
        lease_until=NINE,
        shadow=True,
    )
    assert stores.runs.move(run, begun) == begun
    ended = replace(begun, state=RunState.SKIPPED, skip_reason=SkipReason.SHADOW, finished_at=NINE)
    assert stores.runs.move(begun, ended) == ended
    assert stores.runs.get([run.key]) == {run.key: ended}


def test_a_run_that_is_no_shadow_any_more_needs_the_feature_no_more(stores, job):
    run = run_at(job, shadow=True)
    stores.runs.claim([run])
    begun = replace(
        run, state=RunState.RUNNING, attempt=1, nonce="n", started_at=NINE, lateness=timedelta(0), shadow=False
    )
    assert stores.runs.move(run, begun) == begun
    assert stores.runs.get([run.key]) == {run.key: begun}
