"""Agents under faults: the promises hold; and each rule, broken on purpose, is noticed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from minutehand.domain import run_decisions
from minutehand.domain.concurrency import Full
from minutehand.domain.node import Destination, Node, StartAnswer
from minutehand.domain.run import Run, RunState
from minutehand.domain.token import attempt_nonce
from minutehand.usecases.agents import registering, starting
from minutehand.usecases.agents.forwarding import Forwarding
from minutehand.usecases.agents.starting import Started
from minutehand.usecases.completion import answers
from minutehand.usecases.running import attempt, handle
from minutehand.usecases.running.admit import Granted
from minutehand.usecases.running.worker import Forwarded
from tests.simulation.mutations import Mutation, Patch, assert_noticed
from tests.simulation.playing import OF_AGENTS, play, play_agents

HISTORIES = 20
pytestmark = pytest.mark.thorough


def problems(seed: int) -> Sequence[str]:
    return play_agents(seed).problems


def test_agents_that_die_freeze_and_leave_break_no_promise() -> None:
    for seed in range(HISTORIES):
        assert not (played := play_agents(seed)).problems, str(played)


def test_histories_with_agents_are_among_those_that_are_played() -> None:
    assert play(OF_AGENTS - 1) == play_agents(OF_AGENTS - 1)


def a_message_that_is_deleted_although_the_pool_has_none(patch: Patch) -> None:
    right = Forwarding.__call__

    def forward(self: Forwarding, run: Any, definition: Any) -> Any:
        queues = self._queues
        self._queues = type("Nowhere", (), {"send": lambda *_: None})()
        try:
            return right(self, run, definition)
        finally:
            self._queues = queues

    patch.setattr(Forwarding, "__call__", forward)


def a_queue_that_refuses_and_is_not_asked_again(patch: Patch) -> None:
    right = Forwarding.__call__

    def forward(self: Forwarding, run: Any, definition: Any) -> Any:
        try:
            return right(self, run, definition)
        except handle.Unavailable:
            return Forwarded()

    patch.setattr(Forwarding, "__call__", forward)


def a_late_report_that_is_accepted(patch: Patch) -> None:
    """Whichever attempt of its run is in progress."""
    right = answers.answerable_run

    def answerable(ports: Any, speaker: Any) -> Run:
        run = ports.runs.get([speaker.run])[speaker.run]
        return run if run.state in (RunState.RUNNING, RunState.WAITING) else right(ports, speaker)

    patch.setattr(answers, "answerable_run", answerable)


def a_start_that_does_not_ask_who_holds_the_lock(patch: Patch) -> None:
    patch.setattr(attempt, "admit", lambda *_, **__: Granted(()))


def a_run_that_is_forgotten_since_nobody_is_live(patch: Patch) -> None:
    right = Forwarding.__call__

    def forward(self: Forwarding, run: Any, definition: Any) -> Any:
        found = right(self, run, definition)
        return Forwarded() if isinstance(found, Full) else found

    patch.setattr(Forwarding, "__call__", forward)


def a_node_that_starts_what_another_is_to_run(patch: Patch) -> None:
    patch.setattr(Destination, "includes", lambda self, node: node.pool.namespace == self.pool.namespace)


def a_message_that_is_dropped_although_it_is_to_be_hidden(patch: Patch) -> None:
    right = starting._answer

    def answer(handled: Any, inbox: Any, orders: Mapping[Any, Any]) -> Started:
        found = right(handled, inbox, orders)
        return found._replace(decision=StartAnswer.DROP) if found.decision is StartAnswer.HIDE else found

    patch.setattr(starting, "_answer", answer)


def a_name_that_two_have(patch: Patch) -> None:
    def registered(before: Any, key: Any, machine: Any, session: str, now: datetime) -> Node:
        return Node(key=key, machine=machine, session=session, seen_at=now, registered_at=now)

    patch.setattr(registering, "registered", registered)


def a_heartbeat_that_extends_nothing(patch: Patch) -> None:
    patch.setattr(answers, "heard_from", lambda run, *_: run)


def silence_that_takes_nothing_over(patch: Patch) -> None:
    right = run_decisions._decide_waiting

    def decide(run: Run, *more: Any) -> Any:
        found = right(run, *more)
        return (
            run_decisions.Lose("its agent fell silent")
            if isinstance(found, run_decisions.Start | run_decisions.Miss)
            else found
        )

    patch.setattr(run_decisions, "_decide_waiting", decide)


def an_order_that_whoever_asks_gets_again(patch: Patch) -> None:
    right = handle.given_again

    def given_again(run: Run, definition: Any, delivery: Any) -> Any:
        token = delivery.worker.proposed(delivery.message)
        return right(replace(run, nonce=attempt_nonce(token)), definition, delivery)

    patch.setattr(handle, "given_again", given_again)


MUTATIONS: Mapping[Mutation, int] = {
    a_message_that_is_deleted_although_the_pool_has_none: 0,
    a_queue_that_refuses_and_is_not_asked_again: 11,
    a_late_report_that_is_accepted: 49,
    a_start_that_does_not_ask_who_holds_the_lock: 0,
    a_run_that_is_forgotten_since_nobody_is_live: 13,
    a_node_that_starts_what_another_is_to_run: 0,
    a_message_that_is_dropped_although_it_is_to_be_hidden: 31,
    a_name_that_two_have: 0,
    a_heartbeat_that_extends_nothing: 3,
    silence_that_takes_nothing_over: 1,
    an_order_that_whoever_asks_gets_again: 0,
}
"""Each with the first of the histories that are asked, since one with agents takes a third of a second."""


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.__name__)
def test_a_broken_rule_is_noticed(mutation: Mutation, monkeypatch: Patch) -> None:
    assert_noticed(mutation, monkeypatch, problems, first=MUTATIONS[mutation], histories=60)
