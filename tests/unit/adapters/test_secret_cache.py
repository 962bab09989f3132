"""What a worker has read of the stores of secrets serves its calls for some minutes."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest

from minutehand.adapters.memory.secrets import MemorySecretStores
from minutehand.adapters.secret_cache import LASTS, SecretCache
from minutehand.domain.errors import NotFound, Unavailable
from minutehand.domain.secret_reference import SecretReference

KEY, OTHER = SecretReference.parse("ssm:/shop/key"), SecretReference.parse("ssm:/shop/other")
NINE = datetime(2026, 11, 20, 9, tzinfo=UTC)


class Clock:
    def __init__(self) -> None:
        self.now = NINE

    def __call__(self) -> datetime:
        return self.now


def test_a_secret_is_read_again_once_it_is_old() -> None:
    stores, clock = MemorySecretStores({str(KEY): "first"}), Clock()
    secrets = SecretCache(stores, clock)
    assert secrets(KEY).result(5) == "first"
    stores.texts[str(KEY)] = "second"
    clock.now += LASTS - timedelta(seconds=1)
    assert secrets(KEY).result(5) == "first"
    clock.now += timedelta(seconds=1)
    assert secrets(KEY).result(5) == "second"
    assert stores.reads == [str(KEY)] * 2


def test_a_clock_that_is_put_back_makes_no_secret_last_longer() -> None:
    stores, clock = MemorySecretStores({str(KEY): "first"}), Clock()
    secrets = SecretCache(stores, clock)
    secrets(KEY).result(5)
    clock.now -= timedelta(hours=1)
    secrets(KEY).result(5)
    assert len(stores.reads) == 2


def test_an_error_is_not_kept() -> None:
    stores = MemorySecretStores({})
    secrets = SecretCache(stores, Clock())
    with pytest.raises(NotFound, match="there is no secret ssm:/shop/key"):
        secrets(KEY).result(5)
    stores.texts[str(KEY)] = "found"
    stores.answers = False
    with pytest.raises(Unavailable):
        secrets(KEY).result(5)
    stores.answers = True
    assert secrets(KEY).result(5) == "found"


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
