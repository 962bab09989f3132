"""Contract of stores of runs: claims."""

from __future__ import annotations

from minutehand.usecases.ports.stores import Claim
from tests.contract.examples import HOUR, MINUTE, NINE, SECOND, run_at, started
from tests.contract.stores import in_dynamodb
from tests.contract.together import together


def test_a_claim_creates_the_run(stores, job):
    run = run_at(job)
    assert list(stores.runs.claim([run])) == [Claim.CLAIMED]
    assert stores.runs.get([run.key]) == {run.key: run}


def test_claiming_nothing_is_no_error(stores):
    assert list(stores.runs.claim([])) == []


def test_a_claim_of_a_run_that_exists_changes_nothing(stores, job):
    run = started(run_at(job))
    assert list(stores.runs.claim([run])) == [Claim.CLAIMED]
    assert list(stores.runs.claim([run_at(job, revision=2)])) == [Claim.EXISTS]
    assert stores.runs.get([run.key]) == {run.key: run}


def test_of_sixty_claims_existing_runs_are_reported_at_their_positions(stores, job):
    runs = [run_at(job, NINE + number * SECOND) for number in range(60)]
    known = {0, 24, 25, 30, 31, 59}
    stores.runs.claim([runs[number] for number in known])
    outcomes = stores.runs.claim(runs)
    assert {number for number, outcome in enumerate(outcomes) if outcome is Claim.EXISTS} == known
    assert {outcome for number, outcome in enumerate(outcomes) if number not in known} == {Claim.CLAIMED}
    assert len(stores.runs.get([run.key for run in runs])) == 60


def test_a_run_that_is_claimed_twice_in_one_call_is_claimed_once(stores, job):
    run, other = run_at(job), run_at(job, NINE + MINUTE)
    assert list(stores.runs.claim([run, other, run_at(job, revision=7), run])) == [
        Claim.CLAIMED,
        Claim.CLAIMED,
        Claim.EXISTS,
        Claim.EXISTS,
    ]
    assert stores.runs.get([run.key]) == {run.key: run}


def test_of_concurrent_claims_each_run_is_claimed_once(stores, job):
    runs = [run_at(job, NINE + number * SECOND) for number in range(30)]
    outcomes = together(lambda _: stores.runs.claim(runs))
    for claims in zip(*outcomes, strict=True):
        assert sorted(claim.value for claim in claims) == ["claimed"] + ["exists"] * 7


def test_a_bad_run_in_a_batch_fails_alone(server, job):
    stores = in_dynamodb(server.client, server.jobs_table, server.runs_table)
    runs = [run_at(job, NINE + number * SECOND) for number in range(30)]
    runs[12] = run_at(job, NINE + 12 * SECOND, target="far too much for one item " * 20_000)
    outcomes = stores.runs.claim(runs)
    assert {number for number, outcome in enumerate(outcomes) if outcome is not Claim.CLAIMED} == {12}
    assert outcomes[12] is Claim.FAILED


def test_claims_on_a_table_that_does_not_exist_fail_and_do_not_raise(server, job):
    stores = in_dynamodb(server.client, "NoSuchTable", "NoSuchTable")
    assert list(stores.runs.claim([run_at(job), run_at(job, NINE + HOUR)])) == [Claim.FAILED] * 2


def test_a_claimed_run_is_found_by_its_hour(stores, job):
    run = run_at(job, NINE + 59 * MINUTE)
    stores.runs.claim([run, run_at(job, NINE + HOUR), run_at(job, NINE - SECOND)])
    assert [key for page in stores.runs.within(job.namespace, NINE, NINE + HOUR) for key in page] == [run.key]
