"""Polls one queue for runs, asks the API to start them, and hands their orders over."""

import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from minutehand.agent.connection import Connection
from minutehand.agent.events import Journal, about
from minutehand.agent.order import Key, Order, UnreadableOrder, read_order, token_in
from minutehand.agent.pauses import Pauses
from minutehand.agent.queues import MOST_RECEIVED, QueueMessage, QueueMissing, Queues, QueueTrouble
from minutehand.agent.workload import Workload
from minutehand.client.agents import AgentCalls, Decision
from minutehand.client.errors import MinutehandError

HIDDEN_UNKNOWN = 60
"""Seconds for which a message is hidden whose decision this version does not know."""


class Poller:
    """Polls one queue, only while there are free slots.

    Args:
        begin: runs an order in a slot that is taken for it. Returns False if its run is in a slot already.
        refuse: reports an attempt whose order cannot be read as failed: its key, its token, and why.
        again: registers the node again, which makes its queues.
        wait: seconds to wait for a message.
    """

    def __init__(
        self,
        url: str,
        queues: Queues,
        calls: AgentCalls,
        *,
        workload: Workload,
        connection: Connection,
        journal: Journal,
        begin: Callable[[Order, float], bool],
        refuse: Callable[[Key, str, str], bool],
        again: Callable[[], object],
        clock: Callable[[], float],
        pauses: Pauses,
        wait: int,
    ) -> None:
        self._url = url
        self._queues = queues
        self._calls = calls
        self._workload = workload
        self._connection = connection
        self._journal = journal
        self._begin = begin
        self._refuse = refuse
        self._again = again
        self._clock = clock
        self._pauses = pauses
        self._wait = wait

    def poll(self) -> None:
        """Poll until the workload is closed."""
        failures = missing = 0
        while room := self._workload.wait_for_room():
            try:
                self._turn(min(room, MOST_RECEIVED))
                failures = missing = 0
            except QueueMissing:
                missing += 1
                failures += 1
                # A queue that was just made may be used a second later (SQS, CreateQueue). Only one that is still missing is made again.
                if missing > 1:
                    self._journal.warning(
                        "poll", "a queue is missing; registering again, which makes it", queue=self._url
                    )
                    self._registered_again()
            except QueueTrouble as trouble:
                self._journal.warning("poll", f"the queue cannot be polled: {trouble}", queue=self._url)
                failures += 1
            except MinutehandError as error:
                self._connection.failed(error)
            if failures:
                self._pauses.after(failures)

    def _turn(self, most: int) -> None:
        """Receive messages once, and start their runs."""
        messages = self._queues.receive(self._url, most, self._wait)
        if not messages:
            return
        taken = self._workload.take(len(messages))
        if messages[taken:]:
            # The other queue's messages have taken the slots meanwhile, or the agent takes no more: others may have these.
            self._hide({each.receipt: 0 for each in messages[taken:]})
        if taken:
            self._start(messages[:taken])

    def _start(self, messages: Sequence[QueueMessage]) -> None:
        """Ask for the orders of messages, for each of which a slot is taken."""
        named = [(message, _key_in(message.body)) for message in messages]
        known = [(message, key) for message, key in named if key is not None]
        done = [message.receipt for message, key in named if key is None]
        if done:
            self._journal.error("drop", f"{len(done)} messages name no run; they are deleted", queue=self._url)
        used = 0
        hidden: dict[str, int] = {}
        try:
            asked_at = self._clock()
            # A request whose answer is lost is sent again, and gets the same orders, since it proposes the same tokens.
            asked = [{**key._asdict(), "token": secrets.token_urlsafe(24)} for _, key in known]
            decisions = self._calls.starts(asked) if known else []  # type: ignore[arg-type]  # the fields of an AskedStart
            self._connection.answered()
            for (message, key), decision in zip(known, decisions, strict=True):
                if decision["decision"] not in ("run", "drop"):
                    hidden[message.receipt] = self._hidden_for(key, decision)
                    continue
                used += decision["decision"] == "run" and self._runs(key, decision, asked_at)
                done.append(message.receipt)
        finally:
            self._workload.give_back(len(messages) - used)
        # What is running already comes first; a message that stays after all is dropped or hidden at its next delivery.
        self._delete(done)
        self._hide(hidden)

    def _delete(self, receipts: Sequence[str]) -> None:
        try:
            self._queues.delete(self._url, receipts)
        except QueueTrouble as trouble:
            self._journal.warning("poll", f"messages come back: {trouble}", queue=self._url)

    def _hide(self, seconds: Mapping[str, int]) -> None:
        try:
            self._queues.hide(self._url, seconds)
        except QueueTrouble as trouble:
            self._journal.warning("poll", f"messages come back at another time: {trouble}", queue=self._url)

    def _hidden_for(self, key: Key, decision: Decision) -> int:
        """For how many seconds to hide a message: also one whose decision this version does not know, since another agent may."""
        if decision["decision"] == "hide":
            return int(decision.get("seconds") or 0)
        unknown = f"the decision {decision['decision']!r:.60} is unknown; is this agent older than the stack?"
        self._journal.error("refuse", unknown, **about(key))
        return HIDDEN_UNKNOWN

    def _runs(self, key: Key, decision: Decision, asked_at: float) -> bool:
        """Begin an order. Returns whether it uses a slot."""
        document: dict[str, Any] = {**key._asdict(), **(decision.get("order") or {})}
        try:
            return self._begin(read_order(document), asked_at)
        except UnreadableOrder as error:
            self._journal.error("refuse", f"{error}; is this agent older than the stack?", **about(key))
            return self._refuse(key, token_in(document), f"the agent cannot read its order: {error}")

    def _registered_again(self) -> None:
        try:
            self._again()
        except MinutehandError as error:
            self._connection.failed(error)


def _key_in(body: str) -> Key | None:
    try:
        found = json.loads(body)
        key = Key(found["job"], found["run_id"], found["attempt"])
    except (ValueError, KeyError, TypeError):
        return None
    good = isinstance(key.job, str) and isinstance(key.run_id, str) and isinstance(key.attempt, int)
    return key if good else None
