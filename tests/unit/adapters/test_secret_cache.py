"""What a worker has read of the stores of secrets serves its calls for some minutes."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest

from minutehand.adapters.memory.secrets import MemorySecretStores
from minutehand.adapters.secret_cache import AGAIN, ERROR_LASTS, LASTS, SPREAD, WITHOUT_ANSWER_FOR, SecretCache
from minutehand.domain.errors import NotFound, Unavailable
from minutehand.domain.secret_reference import SecretReference

KEY, OTHER = SecretReference.parse("ssm:/shop/key"), SecretReference.parse("ssm:/shop/other")
NINE = datetime(2026, 11, 20, 9, tzinfo=UTC)


SECOND = timedelta(seconds=1)


class Clock:
    def __init__(self) -> None:
        self.now = NINE

    def __call__(self) -> datetime:
        return self.now


def test_a_secret_is_read_again_once_it_is_old() -> None:
    stores, clock = MemorySecretStores({str(KEY): "first"}), Clock()
    secrets = SecretCache(stores, clock, lambda: 0)
    assert secrets(KEY).result(5) == "first"
    stores.texts[str(KEY)] = "second"
    clock.now += LASTS - SECOND
    assert secrets(KEY).result(5) == "first"
    clock.now += SECOND
    assert secrets(KEY).result(5) == "second"
    assert stores.reads == [str(KEY)] * 2


def test_a_clock_that_is_put_back_makes_no_secret_last_longer() -> None:
    stores, clock = MemorySecretStores({str(KEY): "first"}), Clock()
    secrets = SecretCache(stores, clock)
    secrets(KEY).result(5)
    clock.now -= timedelta(hours=1)
    secrets(KEY).result(5)
    assert len(stores.reads) == 2


def test_workers_that_began_together_do_not_read_again_together() -> None:
    for draw in (0.25, 0.75):
        stores, clock = MemorySecretStores({str(KEY): "first"}), Clock()
        secrets = SecretCache(stores, clock, lambda draw=draw: draw)  # type: ignore[misc]
        for until, reads in ((LASTS * (1 - SPREAD * draw) - SECOND, 1), (LASTS * (1 - SPREAD * draw), 2)):
            secrets(KEY).result(5)
            clock.now = NINE + until
            secrets(KEY).result(5)
            assert len(stores.reads) == reads


def test_an_error_is_kept_for_two_seconds_only() -> None:
    stores, clock = MemorySecretStores({}), Clock()
    secrets = SecretCache(stores, clock)
    for _ in range(2):
        with pytest.raises(NotFound, match="there is no secret ssm:/shop/key"):
            secrets(KEY).result(5)
    assert len(stores.reads) == 1
    stores.texts[str(KEY)] = "found"
    stores.answers = False
    clock.now += ERROR_LASTS
    for _ in range(2):
        with pytest.raises(Unavailable):
            secrets(KEY).result(5)
    assert len(stores.reads) == 2
    stores.answers = True
    clock.now += ERROR_LASTS
    assert secrets(KEY).result(5) == "found"


def test_an_old_value_serves_while_the_store_does_not_answer() -> None:
    stores, clock = MemorySecretStores({str(KEY): "first"}), Clock()
    secrets = SecretCache(stores, clock)
    secrets(KEY).result(5)
    stores.answers = False
    clock.now += LASTS
    assert [secrets(KEY).result(5) for _ in range(3)] == ["first"] * 3
    assert len(stores.reads) == 2
    clock.now += AGAIN
    assert secrets(KEY).result(5) == "first"
    assert len(stores.reads) == 3, "a store that does not answer is asked again soon"
    clock.now = NINE + WITHOUT_ANSWER_FOR
    with pytest.raises(Unavailable):
        secrets(KEY).result(5)


def test_an_old_value_does_not_outlive_the_store_s_answer_that_the_secret_is_gone() -> None:
    stores, clock = MemorySecretStores({str(KEY): "first"}), Clock()
    secrets = SecretCache(stores, clock)
    secrets(KEY).result(5)
    stores.texts.clear()
    clock.now += LASTS
    with pytest.raises(NotFound):
        secrets(KEY).result(5)
    stores.answers = False
    clock.now += ERROR_LASTS
    with pytest.raises(Unavailable):
        secrets(KEY).result(5)


def test_many_threads_wait_for_one_that_reads_and_other_secrets_do_not() -> None:
    asked, go, reads = threading.Event(), threading.Event(), []

    def fetch(reference: SecretReference) -> str:
        reads.append(reference)
        if reference == KEY:
            asked.set()
            assert go.wait(10)
        return f"text of {reference}"

    secrets = SecretCache(fetch, Clock())
    with ThreadPoolExecutor(10) as threads:
        waiting = [threads.submit(lambda: secrets(KEY).result(10)) for _ in range(10)]
        assert asked.wait(10)
        assert secrets(OTHER).result(10) == f"text of {OTHER}"
        assert not any(each.done() for each in waiting)
        go.set()
        assert {each.result() for each in waiting} == {f"text of {KEY}"}
    assert reads == [KEY, OTHER]
