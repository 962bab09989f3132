"""Clients of AWS's services for the calls of targets, each made when it is first needed, and kept from one invocation to the next."""

from __future__ import annotations

import socket
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from threading import Lock
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

READ_TIMEOUTS = (5, 15, 60, 300, 900)
"""The limits of reads, in seconds, that clients are made with, so that a few clients serve calls of all limits. The caller ends a call at
its own limit; that of the client only ends the thread which still waits for AWS then."""
CONNECT_TIMEOUT = 5
SESSION = timedelta(hours=1)
"""How long a role's session lasts: the longest that a role allows by default, and that a role may give to another role."""
RENEW = timedelta(minutes=10)
"""Time before a session's end at which the next call begins another. A request is judged when it arrives, however long its answer takes."""
REFUSED_FOR = timedelta(seconds=5)
"""How long a role that AWS refused is not asked for again."""
KEEPALIVE = (
    (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),
    *(
        (socket.IPPROTO_TCP, getattr(socket, name), value)
        for name, value in (("TCP_KEEPIDLE", 60), ("TCP_KEEPINTVL", 30), ("TCP_KEEPCNT", 4))
        if hasattr(socket, name)  # not every system has all of them
    ),
)
"""Options of connections. A function may take 14 minutes to answer, and NAT forgets a connection after 350 s of silence. The option
`tcp_keepalive` of botocore would not help, since Linux then sends nothing for two hours."""


class _Role:
    """The session of a role, which all its calls share.

    Attributes:
        lock: held while its session begins, so that only calls with the same role wait for that.
    """

    def __init__(self) -> None:
        self.lock = Lock()
        self.credentials: dict[str, str] = {}
        self.renew_at: datetime | None = None
        self.refusal: ClientError | None = None
        self.refused_until: datetime | None = None


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
        self._roles: dict[str, _Role] = {}

    def of(self, service: str, region: str, role: str | None, limit: timedelta) -> Any:
        """A client for calls with a time limit, of at most 15 minutes.

        All calls with a role share its session. Beginning one is a call to STS, which may raise any error of boto3; a refusal is raised
        again for `REFUSED_FOR`.

        Args:
            region: that of the ARN; empty for the worker's own.
            role: the role to assume; None for the worker's own.
        """
        read = next((each for each in READ_TIMEOUTS if limit <= timedelta(seconds=each)), READ_TIMEOUTS[-1])
        credentials = {} if role is None else self._credentials_of(role)
        key = service, region, role, read
        with self._lock:
            if key not in self._clients:
                self._clients[key] = self._new(service, region, credentials, read)
            return self._clients[key]

    def _credentials_of(self, arn: str) -> dict[str, str]:
        with self._lock:
            role = self._roles.setdefault(arn, _Role())
        with role.lock:
            now = self._clock()
            if role.refusal is not None and role.refused_until is not None and now < role.refused_until:
                raise role.refusal
            if role.renew_at is None or now >= role.renew_at:
                self._begin_session(arn, role)
            return role.credentials

    def _begin_session(self, arn: str, role: _Role) -> None:
        with self._lock:  # boto3 does not make two clients at once
            sts_client = self._new("sts", "", {}, READ_TIMEOUTS[0])
        try:
            given = sts_client.assume_role(
                RoleArn=arn, RoleSessionName="minutehand", DurationSeconds=int(SESSION.total_seconds())
            )["Credentials"]
        except ClientError as refusal:
            role.refusal, role.refused_until = refusal, self._clock() + REFUSED_FOR
            raise
        role.refusal = None
        role.credentials = {
            "aws_access_key_id": given["AccessKeyId"],
            "aws_secret_access_key": given["SecretAccessKey"],
            "aws_session_token": given["SessionToken"],
        }
        role.renew_at = self._clock() + SESSION - RENEW
        with self._lock:
            self._clients = {key: client for key, client in self._clients.items() if key[2] != arn}

    def _new(self, service: str, region: str, credentials: dict[str, str], read: int) -> Any:
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
        return kept_alive(self._make(service, **given, **credentials))


def kept_alive(client: Any) -> Any:
    """A client whose connections send something while they wait for an answer. botocore has no option for the intervals: its session has a
    list of socket options, which each new connection reads."""
    client._endpoint.http_session._socket_options.extend(KEEPALIVE)  # noqa: SLF001 - the only place that has them
    return client
