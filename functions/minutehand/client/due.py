"""Whether a run is due: a tick claims runs up to two minutes ahead, and they wait in the queue until their instant."""

from datetime import datetime

from minutehand.client.models import Run

QUEUED = "queued"


def is_due(run: Run, now: datetime) -> bool:
    """Whether the run may start at `now` (aware), or has left the queue.

    A run claimed at or after its instant, such as a triggered one, is due by the service's clock, whatever `now` is.
    """
    if run["state"] != QUEUED:
        return True
    instant = _instant(run.get("starts_at") or run.get("scheduled_for"))
    if instant is None or instant <= now:
        return True
    claimed = _instant(run.get("claimed_at"))
    return claimed is not None and instant <= claimed


def _instant(text: str | None) -> datetime | None:
    try:
        instant = datetime.fromisoformat(text or "")
    except ValueError:
        return None
    return instant if instant.tzinfo is not None else None
