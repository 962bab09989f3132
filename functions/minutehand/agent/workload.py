"""What an agent is doing: its slots, the runs that it holds, and whether it takes more. Thread-safe."""

import threading
from collections.abc import Callable

from minutehand.agent.held_run import HeldRun
from minutehand.agent.order import Key
from minutehand.agent.stopping import Stop


class Workload:
    """Slots for commands, and the runs in them. A slot is free again once the run's end is reported, or need not be.

    Args:
        changed: called when a run was let go, or the intake changed.
    """

    def __init__(self, slots: int, changed: Callable[[], None]) -> None:
        self._slots = slots
        self._free = slots
        self._held: dict[Key, HeldRun] = {}
        self._paused = False
        self._connected = True
        self._closed = False
        self._ending: tuple[Stop, float | None] | None = None
        self._condition = threading.Condition()
        self._changed = changed

    @property
    def is_closed(self) -> bool:
        """Whether it will take no further work."""
        return self._closed

    @property
    def is_connected(self) -> bool:
        """Whether the API answered last."""
        return self._connected

    @property
    def is_empty(self) -> bool:
        """Whether every slot is free."""
        return self._free == self._slots

    def held(self) -> list[HeldRun]:
        """The runs that it holds, those whose end is yet to be reported included."""
        with self._condition:
            return list(self._held.values())

    def holds(self, key: Key) -> bool:
        """Whether it holds an attempt."""
        with self._condition:
            return key in self._held

    def wait_for_room(self) -> int:
        """Wait until it takes work, and return how many slots are free; 0 once it is closed."""
        with self._condition:
            self._condition.wait_for(lambda: self._closed or (self._free and self._takes))
            return 0 if self._closed else self._free

    def take(self, wanted: int) -> int:
        """Occupy up to `wanted` slots for runs that may follow. Returns how many."""
        with self._condition:
            taken = min(wanted, self._free) if self._takes else 0
            self._free -= taken
            return taken

    def give_back(self, slots: int) -> None:
        """Free slots that no run has used."""
        with self._condition:
            self._free += slots
            self._condition.notify_all()
        self._changed()

    def hold(self, held: HeldRun) -> bool:
        """Put a run into a slot that was taken for it. Returns False if it is there already; the slot is then still to be given back."""
        with self._condition:
            if held.key in self._held:
                return False
            self._held[held.key] = held
            ending = self._ending
        if ending is not None:
            held.command.request.ask(ending[0], grace=ending[1])
        return True

    def let_go(self, held: HeldRun) -> None:
        """Free the slot of a run that is over."""
        with self._condition:
            if self._held.pop(held.key, None) is not None:
                self._free += 1
            self._condition.notify_all()
        self._changed()

    def pause(self, *, paused: bool) -> bool:
        """Take no work until told otherwise, or take it again. Returns whether that is a change."""
        with self._condition:
            before, self._paused = self._paused, paused
            self._condition.notify_all()
            return before != paused

    def connect(self, *, connected: bool) -> bool:
        """Note whether the API answers: nothing new starts while it does not. Returns whether that is a change."""
        with self._condition:
            before, self._connected = self._connected, connected
            self._condition.notify_all()
            return before != connected

    def close(self) -> None:
        """Take no further work for good."""
        with self._condition:
            self._closed = True
            self._condition.notify_all()
        self._changed()

    def end_all(self, why: Stop, *, grace: float | None = None) -> None:
        """Close, and end all commands, those that are about to begin included. grace: seconds from TERM to KILL."""
        with self._condition:
            self._closed = True
            self._ending = (why, grace)
            self._condition.notify_all()
        for held in self.held():
            held.command.request.ask(why, grace=grace)
        self._changed()

    @property
    def _takes(self) -> bool:
        return self._connected and not self._paused and not self._closed
