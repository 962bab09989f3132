"""Reports how attempts ended, in batches, again and again until the API has recorded them or their leases are over."""

import threading
from collections.abc import Callable, Sequence
from typing import NamedTuple

from minutehand.agent.connection import Connection
from minutehand.agent.ending import Outcome, without_output
from minutehand.agent.events import Journal, about
from minutehand.agent.handler_ending import refused_result
from minutehand.agent.held_run import HeldRun
from minutehand.agent.pauses import Pauses
from minutehand.agent.workload import Workload
from minutehand.client.agents import MOST_AT_ONCE, AgentCalls, Recorded, Report
from minutehand.client.errors import Invalid, MinutehandError


class Ended(NamedTuple):
    """An attempt that has ended."""

    held: HeldRun
    outcome: Outcome

    def report(self) -> Report:
        """The report as the API takes it."""
        outcome = self.outcome._asdict()
        return {**self.held.running(), **outcome}  # type: ignore[typeddict-item]  # the fields of both


class Reporter:
    """Sends reports, in a thread of its own. Those that come while it sends go together."""

    def __init__(
        self,
        calls: AgentCalls,
        workload: Workload,
        connection: Connection,
        journal: Journal,
        *,
        clock: Callable[[], float],
        pauses: Pauses,
        over: threading.Event,
    ) -> None:
        self._calls = calls
        self._workload = workload
        self._connection = connection
        self._journal = journal
        self._clock = clock
        self._pauses = pauses
        self._over = over
        self._waiting: list[Ended] = []
        self._condition = threading.Condition()

    def put(self, held: HeldRun, outcome: Outcome) -> None:
        """Report the end of an attempt, soon."""
        with self._condition:
            self._waiting.append(Ended(held, outcome))
            self._condition.notify_all()

    def close(self) -> None:
        """Send nothing more."""
        self._over.set()
        with self._condition:
            self._condition.notify_all()

    def work(self) -> None:
        """Send reports until it is closed."""
        failures = 0
        while True:
            with self._condition:
                self._condition.wait_for(lambda: self._waiting or self._over.is_set())
                if self._over.is_set():
                    return
                batch = self._waiting[:MOST_AT_ONCE]
            kept = self._without_late(batch)
            failures = 0 if not kept or self._sent(kept) else failures + 1
            if failures:
                self._pauses.after(failures)

    def _without_late(self, batch: Sequence[Ended]) -> list[Ended]:
        """Those whose leases are not over; the others are given up."""
        now = self._clock()
        for each in batch:
            if each.held.is_over(now):
                self._journal.error(
                    "report",
                    f"{each.outcome.state}, but not reported: its lease is over",
                    **about(each.held.key),
                )
                self._settle(each)
        return [each for each in batch if not each.held.is_over(now)]

    def _sent(self, batch: Sequence[Ended]) -> bool:
        """Send reports. Returns False if they must be sent again."""
        try:
            recorded = self._calls.report([each.report() for each in batch])
        except Invalid as refusal:
            return self._sent_otherwise(batch, refusal)
        except MinutehandError as error:
            self._connection.failed(error)
            return False
        self._connection.answered()
        for each, answer in zip(batch, recorded, strict=True):
            self._tell(each, answer)
            self._settle(each)
        return True

    def _sent_otherwise(self, batch: Sequence[Ended], refusal: Invalid) -> bool:
        """Send reports that the API refused together one by one, and one that it refused alone without its output, then without the result
        of its handler."""
        if len(batch) > 1:
            return all(self._sent([each]) for each in batch)  # those that are left wait for the next turn
        [only] = batch
        bare = only._replace(outcome=without_output(only.outcome))
        key = about(only.held.key)
        if bare.outcome == only.outcome and (only.outcome.result or {}).get("result") is not None:
            bare = only._replace(outcome=refused_result(only.outcome, str(refusal)))
        if bare.outcome == only.outcome:
            self._journal.error("report", f"{only.outcome.state}, but the report was refused: {refusal}", **key)
            self._settle(only)
            return True
        self._journal.warning("report", f"reported without what was refused: {refusal}", **key)
        with self._condition:
            self._waiting = [bare if each.held is only.held else each for each in self._waiting]
        return self._sent([bare])

    def _tell(self, each: Ended, answer: Recorded) -> None:
        error = each.outcome.error
        text = each.outcome.state if error is None else f"{each.outcome.state}: {error['type']}: {error['message']}"
        if answer["recorded"]:
            self._journal.info("end", text, **about(each.held.key))
        else:
            why = answer.get("problem") or "no reason was given"
            self._journal.warning("end", f"{text}; not recorded: {why}", **about(each.held.key))

    def _settle(self, each: Ended) -> None:
        with self._condition:
            self._waiting = [other for other in self._waiting if other.held is not each.held]
        self._workload.let_go(each.held)
