"""Time zones of local times."""

from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo


@lru_cache(maxsize=64)
def zone_of(name: str) -> "ZoneInfo":
    """The time zone from the pinned data of the schedules, since the system's may differ; UTC for an unknown name."""
    import io  # noqa: PLC0415 - most commands print and read instants in UTC alone
    import pkgutil  # noqa: PLC0415 - see above
    from zoneinfo import ZoneInfo  # noqa: PLC0415 - see above

    from minutehand.schedule.zones import zone_names  # noqa: PLC0415 - see above

    data = pkgutil.get_data("tzdata", f"zoneinfo/{name if name in zone_names() else 'UTC'}")
    return ZoneInfo.from_file(io.BytesIO(data or b""), key=name)
