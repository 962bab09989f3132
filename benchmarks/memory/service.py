"""A stand-in for DynamoDB and SQS: as many timers are due as it is told, made when they are asked for, and all that is written goes well.

No emulator holds 100,000 due timers and takes as many writes in useful time. It speaks AWS's protocol, so that all of the tick, boto3 included, is what runs
on AWS; it keeps nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

from benchmarks.scene import SHARDS, job, timer
from minutehand.adapters.dynamodb.codecs import keys, timer_codec
from minutehand.adapters.dynamodb.codecs.values import whole
from minutehand.domain.job import JobKey

Answer = dict[str, Any]


class Due:
    """Timers that are all due at one instant, spread evenly over the shards.

    Args:
        jobs: how many.
        schedule: what each of them is due by.
        at: the instant, which a look-ahead from now reaches.
    """

    def __init__(self, jobs: int, schedule: str, at: datetime) -> None:
        self._jobs = jobs
        own = timer_codec.encode(timer(job("due", schedule, timezone="UTC")), shards=SHARDS)
        self._item = {**own, "next_at": whole(at)}

    def page(self, asked: Mapping[str, Any]) -> Answer:
        """What a query of a shard of the index finds."""
        shard = asked["ExpressionAttributeValues"][":shard"]
        start = asked.get("ExclusiveStartKey")
        first = int(shard["S"]) if start is None else int(start["pk"]["S"][-7:]) + SHARDS
        numbers = range(first, self._jobs, SHARDS)[: asked["Limit"]]
        items = [
            {**self._item, **keys.timer(JobKey(namespace="benchmark", name=f"due-{n:07d}")), "due_shard": shard}
            for n in numbers
        ]
        found: Answer = {"Items": items, "Count": len(items)}
        if len(numbers) == asked["Limit"]:
            found["LastEvaluatedKey"] = {name: items[-1][name] for name in ("pk", "sk", "due_shard", "next_at")}
        return found


def answer(operation: str, body: bytes, due: Due) -> Answer:
    """What AWS would say, where all goes well.

    Raises:
        LookupError: for what no tick asks.
    """
    match operation.partition(".")[2]:
        case "Query":
            return due.page(json.loads(body))
        case "BatchExecuteStatement":
            return {"Responses": [{}] * body.count(b'"Statement":')}
        case "SendMessageBatch":
            entries = json.loads(body)["Entries"]
            return {"Successful": [{"Id": each["Id"], "MessageId": each["Id"]} for each in entries], "Failed": []}
        case "BatchGetItem":
            return {"Responses": {table: [] for table in json.loads(body)["RequestItems"]}, "UnprocessedKeys": {}}
        case "PutItem" | "UpdateItem":
            return {}
    raise LookupError(f"no tick is known to call {operation}")


@contextmanager
def serving(due: Due) -> Iterator[str]:
    """The service's URL, for as long as it answers."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            try:
                status, told = 200, answer(self.headers["X-Amz-Target"], body, due)
            except LookupError as trouble:
                status, told = 400, {"__type": "ValidationException", "message": str(trouble)}
            content = json.dumps(told).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/x-amz-json-1.0")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
