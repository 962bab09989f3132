"""A server that speaks to agents as the product does: the API's routes for one node, and its two queues.

The queues are in memory. An agent in the process of the test uses them by `queues`; one in a process of its own by the protocol of SQS.
"""

from __future__ import annotations

import json
import re
import threading
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from minutehand.agent.queues import QueueMessage
from tests.support.http_server import Answered, HttpServer, Request

NODE = "/stage/v1/namespaces/shop/pools/web/nodes/web-1"
POOL_QUEUE, INBOX = "/000000000000/pool", "/000000000000/inbox"
Key = tuple[str, str, int]


class MemoryQueues:
    """The port `Queues` over queues in memory, by the paths of their URLs.

    Attributes:
        deleted, hidden: what was done with messages, by the runs that they name.
    """

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._waiting: defaultdict[str, list[str]] = defaultdict(list)
        self._received: dict[str, tuple[str, str]] = {}
        self._count = 0
        self.deleted: list[str] = []
        self.hidden: list[tuple[str, int]] = []

    def send(self, body: str, queue: str = POOL_QUEUE) -> None:
        with self._condition:
            self._waiting[queue].append(body)
            self._condition.notify_all()

    def waiting(self, queue: str = POOL_QUEUE) -> int:
        """Messages that nobody has received."""
        return len(self._waiting[queue])

    def receive(self, url: str, most: int, wait: int) -> Sequence[QueueMessage]:
        queue = self._waiting[urlsplit(url).path]
        with self._condition:
            self._condition.wait_for(lambda: queue, timeout=wait)
            found = []
            for body in queue[:most]:
                self._count += 1
                receipt = f"receipt-{self._count}"
                self._received[receipt] = urlsplit(url).path, body
                found.append(QueueMessage(body, receipt))
            del queue[:most]
            return found

    def delete(self, url: str, receipts: Sequence[str]) -> None:
        with self._condition:
            self.deleted += [_run_of(self._received.pop(receipt)[1]) for receipt in receipts]

    def hide(self, url: str, seconds: Mapping[str, int]) -> None:
        with self._condition:
            for receipt, each in seconds.items():
                queue, body = self._received.pop(receipt)
                self.hidden.append((_run_of(body), each))
                if each == 0:
                    self._waiting[queue].append(body)
            self._condition.notify_all()

    def close(self) -> None:
        """Nothing is open."""


