"""What a command needs from outside: the API's client, the clock and stdin; tests hand in their own."""

import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from minutehand.client import Client


def _connect() -> Client:
    return Client.configured()


def _connect_without_token() -> Client:
    return Client.configured(needs_token=False)


def _now() -> datetime:
    return datetime.now(UTC)


def _local_zone() -> str | None:
    """Debian's /etc/timezone says the name; elsewhere the link from /etc/localtime does (localtime(5))."""
    try:
        return Path("/etc/timezone").read_text(encoding="ascii").strip() or None
    except (OSError, ValueError):
        return os.path.realpath("/etc/localtime").partition("/zoneinfo/")[2] or None


def _is_attended() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()


@dataclass(frozen=True, kw_only=True)
class Session:
    """`connect` opens a client, `connect_without_token` one for what is open to all; `now` is the current instant; `sleep` and
    `monotonic` are in seconds; `is_attended` says whether somebody is at a terminal who could answer a question; `local_zone` is the
    IANA name of the machine's own time zone, where it can be told."""

    connect: Callable[[], Client] = _connect
    connect_without_token: Callable[[], Client] = _connect_without_token
    now: Callable[[], datetime] = _now
    sleep: Callable[[float], None] = time.sleep
    monotonic: Callable[[], float] = time.monotonic
    is_attended: Callable[[], bool] = _is_attended
    local_zone: Callable[[], str | None] = _local_zone
