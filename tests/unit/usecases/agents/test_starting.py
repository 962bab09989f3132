"""An agent asks to start the runs whose messages it received."""

from __future__ import annotations

from dataclasses import replace

import pytest

from minutehand.domain.errors import Conflict, Unavailable
from minutehand.domain.job_key import JobKey
from minutehand.domain.node import NodeKey, PoolKey, StartAnswer
from minutehand.domain.policies import Overlap
from minutehand.domain.run import RunError, RunState, SkipReason
from minutehand.domain.run_key import RunKey
from minutehand.usecases.ports.target import Outcome
from tests.unit.domain.examples import KEY, MINUTE, at
from tests.unit.usecases.agents.serving import POOL, A, B, Serving

REFUSED = Outcome(RunState.FAILED, error=RunError("UnresolvedTemplate", "no such value"), final=True)


def served(**fields: object) -> Serving:
    """A run of nine that its pool's only agent has received."""
    stage = Serving(**fields)
    stage.joins(A)
    stage.forward()
    stage.state.messages.clear()
    return stage


def test_an_agent_gets_an_order_and_the_run_waits_for_its_report() -> None:
    stage = served()
    [started] = stage.starts()
    assert (started.decision, started.order) == (StartAnswer.RUN, "order of attempt 1 with token-1")
    run = stage.nine
    assert (run.state, run.attempt, run.worker) == (RunState.WAITING, 1, "web/a")
    assert run.lease_until == stage.now + 3 * MINUTE
    [message] = stage.state.messages
    assert message.not_before == run.lease_until, "somebody looks whether the agent is still heard from"


def test_who_asks_second_gets_no_order_and_drops_the_message() -> None:
    stage = served()
    stage.joins(B, "session-b")
    stage.starts()
    [second] = stage.starts(node=B, session="session-b")
    assert (second.decision, second.order) == (StartAnswer.DROP, None)
    assert stage.nine.attempt == 1


def test_of_two_messages_of_a_run_in_one_request_one_starts_it() -> None:
    stage = served()
    first, second = stage.starts(stage.nine.key, stage.nine.key)
    assert (first.decision, second.decision) == (StartAnswer.RUN, StartAnswer.DROP)


def test_a_run_that_may_not_start_any_more_is_skipped_and_its_message_dropped() -> None:
    stage = served(start_within=MINUTE)
    stage.wait(61)
    [started] = stage.starts()
    assert started.decision is StartAnswer.DROP
    assert stage.nine.skip_reason is SkipReason.START_WITHIN


def test_a_run_that_has_to_wait_for_another_of_its_job_gets_another_message() -> None:
    stage = served(overlap=Overlap.QUEUE_ALL)
    key = RunKey.triggered(KEY, at("08:59:59"), "earlier")
    earlier = replace(stage.nine, key=key)
    stage.ports.runs.claim([earlier])
    assert [each.decision for each in stage.starts(key)] == [StartAnswer.RUN]
    [started] = stage.starts()
    assert started.decision is StartAnswer.DROP
    assert stage.nine.state is RunState.QUEUED
    assert stage.nine.key in {message.run for message in stage.state.messages}


def test_a_run_whose_order_cannot_be_made_has_failed() -> None:
    stage = served()
    [started] = stage.starts(call=lambda _: REFUSED)
    assert (started.decision, started.order) == (StartAnswer.DROP, None)
    assert (stage.nine.state, stage.nine.error) == (RunState.FAILED, REFUSED.error)


def test_an_order_whose_run_could_not_be_stored_as_waiting_is_not_given_out() -> None:
    """Its lease ends soon, and then the run is taken over: two agents would run the command."""
    stage = served(timeout=MINUTE)
    stage.runs.before("move", lambda: None)
    stage.runs.fails("move", times=20)
    [started] = stage.starts()
    assert (started.decision, started.order) == (StartAnswer.HIDE, None)
    assert started.seconds == 10


@pytest.mark.parametrize(
    ("change", "queue"), [({"pool": "db"}, NodeKey(PoolKey("shop", "db"), "z")), ({"node": "b"}, B)]
)
def test_a_run_whose_job_wants_another_pool_or_node_by_now_goes_there(change: dict[str, str], queue: NodeKey) -> None:
    stage = served()
    there = NodeKey(PoolKey(KEY.namespace, queue.pool.name), queue.name)
    stage.joins(there)
    stage.change(command=change)
    [started] = stage.starts()
    assert started.decision is StartAnswer.DROP
    assert stage.nine.state is RunState.QUEUED
    wanted = there if "node" in change else there.pool
    assert [message.run for message in stage.of(wanted)][-1] == stage.nine.key


