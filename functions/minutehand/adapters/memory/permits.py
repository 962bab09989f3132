"""In-memory store of permits (overlap locks and concurrency slots)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from minutehand.adapters.memory.state import MemoryState
from minutehand.domain.overlap_lock import Permit, PermitKey
from minutehand.domain.run import Run


class MemoryPermits:
    """The port `Permits` over a `MemoryState`."""

    def __init__(self, state: MemoryState) -> None:
        self._state = state

    def get(self, keys: Sequence[PermitKey]) -> Mapping[PermitKey, Permit]:
        """See `Permits.get`."""
        with self._state.lock:
            self._state.uses(read=len(keys))
            return {key: self._state.permits.get(key, Permit(key)) for key in keys}

    def wait(self, key: PermitKey, run_id: str) -> None:
        """See `Permits.wait`."""
        with self._state.lock:
            self._state.uses(write=1)
            permit = self._state.permits.get(key, Permit(key))
            self._state.permits[key] = permit._replace(waiting=tuple(sorted({*permit.waiting, run_id})))

    def forget(self, key: PermitKey, run_ids: Sequence[str]) -> None:
        """See `Permits.forget`."""
        with self._state.lock:
            permit = self._state.permits.get(key)
            if permit is not None:
                left = tuple(name for name in permit.waiting if name not in run_ids)
                self._state.permits[key] = permit._replace(waiting=left)


def is_as_read(state: MemoryState, permit: Permit) -> bool:
    """Whether the holder of a permit is as it was read; the caller holds the lock."""
    stored = state.permits.get(permit.key, Permit(permit.key))
    return (stored.holder, stored.attempt) == (permit.holder, permit.attempt)


def take(state: MemoryState, permit: Permit, run: Run) -> None:
    """Make a run the holder of a permit, and no longer wait for it; the caller holds the lock."""
    waiting = state.permits.get(permit.key, permit).waiting
    left = tuple(name for name in waiting if name != run.key.run_id)
    state.permits[permit.key] = Permit(permit.key, run.key, run.attempt, left)