class AgentServer(HttpServer):
    """The API for the node `web-1` of the pool `shop/web`.

    Attributes:
        orders: the orders of runs that may start; other runs are dropped. A number hides a run's message for so many seconds.
        session: of the process that is registered; None if none is.
        starts, beats, reports: the bodies of requests, in order; of reports each of them.
        unwanted: attempts that must stop.
        asked: what an operator asked of the node.
        most_orders: how many orders an answer may have.
        lives: seconds for which credentials are valid.
        uploads: what was asked to be uploaded.
        every: seconds between parts of a log.
        uploaded: what was, by run and part; None for the whole.
        refuses_uploads: whether no log may be uploaded.
        away: whether every request is refused, as without a network.
    """

    def __init__(self) -> None:
        super().__init__()
        self.origin = self.url.removesuffix("/stage")
        self.queues = MemoryQueues()
        self.orders: dict[str, dict[str, Any] | int] = {}
        self.session: str | None = None
        self.registered: list[dict[str, Any]] = []
        self.starts: list[dict[str, Any]] = []
        self.beats: list[dict[str, Any]] = []
        self.reports: list[dict[str, Any]] = []
        self.unwanted: list[Key] = []
        self.asked = "run"
        self.beat_every = 0.05
        self.most_orders = 10
        self.lives = 900
        self.given: list[str] = []
        self.expired: set[str] = set()
        self.uploads: list[dict[str, Any]] = []
        self.every = 60
        self.uploaded: dict[tuple[str, int | None], bytes] = {}
        self.refuses_uploads = False
        self.away = False
        self._changed = threading.Condition()

    def order(self, run_id: str, command: Any, *, inbox: bool = False, **more: Any) -> dict[str, Any]:
        """Make a run that an agent may start, and send its message."""
        made = order(run_id, command, **more)
        self.orders[run_id] = made
        self.send(run_id, inbox=inbox)
        return made

    def send(self, run_id: str, *, inbox: bool = False) -> None:
        """Send the message of a run."""
        body = {"job": "shop/report", "run_id": run_id, "attempt": 1}
        self.queues.send(json.dumps(body), INBOX if inbox else POOL_QUEUE)

    def wait(self, until: Callable[[], object], *, seconds: float = 60) -> None:
        """Wait until something is true after a request. Fails after a time that no test needs."""
        with self._changed:
            assert self._changed.wait_for(until, timeout=seconds), "it has not come about"

    def reported(self, run_id: str) -> dict[str, Any]:
        """The report of a run; waits for it."""
        self.wait(lambda: any(each["run_id"] == run_id for each in self.reports))
        return next(each for each in self.reports if each["run_id"] == run_id)

    def states(self) -> dict[str, str]:
        """The reported states of runs."""
        return {each["run_id"]: each["state"] for each in self.reports}

    def answer(self, request: Request) -> Answered:
        """The answer to a request, as the product gives it."""
        try:
            if request.path == "/":
                return self._as_sqs(request)
            if self.away:
                return _problem(503, "out of order")
            if request.path.startswith("/objects/"):
                run_id, part = request.path.split("/")[2:4]
                self.uploaded[run_id, int(part) if part != "whole" else None] = (request.raw or "").encode(
                    "utf-8", "surrogateescape"
                )
                return Answered(200, {}, b"")
            if not request.path.startswith(NODE):
                return _problem(404, f"no {request.path}")
            answered = self._as_api(request.method, request.path.removeprefix(NODE), request)
            return Answered(204, {}, b"") if answered is None else answered
        finally:
            with self._changed:
                self._changed.notify_all()

    def _as_api(self, method: str, path: str, request: Request) -> Answered | None:
        session = request.query.get("session") if method == "DELETE" else request.body["session"]
        if path == "" and method == "DELETE":
            self.session = None if self.session == session else self.session
            return None
        if path == "/beats":
            return self._beat(request.body, registered=self.session == session)
        if self.session not in (None, session):
            return _problem(409, "another agent is live as node shop/web/web-1")
        if path == "" and method == "PUT":
            self.session = session
            self.registered.append(request.body)
            urls = {"pool_queue_url": self.origin + POOL_QUEUE, "inbox_url": self.origin + INBOX}
            return _document(
                {
                    "node": {"node": "web-1", "asked": self.asked},
                    **urls,
                    "region": "eu-west-1",
                    "beat_every": self.beat_every,
                }
            )
        if self.session is None:
            return _problem(409, "no agent is registered as node shop/web/web-1; register again")
        body = request.body
        return {
            "/starts": self._start,
            "/reports": self._report,
            "/uploads": self._upload,
            "/credentials": self._credentials,
        }[path](body)

    def _start(self, body: dict[str, Any]) -> Answered:
        self.starts.append(body)
        if len(body["runs"]) > self.most_orders:
            return _problem(413, "the orders are too large for one answer; ask about fewer runs at once")
        return _document({"items": [self._decision(run) for run in body["runs"]]})

    def _decision(self, run: dict[str, Any]) -> dict[str, Any]:
        found = self.orders.get(run["run_id"])
        if isinstance(found, int):
            return {**run, "decision": "hide", "seconds": found}
        return {**run, "decision": "run", "order": found} if found else {**run, "decision": "drop"}

    def _beat(self, body: dict[str, Any], *, registered: bool) -> Answered:
        self.beats.append(body)
        unwanted = [dict(zip(("job", "run_id", "attempt"), key, strict=True)) for key in self.unwanted]
        answer = {"registered": registered, "unwanted": unwanted, "asked": self.asked, "beat_every": self.beat_every}
        return _document(answer)

    def _report(self, body: dict[str, Any]) -> Answered:
        items = []
        for each in body["reports"]:
            found = self.orders[each["run_id"]]
            good = isinstance(found, dict) and found["token"] == each["token"]
            if good:
                self.reports.append(each)
            key = {name: each[name] for name in ("job", "run_id", "attempt")}
            items.append({**key, "recorded": good, "problem": None if good else "the attempt is over"})
        return _document({"items": items})

    def _upload(self, body: dict[str, Any]) -> Answered:
        self.uploads += body["uploads"]
        items = []
        for each in body["uploads"]:
            url = f"{self.origin}/objects/{each['run_id']}/{each['part'] or 'whole'}"
            place = (None, "too late") if self.refuses_uploads else (url, None)
            key = {name: each[name] for name in ("job", "run_id", "attempt")}
            items.append({**key, **dict(zip(("url", "problem"), place, strict=True))})
        return _document({"items": items, "every": self.every})

    def _credentials(self, body: dict[str, Any]) -> Answered:
        self.given.append(f"KEY{len(self.given)}")
        until = datetime.now(UTC) + timedelta(seconds=self.lives)
        found = {"access_key_id": self.given[-1], "secret_access_key": "secret", "session_token": "session"}
        return _document({**found, "expires_at": until.isoformat()})

    def _as_sqs(self, request: Request) -> Answered:
        key = re.search(r"Credential=(\w+)/", request.headers["authorization"])
        if key is None or key[1] in self.expired:
            return _document({"__type": "ExpiredToken", "message": "The security token is expired"}, 403)
        body = request.body
        match request.headers["x-amz-target"].removeprefix("AmazonSQS."):
            case "ReceiveMessage":
                found = self.queues.receive(
                    body["QueueUrl"], body["MaxNumberOfMessages"], min(body["WaitTimeSeconds"], 1)
                )
                names = ("Body", "ReceiptHandle", "MessageId")
                return _document({"Messages": [dict(zip(names, (*each, "m"), strict=True)) for each in found]})
            case "DeleteMessage":
                self.queues.delete(body["QueueUrl"], [body["ReceiptHandle"]])
            case "DeleteMessageBatch":
                self.queues.delete(body["QueueUrl"], [each["ReceiptHandle"] for each in body["Entries"]])
            case "ChangeMessageVisibilityBatch":
                hidden = {each["ReceiptHandle"]: each["VisibilityTimeout"] for each in body["Entries"]}
                self.queues.hide(body["QueueUrl"], hidden)
        return _document({"Successful": [], "Failed": []})


def order(run_id: str, command: Any, **more: Any) -> dict[str, Any]:
    """The document of an order, as the API answers it."""
    made = {
        "job": "shop/report",
        "run_id": run_id,
        "attempt": 1,
        "attempts_left": 2,
        "scheduled_for": "2026-11-20T09:00:00Z",
        "token": f"token of {run_id}",
        "deadline": "2026-11-20T10:00:00Z",
        "heartbeat": 180,
        "heartbeat_every": 60,
        "timeout": 3600,
        "takeovers": 3,
        "command": command,
        "handler": None,
        "shell": "/bin/sh",
        "directory": None,
        "environment": {},
        "user": None,
        "stdin": None,
        "success_codes": [0],
        "skipped_codes": [],
    }
    return made | more


def _run_of(body: str) -> str:
    try:
        return str(json.loads(body)["run_id"])
    except (ValueError, TypeError, KeyError):
        return body


def _document(body: Any, status: int = 200) -> Answered:
    return Answered(status, {"Content-Type": "application/json"}, json.dumps(body).encode())


def _problem(status: int, detail: str) -> Answered:
    return _document({"title": "no", "status": status, "detail": detail}, status)