def test_a_run_that_another_pool_should_have_is_hidden_if_its_queue_does_not_take_it() -> None:
    stage = served()
    stage.joins(B)
    stage.change(command={"node": "b"})
    stage.queues.fails("send")
    [started] = stage.starts()
    assert (started.decision, started.seconds) == (StartAnswer.HIDE, 10)
    assert stage.nine.state is RunState.QUEUED


def test_a_run_of_another_namespace_is_neither_read_nor_started() -> None:
    stage = served()
    elsewhere = NodeKey(PoolKey("elsewhere", "web"), "a")
    stage.joins(elsewhere)
    stage.runs.calls.clear()
    [started] = stage.starts(node=elsewhere)
    assert (started.decision, started.handled) == (StartAnswer.DROP, None)
    assert stage.nine.state is RunState.QUEUED
    assert not stage.runs.calls


def test_a_run_that_does_not_exist_is_dropped() -> None:
    stage = served()
    [started] = stage.starts(RunKey.scheduled(JobKey(KEY.namespace, "gone"), at("09:00")))
    assert started.decision is StartAnswer.DROP


def test_each_run_gets_an_answer_in_the_order_of_the_request() -> None:
    stage = served()
    foreign = RunKey.scheduled(JobKey("elsewhere", "report"), at("09:00"))
    unknown = RunKey.scheduled(KEY, at("07:00"))
    answers = stage.starts(foreign, stage.nine.key, unknown)
    assert [each.run for each in answers] == [foreign, stage.nine.key, unknown]
    assert [each.decision for each in answers] == [StartAnswer.DROP, StartAnswer.RUN, StartAnswer.DROP]


def test_a_message_that_comes_while_the_attempt_goes_on_is_replaced_by_a_later_one() -> None:
    stage = served()
    stage.starts()
    stage.wait(30)
    stage.state.messages.clear()
    [again] = stage.starts()
    assert again.decision is StartAnswer.DROP
    assert [message.not_before for message in stage.state.messages] == [stage.nine.lease_until]


def test_stores_that_do_not_answer_have_the_message_hidden() -> None:
    stage = served()
    stage.runs.fails("get")
    [started] = stage.starts()
    assert (started.decision, started.seconds) == (StartAnswer.HIDE, 10)
    assert started.handled is not None
    assert "did not answer" in started.handled.problem


def test_an_agent_that_has_not_registered_or_whose_name_another_one_has_starts_nothing() -> None:
    stage = served()
    with pytest.raises(Conflict, match="no agent is registered as node shop/web/b; register again"):
        stage.starts(node=B)
    with pytest.raises(Conflict, match=r"another agent has registered as node .*, on host a\.shop\.internal"):
        stage.starts(session="session-of-another")
    assert stage.nine.state is RunState.QUEUED


def test_a_store_of_nodes_that_does_not_answer_starts_nothing() -> None:
    stage = served()
    stage.nodes.fails("get")
    with pytest.raises(Unavailable):
        stage.starts()
    assert stage.nine.state is RunState.QUEUED
    assert [message.run for message in stage.of(POOL)] == [stage.nine.key]


def test_who_asks_again_since_the_answer_was_lost_gets_the_same_order() -> None:
    stage = served()
    stage.starts(tokens=["lost"])
    before = stage.nine
    stage.wait(15)
    [again] = stage.starts(tokens=["lost"])
    assert (again.decision, again.order) == (StartAnswer.RUN, "order of attempt 1 with lost")
    assert stage.nine == before


def test_another_request_does_not_get_the_order_again() -> None:
    stage = served()
    stage.starts(tokens=["first"])
    assert [each.order for each in stage.starts(tokens=["second"])] == [None]
    assert [each.order for each in stage.starts()] == [None]


def test_an_order_whose_job_has_another_heartbeat_by_now_is_not_given_again() -> None:
    stage = served()
    stage.starts(tokens=["lost"])
    stage.change(command={"heartbeat": 10 * MINUTE})
    assert [each.order for each in stage.starts(tokens=["lost"])] == [None]


def test_an_order_is_not_given_again_after_the_lease() -> None:
    stage = served()
    stage.starts(tokens=["lost"])
    stage.wait(181)
    assert [each.order for each in stage.starts(tokens=["lost"])] in ([None], ["order of attempt 2 with lost"])
