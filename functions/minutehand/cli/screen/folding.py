"""Fold the runs in a list that were skipped one after the other for the same reason, such as an edit."""

from minutehand.cli.screen.times import in_utc
from minutehand.client import Run


class Folding:
    """Decides, newest first, which runs have a line of their own; the others are counted in the line of the run before them."""

    def __init__(self) -> None:
        self._leader: dict[str, str] = {}
        self._folded: dict[str, list[Run]] = {}
        self._last: Run | None = None

    def keep(self, run: Run) -> bool:
        """Whether the run has a line of its own. A run that is given again, as by a page that is fetched twice, has the same answer."""
        run_id = run["run_id"]
        if run_id not in self._leader:
            alike = self._last is not None and _alike(self._last, run)
            leader = self._leader[self._last["run_id"]] if self._last is not None and alike else run_id
            self._leader[run_id] = leader
            self._last = run
            if leader != run_id:
                self._folded.setdefault(leader, []).append(run)
        return self._leader[run_id] == run_id

    def more(self, run: Run) -> str:
        """How many runs are folded into the line of this one, and back to when; empty for none."""
        folded = self._folded.get(run["run_id"])
        return f"; {len(folded):,} more like it, back to {in_utc(folded[-1]['scheduled_for'])}" if folded else ""


def _alike(one: Run, other: Run) -> bool:
    return one["state"] == other["state"] == "skipped" and one.get("reason") == other.get("reason")
