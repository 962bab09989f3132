"""What calls at several endpoints share: the counts of calls in flight, and what happens if the state does not answer."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from minutehand.adapters.memory import MemoryBalances
from minutehand.domain.errors import Unavailable
from minutehand.domain.run import RunState
from minutehand.targets.http.endpoint_fields import Choose
from tests.unit.targets.balanced import SECOND, counts, refusing, scene, three, unused_port
from tests.unit.targets.servers import Peer

__all__ = ["refusing", "scene", "three", "unused_port"]


def test_fewest_sends_calls_where_the_fewest_are_in_flight_and_forgets_them_when_they_end(scene, serve):
    go, waiting = threading.Event(), threading.Semaphore(0)

    def slow(peer: Peer) -> None:
        peer.read_request()
        waiting.release()
        go.wait(5)
        peer.send(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")

    servers = [serve(slow) for _ in range(3)]
    urls = [server.url("") for server in servers]
    with ThreadPoolExecutor(9) as threads:
        workers = [scene.caller, scene.another_worker(), scene.another_worker()]
        calls = [
            threads.submit(scene.call, urls, choose=Choose.FEWEST, caller=workers[number % 3]) for number in range(9)
        ]
        for _ in range(9):
            assert waiting.acquire(timeout=5)
        assert counts(servers) == [3, 3, 3]
        assert [scene.balance.in_flight(url, scene.now) for url in urls] == [3, 3, 3]
        go.set()
        assert {call.result().state for call in calls} == {RunState.SUCCEEDED}
    assert [scene.balance.in_flight(url, scene.now) for url in urls] == [0, 0, 0]


def test_fewest_moves_the_count_of_a_call_to_the_endpoint_that_takes_it(scene, three, refusing):
    for _ in range(3):
        assert scene.call([refusing, three[0].url("")], choose=Choose.FEWEST).state is RunState.SUCCEEDED
    assert scene.balance.failures[refusing] >= 1
    assert [scene.balance.in_flight(url, scene.now) for url in (refusing, three[0].url(""))] == [0, 0]


class Broken:
    """A store that does not answer, and counts how often it is asked."""

    def __init__(self) -> None:
        self.asked = 0

    def __getattr__(self, _: str) -> Callable[..., Any]:
        def fail(*_: object) -> None:
            self.asked += 1
            raise Unavailable("no answer")

        return fail


@pytest.mark.parametrize("choose", list(Choose))
def test_without_the_shared_state_calls_are_made_by_what_the_process_knows(scene, three, refusing, choose):
    scene.balances = Broken()
    worker = scene.another_worker()
    urls = [*(server.url("") for server in three), refusing]
    for _ in range(12):
        assert scene.call(urls, choose=choose, caller=worker).state is RunState.SUCCEEDED
    assert min(counts(three)) >= 2, "they are shared nevertheless"
    assert scene.balances.asked == 1, "the store is left alone for a while"
    scene.now += 10 * SECOND
    scene.call(urls, choose=choose, caller=worker)
    assert scene.balances.asked == 2


def test_the_outcome_of_a_call_stays_whatever_happens_to_the_state_afterwards(scene, three, monkeypatch):
    def fail(*_: object) -> None:
        raise KeyError("failures")

    monkeypatch.setattr(MemoryBalances, "record", fail)
    assert scene.call([three[0].url("")], choose=Choose.FEWEST).state is RunState.SUCCEEDED
