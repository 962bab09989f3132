"""Each rule of the limits of concurrency and of a namespace's pause, broken on purpose, must be noticed."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from minutehand.adapters.memory import runs
from minutehand.domain import concurrency, overlap_lock
from minutehand.domain.concurrency import Full, free_slot, limits_of, next_look, slots_in_order
from minutehand.domain.definition import Definition
from minutehand.domain.namespace import Namespace
from minutehand.domain.run import Run
from minutehand.domain.run_successors import looking_again
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.running import admit, handle
from minutehand.usecases.running.acknowledge import Delivery, delete, send_later
from minutehand.usecases.running.worker import Handled
from tests.simulation.faults import die
from tests.simulation.mutations import Mutation, Patch, assert_noticed, problems_of


def slots_that_nobody_holds(patch: Patch) -> None:
    patch.setattr(concurrency, "is_held", lambda *_: False)


def a_slot_that_is_taken_whoever_holds_it_by_now(patch: Patch) -> None:
    patch.setattr(runs, "is_as_read", lambda *_: True)


def a_slot_that_is_free_before_its_holder_is_over(patch: Patch) -> None:
    patch.setattr(overlap_lock, "CLOCKS_DIFFER", timedelta(seconds=-8))


def holders_that_are_read_before_their_slots(patch: Patch) -> None:
    def slot(limit: Any, run: Run, ports: Ports, now: datetime) -> Any:
        for keys in slots_in_order(limit, run.key):
            holders = {each.holder for each in ports.permits.get(keys).values() if each.holder}
            known = ports.runs.get(sorted(holders)) if holders else {}
            found = free_slot(list(ports.permits.get(keys).values()), known, run.key, now)
            if found:
                return found
        return None

    patch.setattr(admit, "find_slot", slot)


def a_named_limit_that_takes_no_slot(patch: Patch) -> None:
    patch.setattr(admit, "limits_of", lambda *known: (limit for limit in limits_of(*known) if not limit.name))


def a_named_limit_that_each_job_counts_alone(patch: Patch) -> None:
    def own(job: Any, *known: Any) -> Any:
        return (limit._replace(name=limit.name and f"{limit.name}-{job.key.name}") for limit in limits_of(job, *known))

    patch.setattr(admit, "limits_of", own)


def a_lower_max_that_may_use_every_slot_of_the_higher(patch: Patch) -> None:
    def any_slot(*known: Any) -> Any:
        return (limit._replace(most=3) if limit.name else limit for limit in limits_of(*known))

    patch.setattr(admit, "limits_of", any_slot)


def a_wait_for_a_slot_without_a_message(patch: Patch) -> None:
    patch.setattr(handle, "send_later", lambda delivery, run, _until: delete(delivery, run))


def a_next_look_that_a_clock_behind_takes_for_one_too_many(patch: Patch) -> None:
    patch.setattr(handle, "CLOCKS_DIFFER", timedelta(0))


def a_next_look_that_is_written_before_its_message(patch: Patch) -> None:
    def look_again(run: Run, _definition: object, full: Full, now: datetime, delivery: Delivery) -> Handled:
        until = next_look(run, now, of=delivery.message.receipt)
        stored = delivery.ports.runs.move(run, looking_again(run, until, full.limit and full.limit.taken))
        _sometimes_die(delivery)
        return send_later(delivery, stored, until)

    patch.setattr(handle, "_look_again", look_again)


def _sometimes_die(delivery: Delivery) -> None:
    """End the worker's process, for one message in eight."""
    if int(delivery.message.receipt) % 8 == 0:
        die(delivery.ports.runs._process, "look_again", "within")


def a_pause_of_all_that_nobody_minds(patch: Patch) -> None:
    patch.setattr(Namespace, "pause_stopping", lambda *_: None)


MUTATIONS: list[Mutation] = [
    slots_that_nobody_holds,
    a_slot_that_is_taken_whoever_holds_it_by_now,
    a_slot_that_is_free_before_its_holder_is_over,
    holders_that_are_read_before_their_slots,
    a_named_limit_that_takes_no_slot,
    a_named_limit_that_each_job_counts_alone,
    a_lower_max_that_may_use_every_slot_of_the_higher,
    a_wait_for_a_slot_without_a_message,
    a_next_look_that_a_clock_behind_takes_for_one_too_many,
    a_next_look_that_is_written_before_its_message,
    a_pause_of_all_that_nobody_minds,
]


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.__name__)
def test_the_checker_notices(mutation: Mutation, monkeypatch: Patch) -> None:
    assert_noticed(mutation, monkeypatch)


def test_a_worker_may_die_between_the_message_of_a_next_look_and_its_write(monkeypatch: Patch) -> None:
    right, looking = handle._look_again, list[Delivery]()

    def look_again(run: Run, definition: Definition | None, full: Full, now: datetime, delivery: Delivery) -> Handled:
        looking.append(delivery)
        return right(run, definition, full, now, delivery)

    def sent(delivery: Delivery, run: Run, until: datetime) -> Handled:
        handled = send_later(delivery, run, until)
        if any(one is delivery for one in looking):
            _sometimes_die(delivery)
        return handled

    monkeypatch.setattr(handle, "_look_again", look_again)
    monkeypatch.setattr(handle, "send_later", sent)
    assert [problem for seed in range(40) for problem in problems_of(seed)] == []
