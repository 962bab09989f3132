"""Contract of stores of executions that attempts wait for."""

from __future__ import annotations

import pytest

from minutehand.domain.token import attempt_nonce
from minutehand.usecases.ports.executions import Awaiting
from tests.contract.examples import HOUR, NINE, run_at


@pytest.fixture
def execution(job) -> str:
    return f"arn:aws:states:eu-west-1:111122223333:execution:report:minutehand-{job.namespace}"


def test_who_waits_for_an_execution_is_read_back(stores, job, execution):
    awaiting = Awaiting(run_at(job).key, 2, attempt_nonce("token"))
    assert stores.executions.awaiting(execution) is None
    stores.executions.expect(execution, awaiting, NINE + HOUR)
    assert stores.executions.awaiting(execution) == awaiting
    assert stores.executions.awaiting(f"{execution}-other") is None


def test_who_waits_for_an_execution_is_written_once(stores, job, execution):
    first = Awaiting(run_at(job).key, 1, attempt_nonce("token"))
    stores.executions.expect(execution, first, NINE + HOUR)
    stores.executions.expect(execution, first._replace(attempt=2), NINE + HOUR)
    assert stores.executions.awaiting(execution) == first


def test_what_waits_for_an_execution_is_no_run(stores, job, execution):
    stores.executions.expect(execution, Awaiting(run_at(job).key, 1, "nonce"), NINE + HOUR)
    assert stores.runs.page(job, 10, None).items == ()
    assert stores.runs.get([run_at(job).key]) == {}
