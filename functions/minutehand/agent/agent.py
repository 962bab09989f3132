"""The agent: registers a node, runs what its queues bring, and leaves when it is told to."""

import threading
from collections.abc import Callable, Mapping
from enum import Enum
from pathlib import Path
from queue import Empty, SimpleQueue
from time import monotonic
from typing import Any, NamedTuple

from minutehand.agent.accounts import Account
from minutehand.agent.app import AgentApp
from minutehand.agent.attendance import Patience
from minutehand.agent.beating import Beater
from minutehand.agent.command import boot_seconds
from minutehand.agent.connection import Connection
from minutehand.agent.events import Journal, Log
from minutehand.agent.log_sending import LogSender
from minutehand.agent.membership import Membership, Node
from minutehand.agent.pauses import Pauses, Span
from minutehand.agent.polling import Poller
from minutehand.agent.queues import Queues
from minutehand.agent.reporting import Reporter
from minutehand.agent.rules import Rules
from minutehand.agent.running import Runner
from minutehand.agent.stopping import Stop
from minutehand.agent.workload import Workload
from minutehand.client.agents import AgentCalls, Registered
from minutehand.client.errors import Conflict, MinutehandError, NotAllowed


class Timing(NamedTuple):
    """How long an agent waits, in seconds.

    Attributes:
        drain: for running commands, once the agent is told to stop.
        at_once: from TERM to KILL, once it is told so twice.
        last_reports: for the reports after that.
        last_logs: for the logs of commands that have ended; the rest stays in the spool folder.
        poll: for a message of a queue.
        name: for another process with the node's name, which may have died, to be no longer counted as live.
        least_beat: least seconds between heartbeats, whatever the API says.
        retries: pauses after a request that failed.
        patience: about commands that do not end.
    """

    drain: float = 180.0
    at_once: float = 5.0
    last_reports: float = 10.0
    last_logs: float = 10.0
    poll: int = 20
    name: float = 180.0
    least_beat: float = 1.0
    retries: Span = Span(1, 15)
    patience: Patience = Patience()


class Farewell(Enum):
    """Why an agent has ended."""

    STOPPED = "stopped"
    """It was told to stop, or an operator drained it."""
    REPLACED = "replaced"
    """Another process has the node's name."""
    NOT_ALLOWED = "not allowed"
    """Its token does not count any more."""
    FAILED = "failed"
    """It has a defect, which its events tell of."""


class _Note(Enum):
    """What the main thread is told by others."""

    STOP = "stop"
    """The process was told to stop."""
    LOOK = "look"
    """The workload has changed."""


