"""The life of a run on the deployed stack. Scenarios wait most of the time, so all that are asked for are played side by side."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from tests.e2e.conftest import Stack
from tests.e2e.life import dying, ending, following, overlapping, retrying
from tests.e2e.life.scene import PATIENCE, Scene

pytestmark = [pytest.mark.services, pytest.mark.slow]

Scenario = Callable[[Scene], None]
ALIVE = (*retrying.SCENARIOS, *overlapping.SCENARIOS, *ending.SCENARIOS, *following.SCENARIOS)


def _played(
    request: pytest.FixtureRequest, stack: Stack, among: tuple[Scenario, ...]
) -> Iterator[dict[str, Future[None]]]:
    items = (
        item
        for item in request.session.items
        if item.getparent(pytest.Module) is request.node and hasattr(item, "callspec")
    )
    asked = {scenario for item in items if (scenario := item.callspec.params["scenario"]) in among}

    if not asked:
        yield {}
        return

    def kill() -> None:
        for process in stack.worker_processes():
            os.kill(process, signal.SIGKILL)

    ready, end = threading.Barrier(len(asked)), threading.Barrier(len(asked), action=kill)

    def play(scenario: Scenario) -> None:
        scene = Scene(stack, lambda: ready.wait(PATIENCE), lambda: end.wait(PATIENCE))
        try:
            scenario(scene)
        finally:
            scene.close()

    stack.client.health()  # the functions that all ask first are up before they do
    with ThreadPoolExecutor(max_workers=len(asked)) as threads:
        yield {scenario.__name__: threads.submit(play, scenario) for scenario in asked}


@pytest.fixture(scope="module")
def dead(request: pytest.FixtureRequest, stack: Stack) -> Iterator[dict[str, Future[None]]]:
    yield from _played(request, stack, dying.SCENARIOS)


@pytest.fixture(scope="module")
def alive(
    request: pytest.FixtureRequest, stack: Stack, dead: dict[str, Future[None]]
) -> Iterator[dict[str, Future[None]]]:
    for scenario in dead.values():
        scenario.exception()  # until then no worker is safe
    yield from _played(request, stack, ALIVE)


def _named(scenario: Scenario) -> str:
    return scenario.__name__


@pytest.mark.parametrize("scenario", dying.SCENARIOS, ids=_named)
def test_when_every_worker_is_killed(scenario: Scenario, dead: dict[str, Future[None]]) -> None:
    dead[scenario.__name__].result()


@pytest.mark.parametrize("scenario", ALIVE, ids=_named)
def test_while_nothing_breaks(scenario: Scenario, alive: dict[str, Future[None]]) -> None:
    alive[scenario.__name__].result()


def test_the_sweep_finds_nothing_to_rescue(stack: Stack) -> None:
    assert stack.invoke("SweepFunction") == {
        "resent": 0,
        "dead_letters": 0,
        "resharded": 0,
        "unpacked": 0,
        "renewed": 0,
    }
