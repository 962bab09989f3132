"""Cancelling runs over HTTP."""

from __future__ import annotations

from datetime import timedelta

import pytest

from minutehand.adapters.memory import MemoryState
from minutehand.domain.run import RunState
from tests.unit.api.conftest import NOON, PATH, Api
from tests.unit.api.stored_runs import add


def test_a_queued_run_is_cancelled_at_once(api: Api) -> None:
    api.put()
    run_id = api.post(f"{PATH}/trigger").body["run_id"]
    operator = api.by(token="olga", role="operator")
    answer = operator.post(f"{PATH}/runs/{run_id}/cancel")
    assert (answer.status, answer.body["state"], answer.body["cancelled_by"]) == (200, "cancelled", "olga")
    again = operator.post(f"{PATH}/runs/{run_id}/cancel")
    assert (again.status, again.body) == (200, answer.body)


def test_cancelling_a_running_run_only_records_the_request(api: Api, state: MemoryState) -> None:
    api.put()
    [run] = add(state, RunState.RUNNING, attempt=1, nonce="n", started_at=NOON, lease_until=NOON + timedelta(minutes=1))
    answer = api.post(f"{PATH}/runs/{run.key.run_id}/cancel")
    assert (answer.status, answer.body["state"], answer.body["cancelled_by"]) == (202, "running", "ada")


def test_an_ended_run_cannot_be_cancelled(api: Api, state: MemoryState) -> None:
    api.put()
    [run] = add(state, RunState.SUCCEEDED)
    answer = api.post(f"{PATH}/runs/{run.key.run_id}/cancel")
    assert answer.status == 409
    assert "has ended already: succeeded" in answer.body["detail"]


@pytest.mark.parametrize("run_id", ["20261120T110000Z", "nonsense", "20261120T110000Z~x", "payload"])
def test_cancelling_an_unknown_run_is_404(api: Api, run_id: str) -> None:
    api.put()
    assert api.post(f"{PATH}/runs/{run_id}/cancel").status == 404


def test_cancelling_needs_an_operator_and_redriving_an_admin(api: Api) -> None:
    api.put()
    assert api.by(role="viewer").post(f"{PATH}/runs/20261120T110000Z/cancel").status == 403
    assert api.by(role="operator").post(f"{PATH}/redrive").status == 403
