"""The functions at the two queues: the workers and the drain."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING

from minutehand.adapters.memory import MemoryMeter
from minutehand.domain.errors import Unavailable
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.ports.messages import Received
from minutehand.usecases.running.cancel_watch import Watch
from minutehand.usecases.running.drain import drain
from minutehand.usecases.running.execute import execute
from minutehand.usecases.running.slow_calls import SlowCalls
from minutehand.usecases.running.worker import Handled, Worker
from tests.simulation.engine import Died, Process
from tests.simulation.faults import Faulty
from tests.simulation.queue import SimulatedInbox

if TYPE_CHECKING:
    from tests.simulation.queue import SimulatedQueue
    from tests.simulation.scenario import Scenario

FOR_A_REQUEST, FOR_A_LETTER = timedelta(seconds=10), timedelta(seconds=5)
"""Time that the drain has to have left to receive messages, and to drain one of them (entrypoints/drain.py)."""
PROCESSES = 3
"""Processes of the quick lane's workers, each with a memory of its own."""


class Workers:
    """Each delivery is a new process; the threads of a worker are greenlets of that process."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.engine = scenario.engine
        self._tokens = 0
        self._slow_calls = [SlowCalls() for _ in range(PROCESSES)]

    def work(self, batch: Sequence[Received]) -> None:
        """A worker of the quick lane handles what its queue delivers, in one of several processes that remember slow calls."""
        self._work(batch, self.scenario.queue, self.engine.random.choice(self._slow_calls))

    def work_slow(self, batch: Sequence[Received]) -> None:
        """A worker of the slow lane handles what its queue delivers."""
        self._work(batch, self.scenario.slow, None)

    def _work(self, batch: Sequence[Received], queue: SimulatedQueue, slow_calls: SlowCalls | None) -> None:
        def work(process: Process) -> None:
            try:
                handle(process)
            finally:
                queue.done()

        def handle(process: Process) -> None:
            ports = self.scenario.ports(process)
            for handled in execute(batch, ports=ports, worker=self.worker(process, ports, queue, slow_calls)):
                if handled.deletable:
                    process.sleep(0.001)
                    queue.delete(handled.received.receipt)

        self.engine.start("worker", 900, work)

    def worker(self, process: Process, ports: Ports, queue: SimulatedQueue, slow_calls: SlowCalls | None) -> Worker:
        """What a worker has that handles messages of a queue in a process."""
        scenario = self.scenario
        return Worker(
            inbox=Faulty(process, SimulatedInbox(queue)),
            call=lambda target, call: scenario.targets.call(process, target, call),
            token=self._token,
            parallel=lambda do, what: self._side_by_side(process, do, what),
            time_left=process.time_left,
            meter=lambda: MemoryMeter(scenario.state),
            watch=Watch(ports.runs, process.clock, self._aside),
            sleep=process.sleep,
            slow_calls=slow_calls,
            background=self._aside,
        )

    def drain(self, process: Process) -> None:
        """The drain receives and handles dead letters until there are none, or the stores do not answer."""
        dead, ports = self.scenario.dead, self.scenario.ports(process)
        while process.time_left() > FOR_A_REQUEST and (letters := dead.receive()):
            outcomes = []
            for letter in letters:
                if process.time_left() <= FOR_A_LETTER:
                    break
                outcomes.append(_drained(letter, ports))
                if outcomes[-1]:
                    process.sleep(0.001)
                    dead.delete(letter.receipt)
            if not any(deletable is not None for deletable in outcomes):
                return

    def _token(self) -> str:
        self._tokens += 1
        return str(self._tokens)

    def _aside(self, do: Callable[[], None]) -> None:
        def alone() -> None:
            with suppress(Died):
                do()

        self.engine.after(0, alone)

    def _side_by_side(
        self, process: Process, do: Callable[[Received], Handled], what: Sequence[Received]
    ) -> Iterable[Handled]:
        results: dict[int, Handled] = {}
        gone: list[int] = []

        def one(number: int) -> None:
            try:
                results[number] = do(what[number])
            except Died:
                process.dead = True
            gone.append(number)

        for number in range(len(what)):
            self.engine.after(0, lambda number=number: one(number))
        while len(gone) < len(what) and not process.dead:
            process.sleep(0.05)
        if process.dead:
            raise Died
        return [results[number] for number in range(len(what))]


def _drained(letter: Received, ports: Ports) -> bool | None:
    """Whether a dead letter may be deleted; None if the stores did not answer."""
    try:
        return drain(letter, ports=ports).deletable
    except Unavailable:
        return None
