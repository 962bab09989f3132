"""Clients of AWS's services for the calls of targets, each made when it is first needed, and kept from one invocation to the next."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from threading import Lock
from typing import Any

import boto3
from botocore.config import Config

READ_TIMEOUTS = (5, 15, 60, 300, 900)
"""The limits of reads, in seconds, that clients are made with, so that a few clients serve calls of all limits. The caller ends a call at
its own limit; that of the client only ends the thread which still waits for AWS then."""
CONNECT_TIMEOUT = 5
SESSION = timedelta(hours=1)
"""How long a role's session lasts: the longest that a role allows by default, and that a role may give to another role."""
RENEW = timedelta(minutes=10)
"""Time before a session's end at which the next call begins another. A request is judged when it arrives, however long its answer takes."""


class Clients:
    """Makes clients and keeps them. Safe for many threads.

    Args:
        make: makes a client, as `boto3.client` does.
        clock: the current time, which decides when a role's session is renewed.
    """

    def __init__(
        self, make: Callable[..., Any] | None = None, clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self._make: Callable[..., Any] = make or boto3.client
        self._clock = clock
        self._lock = Lock()
        self._clients: dict[tuple[str, str, str | None, int], Any] = {}
        self._renewed: dict[str, datetime] = {}
        self._credentials: dict[str, dict[str, str]] = {}

    def of(self, service: str, region: str, role: str | None, limit: timedelta) -> Any:
        """A client for calls with a time limit, of at most 15 minutes.

        All calls with a role share its session. Beginning one is a call to STS, which may raise any error of boto3.

        Args:
            region: that of the ARN; empty for the worker's own.
            role: the role to assume; None for the worker's own.
        """
        read = next((each for each in READ_TIMEOUTS if limit <= timedelta(seconds=each)), READ_TIMEOUTS[-1])
        key = service, region, role, read
        with self._lock:
            if role is not None and (role not in self._renewed or self._clock() >= self._renewed[role]):
                self._begin_session(role)
            if key not in self._clients:
                self._clients[key] = self._new(service, region, role, read)
            return self._clients[key]

    def _begin_session(self, role: str) -> None:
        sts_client = self._new("sts", "", None, READ_TIMEOUTS[0])
        given = sts_client.assume_role(
            RoleArn=role, RoleSessionName="minutehand", DurationSeconds=int(SESSION.total_seconds())
        )["Credentials"]
        self._credentials[role] = {
            "aws_access_key_id": given["AccessKeyId"],
            "aws_secret_access_key": given["SecretAccessKey"],
            "aws_session_token": given["SessionToken"],
        }
        self._renewed[role] = self._clock() + SESSION - RENEW
        self._clients = {key: client for key, client in self._clients.items() if key[2] != role}

    def _new(self, service: str, region: str, role: str | None, read: int) -> Any:
        config = Config(
            connect_timeout=CONNECT_TIMEOUT,
            read_timeout=read,
            # The job's retries decide about another call: boto3's own would repeat one that may have had its effect.
            retries={"total_max_attempts": 1, "mode": "standard"},
            max_pool_connections=12,
        )
        given: dict[str, Any] = {"config": config}
        if region:
            given["region_name"] = region
        return self._make(service, **given, **({} if role is None else self._credentials[role]))
