"""The environment of a command: the API's client, the clock, the terminal. Tests pass their own."""

import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from minutehand.client import Client


def _local_zone() -> str | None:
    """From /etc/timezone on Debian; elsewhere from the link /etc/localtime (localtime(5))."""
    try:
        return Path("/etc/timezone").read_text(encoding="ascii").strip() or None
    except (OSError, ValueError):
        return os.path.realpath("/etc/localtime").partition("/zoneinfo/")[2] or None


@dataclass(frozen=True, kw_only=True)
class Session:
    """`connect` opens a client, `connect_without_token` one for public endpoints; `sleep` and `monotonic` are in seconds;
    `is_attended` tells whether a terminal can answer a question; `local_zone` is the IANA name of the machine's time zone, if known."""

    connect: Callable[[], Client] = Client.configured
    connect_without_token: Callable[[], Client] = lambda: Client.configured(needs_token=False)
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    sleep: Callable[[float], None] = time.sleep
    monotonic: Callable[[], float] = time.monotonic
    is_attended: Callable[[], bool] = lambda: sys.stdin.isatty() and sys.stderr.isatty()
    local_zone: Callable[[], str | None] = _local_zone
