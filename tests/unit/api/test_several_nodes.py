"""Runs on several nodes in the API: what people see of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from minutehand.usecases.ports.bundle import Ports
from tests.unit.api.conftest import Api
from tests.unit.usecases.agents.spreading import Spreading

JOB = "/v1/namespaces/shop/jobs/report"
RUN = f"{JOB}/runs/20261120T090000Z"


@pytest.fixture
def stage() -> Spreading:
    """A run on the nodes a, b and c, two at once; one of them has succeeded."""
    stage = Spreading("abc", command={"max_parallel": 2})
    stage.begins()
    first, _ = sorted(stage.shares)
    stage.carries_out(first)
    return stage


@pytest.fixture
def api(stage: Spreading, api_over: Callable[[Ports], Api]) -> Api:
    return api_over(stage.ports)


def states(run: dict[str, Any]) -> list[tuple[int, str | None]]:
    return [(each["index"], each["state"]) for each in run["nodes"]]


def test_a_run_shows_its_nodes_in_the_order_of_their_turns(api: Api, stage: Spreading) -> None:
    run = api.get(RUN).body
    assert run["state"] == "waiting"
    assert sorted(each["node"] for each in run["nodes"]) == ["a", "b", "c"]
    assert sorted(states(run), key=str) == [(0, "succeeded"), (1, "queued"), (2, "queued")]
    assert {each["run_id"] for each in run["nodes"]} == {share.key.run_id for share in stage.shares.values()}
    assert "part_of" not in run


def test_a_node_whose_turn_has_not_come_has_no_run(api_over: Callable[[Ports], Api]) -> None:
    stage = Spreading("ab", command={"max_parallel": 1})
    stage.begins()
    assert api_over(stage.ports).get(RUN).body["nodes"][1] | {"node": ""} == {
        "node": "",
        "index": 1,
        "run_id": None,
        "state": None,
    }


def test_a_run_on_a_node_is_shown_by_its_id_and_says_of_which_it_is_a_part(api: Api, stage: Spreading) -> None:
    for node, share in stage.shares.items():
        run = api.get(f"{JOB}/runs/{share.key.run_id}").body
        assert run["part_of"] == {
            "run_id": "20261120T090000Z",
            "attempt": 1,
            "pool": "web",
            "node": node,
            "index": share.share and share.share.place,
            "total": 3,
        }
        assert "nodes" not in run


def test_lists_have_the_whole_run_alone_and_without_its_nodes(api: Api) -> None:
    [run] = api.get(f"{JOB}/runs").body["items"]
    assert run["run_id"] == "20261120T090000Z"
    assert "nodes" not in run


def test_explain_counts_the_nodes_of_a_run_that_waits_for_them(api: Api) -> None:
    answer = api.get(f"{JOB}/explain", query={"at": "2026-11-20T09:00:00Z"})
    assert "waiting for its runs on 3 nodes (2 queued, 1 succeeded): attempt 1" in str(answer.body)


def test_a_cancel_of_the_run_ends_what_has_not_begun(api: Api) -> None:
    answer = api.post(f"{RUN}/cancel")
    assert (answer.status, answer.body["state"]) == (200, "cancelled")
    assert sorted(state or "" for _, state in states(answer.body)) == ["cancelled", "cancelled", "succeeded"]


def test_a_cancel_of_a_run_on_a_node_lets_the_others_go_on(api: Api, stage: Spreading) -> None:
    queued = next(share for share in stage.shares.values() if not share.state.finished)
    assert api.post(f"{JOB}/runs/{queued.key.run_id}/cancel").body["state"] == "cancelled"
    assert api.get(RUN).body["state"] == "waiting"
