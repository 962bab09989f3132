"""Sends heartbeats: of the node, and of the attempts that it holds. Their answers tell which of these are unwanted."""

import threading
from collections.abc import Callable

from minutehand.agent.connection import Connection
from minutehand.agent.events import Journal, about
from minutehand.agent.order import Key
from minutehand.agent.pauses import Pauses
from minutehand.agent.stopping import UNREPORTED, Stop
from minutehand.agent.workload import Workload
from minutehand.client.agents import AgentCalls, Beat
from minutehand.client.errors import MinutehandError

PROGRESS_EVERY = 10.0
"""Least seconds between two heartbeats that carry progress alone; each is a write to Minutehand's tables."""
_LOOK = 1.0
"""Seconds between looks for progress and for new runs, whose leases may be shorter than those of others."""

_ASKED = frozenset(("run", "pause", "drain"))


class Beater:
    """Sends heartbeats, in a thread of its own.

    Args:
        every: seconds between heartbeats, as the API said at the registration; each answer may change it.
        least: least seconds between them, whatever the API says.
        refused: called with an error after which no further heartbeat can succeed. Returns whether it was one.
        drained: called when an operator asked the node to take no more work, and to end when it has none.
    """

    def __init__(
        self,
        calls: AgentCalls,
        workload: Workload,
        connection: Connection,
        journal: Journal,
        *,
        every: float,
        least: float,
        again: Callable[[], object],
        refused: Callable[[MinutehandError], bool],
        drained: Callable[[], None],
        clock: Callable[[], float],
        pauses: Pauses,
        over: threading.Event,
    ) -> None:
        self._calls = calls
        self._workload = workload
        self._connection = connection
        self._journal = journal
        self._every = every
        self._least = least
        self._again = again
        self._refused = refused
        self._drained = drained
        self._clock = clock
        self._pauses = pauses
        self._over = over

    def work(self) -> None:
        """Send heartbeats until the agent is over."""
        failures = 0
        while not self._over.is_set():
            sent_at = self._clock()
            if self._beat(sent_at):
                failures = 0
                self._wait_after(sent_at)
            else:
                failures += 1
                self._pauses.after(failures)

    def _wait_after(self, last: float) -> None:
        while not self._over.wait(min(_LOOK, max(self._least, self._every))):
            passed = self._clock() - last
            if passed >= self._interval() or (passed >= PROGRESS_EVERY and self._has_news()):
                return

    def _interval(self) -> float:
        """Seconds between heartbeats: a third of the shortest lease at most."""
        return max(self._least, min((self._every, *(each.order.heartbeat / 3 for each in self._workload.held()))))

    def _has_news(self) -> bool:
        return any(each.progress != each.told for each in self._workload.held())

    def _beat(self, sent_at: float) -> bool:
        """Send one heartbeat. Returns whether it got through."""
        held = [each for each in self._workload.held() if each.command.request.why not in UNREPORTED]
        told = [each.running() for each in held]
        try:
            answer = self._calls.beat(told)
        except MinutehandError as error:
            if not self._refused(error):
                self._connection.failed(error)
            return False
        self._connection.answered()
        unwanted = {Key(each["job"], each["run_id"], each["attempt"]) for each in answer["unwanted"]}
        still = self._workload.held()  # an attempt whose end was reported meanwhile is unwanted, too
        for each, sent in zip(held, told, strict=True):
            each.told = sent["progress"]
            if each.key not in unwanted:
                each.renew(sent_at)
            elif each in still:
                self._journal.info("cancel", "the run is unwanted; its command is ended", **about(each.key))
                each.command.request.ask(Stop.UNWANTED)
        if not answer["registered"]:
            return self._workload.is_closed or self._registered_again()
        self._heed(answer)
        return True

    def _heed(self, answer: Beat) -> None:
        self._every = float(answer["beat_every"])
        asked: str = answer["asked"]
        if asked not in _ASKED:  # by a newer API: what was asked before goes on
            return
        paused = asked == "pause"
        if self._workload.pause(paused=paused):
            if paused:
                self._journal.info("pause", "takes no work: an operator paused the node")
            else:
                self._journal.info("resume", "takes work again")
        if asked == "drain":
            self._drained()

    def _registered_again(self) -> bool:
        self._journal.warning("register", "registering again: the node is not this agent's any more")
        try:
            self._again()
        except MinutehandError as refusal:
            if not self._refused(refusal):
                self._connection.failed(refusal)
            return False
        return True
