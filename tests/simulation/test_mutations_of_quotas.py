"""Each rule of a namespace's quota, broken on purpose, must be noticed."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from minutehand.adapters.memory import MemoryState
from minutehand.adapters.memory.quota_use import MemoryQuotaUse
from minutehand.domain.namespace import Namespace
from minutehand.domain.quota import Pace, Place, Quota, minute_of
from minutehand.usecases import pacing
from minutehand.usecases.completion import follow_up
from tests.simulation import quotas
from tests.simulation.mutations import Mutation, Patch, assert_noticed

OF_MINUTES = Quota(runs_per_minute=2)


def with_quota(patch: Patch, quota: Quota) -> None:
    """Give every history this quota, so that few histories are enough."""
    patch.setattr(quotas, "drawn", lambda _: quota)


def places_that_nobody_counts(patch: Patch) -> None:
    with_quota(patch, OF_MINUTES)
    patch.setattr(pacing, "take_place", lambda *known: Place(minute_of(known[-1]), minute_of(known[-1])))


def a_place_that_counts_after_its_minute(patch: Patch) -> None:
    with_quota(patch, OF_MINUTES)
    patch.setattr(pacing, "held", lambda minute, _: minute and Place(minute, minute))


def a_minute_that_two_begin_to_count_anew(patch: Patch) -> None:
    with_quota(patch, OF_MINUTES)

    def restart(store: Any, namespace: str, _since: object, minute: datetime, **_: object) -> bool:
        state: MemoryState = store._state
        state.paces[namespace] = Pace(minute, 1)
        return True

    patch.setattr(MemoryQuotaUse, "restart_pace", restart)


def counting_anew_although_places_were_given_out_meanwhile(patch: Patch) -> None:
    with_quota(patch, OF_MINUTES)
    kept = MemoryQuotaUse.restart_pace

    def restart(store: Any, namespace: str, since: datetime | None, minute: datetime, **_: object) -> bool:
        return kept(store, namespace, since, minute)

    patch.setattr(MemoryQuotaUse, "restart_pace", restart)


def a_quota_that_gives_way_to_the_limit_of_the_namespace(patch: Patch) -> None:
    with_quota(patch, Quota(concurrency=1))

    def own_first(namespace: Namespace) -> int | None:
        own = namespace.max_concurrency
        return namespace.quota.concurrency if own is None else own

    patch.setattr(Namespace, "most_at_once", property(own_first))


def a_second_message_for_a_run_that_comes_by_itself(patch: Patch) -> None:
    with_quota(patch, Quota(concurrency=2, runs_per_minute=3))
    patch.setattr(follow_up, "comes_by_itself", lambda *_: False)


MUTATIONS: list[Mutation] = [
    a_second_message_for_a_run_that_comes_by_itself,
    places_that_nobody_counts,
    a_place_that_counts_after_its_minute,
    a_minute_that_two_begin_to_count_anew,
    counting_anew_although_places_were_given_out_meanwhile,
    a_quota_that_gives_way_to_the_limit_of_the_namespace,
]


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.__name__)
def test_the_checker_notices(mutation: Mutation, monkeypatch: Patch) -> None:
    assert_noticed(mutation, monkeypatch)
