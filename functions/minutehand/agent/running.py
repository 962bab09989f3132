"""Runs orders in threads of their own, and hands their ends over to be reported."""

import subprocess
import threading
import traceback
from collections.abc import Callable, Mapping
from functools import partial

from minutehand.agent.accounts import Account
from minutehand.agent.app import AgentApp, HandedOver
from minutehand.agent.attempt_log import AttemptLog
from minutehand.agent.attendance import Patience
from minutehand.agent.command import start
from minutehand.agent.ending import Outcome, ended, failed, not_launched
from minutehand.agent.events import Journal, about
from minutehand.agent.handler_ending import handler_ended
from minutehand.agent.held_run import HeldRun
from minutehand.agent.launch import launched
from minutehand.agent.log_sending import LogSender
from minutehand.agent.not_launched import NotLaunched
from minutehand.agent.order import Key, Order
from minutehand.agent.reporting import Reporter
from minutehand.agent.rules import Rules
from minutehand.agent.stopping import UNREPORTED, Stop
from minutehand.agent.workload import Workload

_LONGEST_SHOWN = 200
_TIME_TO_REFUSE = 60.0
"""Seconds for which the report about an order that cannot be read is tried."""


class Runner:
    """Runs orders under an agent's rules."""

    def __init__(
        self,
        workload: Workload,
        reporter: Reporter,
        logs: LogSender,
        journal: Journal,
        *,
        rules: Rules,
        app: AgentApp | None,
        own: Account,
        environment: Mapping[str, str],
        node: str,
        patience: Patience,
        clock: Callable[[], float],
    ) -> None:
        self._workload = workload
        self._reporter = reporter
        self._logs = logs
        self._journal = journal
        self._rules = rules
        self._app = app
        self._own = own
        self._environment = environment
        self._node = node
        self._patience = patience
        self._clock = clock

    def begin(self, order: Order, asked_at: float) -> bool:
        """Run an order in a slot that is taken for it. Returns False if its run is in a slot already.

        Args:
            asked_at: when the order was asked for.
        """

        handed_over = HandedOver()
        judge = ended if order.handler is None else partial(handler_ended, handed_over=handed_over.read)

        def launch(stdin: int, output: int) -> subprocess.Popen[bytes]:
            try:
                handover = None if order.handler is None else handed_over.open()
            except OSError as error:
                raise NotLaunched("NotStarted", f"this machine cannot start a process now: {error.strerror}") from error
            process = launched(
                order,
                self._rules,
                self._own,
                self._environment,
                node=self._node,
                stdin=stdin,
                output=output,
                app=self._app,
                handover=handover,
            )
            self._journal.info("start", order.shown[:_LONGEST_SHOWN], pid=process.pid, **about(order.key))
            return process

        log = self._logs.begin(order.key, order.token)
        held = HeldRun(
            order,
            launch,
            asked_at=asked_at,
            clock=self._clock,
            patience=self._patience,
            record=log.add,
            judge=judge,
        )
        if not self._workload.hold(held):
            log.end(wanted=False)
            return False
        try:
            start(threading.Thread(target=self._run, args=(held, log, handed_over), name="command", daemon=True))
        except NotLaunched as error:
            self._end(held, log, self._refused(held, error))
        return True

    def refuse(self, key: Key, token: str, why: str) -> bool:
        """Report an attempt whose order cannot be read as failed. Returns whether that uses its slot: without a token nothing is reported."""
        order = Order(key=key, token=token, command="", timeout=1, heartbeat=_TIME_TO_REFUSE)
        held = HeldRun(order, _never, asked_at=self._clock(), clock=self._clock, patience=self._patience)
        if not token or not self._workload.hold(held):
            return False
        self._reporter.put(held, failed("CommandRefused", why))
        return True

    def _run(self, held: HeldRun, log: AttemptLog, handed_over: HandedOver) -> None:
        outcome = self._outcome(held)
        handed_over.close()
        self._end(held, log, outcome)

    def _end(self, held: HeldRun, log: AttemptLog, outcome: Outcome) -> None:
        why = held.command.request.why
        log.end(wanted=held.command.output.size > (0 if why in UNREPORTED else _kept(outcome)))
        if why in UNREPORTED:
            self._journal.warning("end", f"ended without a report: {why.value}", **about(held.key))
            self._workload.let_go(held)
        else:
            self._reporter.put(held, outcome)

    def _outcome(self, held: HeldRun) -> Outcome:
        if held.came_too_late(self._clock()):
            held.command.request.ask(Stop.LEASE)
        if held.command.request.why is not None:
            return failed("AgentStopped", "the agent was stopped before the command began")
        try:
            return held.command.run()
        except NotLaunched as error:
            return self._refused(held, error)
        except Exception as error:  # noqa: BLE001 - a defect must not leave the attempt without a report
            self._journal.error("defect", "".join(traceback.format_exception(error)), **about(held.key))
            return failed("AgentFailed", f"the agent has a defect: {type(error).__name__}: {error}")

    def _refused(self, held: HeldRun, error: NotLaunched) -> Outcome:
        self._journal.warning("refuse", f"{error.type}: {error.message}", **about(held.key))
        return not_launched(error)


def _kept(outcome: Outcome) -> int:
    """Bytes of the output that the report has."""
    return len((outcome.result or {}).get("output", "").encode("utf-8", "replace"))


def _never(_stdin: int, _output: int) -> subprocess.Popen[bytes]:
    raise AssertionError("an order that cannot be read is not launched")