class Agent:
    """One agent. `run` returns when it has ended; `stop` may be called by a signal's handler.

    Args:
        open_queues: opens the queues of a registered node.
        app: whose handlers it runs; None for commands alone.
        environment: the variables of this process.
        spool: the folder of this node for logs that are yet to be sent.
    """

    def __init__(
        self,
        calls: AgentCalls,
        open_queues: Callable[[Registered], Queues],
        *,
        node: Node,
        rules: Rules,
        own: Account,
        environment: Mapping[str, str],
        spool: Path,
        log: Log,
        app: AgentApp | None = None,
        timing: Timing | None = None,
        clock: Callable[[], float] = boot_seconds,
    ) -> None:
        self._calls = calls
        self._open_queues = open_queues
        self._journal = Journal(log)
        self._membership = Membership(calls, node, self._journal)
        self._timing = timing or Timing()
        self._clock = clock
        self._notes: SimpleQueue[_Note] = SimpleQueue()
        self._over = threading.Event()
        self._farewell = Farewell.STOPPED
        self._workload = Workload(node.slots, self._look_again)
        self._connection = Connection(self._workload, self._journal)
        self._reporter = Reporter(
            calls, self._workload, self._connection, self._journal, clock=clock, pauses=self._pauses(), over=self._over
        )
        self._logs = LogSender(calls, spool, self._journal, holds=self._workload.holds, retries=self._timing.retries)
        self._runner = Runner(
            self._workload,
            self._reporter,
            self._logs,
            self._journal,
            rules=rules,
            app=app,
            own=own,
            environment=environment,
            node=calls.node,
            patience=self._timing.patience,
            clock=clock,
        )
        self._polls: list[threading.Event] = []  # each set once a poller has ended

    def stop(self) -> None:
        """Tell the agent to stop: it takes no more work, and waits for its commands. The second time, it ends them at once."""
        self._notes.put(_Note.STOP)  # a SimpleQueue may be used in a signal's handler, a lock may not

    def run(self) -> Farewell:
        """Serve the pool until the agent is told to stop.

        Raises:
            MinutehandError: if the node cannot be registered: it is not configured, not allowed, or its name is in use.
        """
        registered = self._membership.register_patiently(
            self._pauses(), name_for=self._timing.name, stopped_within=self._stopped_within
        )
        if registered is None:
            return self._farewell
        self._workload.pause(paused=registered["node"]["asked"] == "pause")
        queues = self._open_queues(registered)
        self._start(registered, queues)
        try:
            self._until_told_to_stop()
        finally:
            self._over.set()
            self._logs.close(0 if self._farewell is Farewell.FAILED else self._timing.last_logs)
            self._reporter.close()
            queues.close()
            if self._farewell is not Farewell.REPLACED:
                self._membership.leave()
        return self._farewell

    def _start(self, registered: Registered, queues: Queues) -> None:
        beater = Beater(
            self._calls,
            self._workload,
            self._connection,
            self._journal,
            every=registered["beat_every"],
            least=self._timing.least_beat,
            again=self._membership.register,
            refused=self._refused,
            drained=self._drained,
            clock=self._clock,
            pauses=self._pauses(),
            over=self._over,
        )
        pollers = [
            Poller(
                url,
                queues,
                self._calls,
                workload=self._workload,
                connection=self._connection,
                journal=self._journal,
                begin=self._runner.begin,
                refuse=self._runner.refuse,
                again=self._membership.register,
                clock=self._clock,
                pauses=self._pauses(),
                wait=self._timing.poll,
            )
            for url in (registered["inbox_url"], registered["pool_queue_url"])
        ]
        self._thread("beats", beater.work)
        self._thread("reports", self._reporter.work)
        self._logs.recover()
        self._thread("logs", self._logs.write)
        self._thread("uploads", self._logs.send)
        self._polls = [self._thread("polls", each.poll) for each in pollers]

    def _until_told_to_stop(self) -> None:
        told = 0
        end_at: float | None = None  # when commands that still run are ended
        leave_at: float | None = None  # when the agent ends, whatever is left
        while True:
            now = monotonic()
            if end_at is not None and now >= end_at:
                end_at = None
                self._journal.warning("stop", "the time for running commands is over; they are ended")
                self._workload.end_all(Stop.AGENT)
            if self._farewell is Farewell.FAILED and leave_at is None:
                leave_at = now + self._last_words
            if self._is_over(at_once=told > 1) or (leave_at is not None and now >= leave_at):
                return
            nearest = min((each for each in (end_at, leave_at) if each is not None), default=None)
            try:
                note = self._notes.get(timeout=None if nearest is None else max(0.0, nearest - now))
            except Empty:
                continue
            if note is not _Note.STOP:
                continue
            told += 1
            if told == 1:
                self._workload.close()
                end_at = monotonic() + self._timing.drain
                self._journal.info("stop", self._waiting_for())
            elif told == 2:
                end_at, leave_at = None, monotonic() + self._last_words
                self._journal.warning("stop", "told to stop at once; running commands are ended")
                self._workload.end_all(Stop.AGENT, grace=self._timing.at_once)

    @property
    def _last_words(self) -> float:
        """Seconds in which commands are ended at once, and reported."""
        return self._timing.at_once + self._timing.patience.kill + self._timing.last_reports

    def _is_over(self, *, at_once: bool) -> bool:
        polled = at_once or all(each.is_set() for each in self._polls)
        return self._workload.is_closed and self._workload.is_empty and polled

    def _waiting_for(self) -> str:
        number = len(self._workload.held())
        commands = f"{number} running command{'' if number == 1 else 's'}" if number else "its open polls"
        longest = self._timing.drain if number else self._timing.poll
        return f"told to stop; takes no more work, and waits up to {longest:g} s for {commands}"

    def _stopped_within(self, seconds: float) -> bool:
        try:
            return self._notes.get(timeout=seconds) is _Note.STOP
        except Empty:
            return False

    def _refused(self, error: MinutehandError) -> bool:
        """End once the commands have, if an error says that this process is not the node any more."""
        if not isinstance(error, Conflict | NotAllowed):
            return False
        if not self._workload.is_closed:
            self._farewell = Farewell.REPLACED if isinstance(error, Conflict) else Farewell.NOT_ALLOWED
            self._journal.error("refused", f"takes no more work, and ends with its commands: {error}")
            self._workload.close()
        return True

    def _drained(self) -> None:
        if not self._workload.is_closed:
            self._journal.info("drain", "an operator drains the node: takes no more work, and ends with its commands")
            self._workload.close()

    def _look_again(self) -> None:
        self._notes.put(_Note.LOOK)

    def _pauses(self) -> Pauses:
        return Pauses(self._timing.retries, self._over)

    def _thread(self, name: str, work: Callable[[], Any]) -> threading.Event:
        """Do work in a thread. Returns an event that is set when it is done."""
        done = threading.Event()

        def guarded() -> None:
            try:
                work()
            except Exception as error:  # noqa: BLE001 - a defect in one thread must end the agent, not leave it half alive
                import traceback  # noqa: PLC0415 - only a defect needs it

                self._farewell = Farewell.FAILED
                self._journal.error("defect", "".join(traceback.format_exception(error)))
                self._workload.end_all(Stop.AGENT)
            finally:
                done.set()
                self._look_again()

        threading.Thread(target=guarded, name=name, daemon=True).start()
        return done
