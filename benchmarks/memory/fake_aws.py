"""A fake DynamoDB and SQS over HTTP: any number of due timers, and writes that always succeed.

No emulator is fast enough for 100,000 due timers. The fake speaks AWS's protocol, so the whole tick, boto3 included, is the
one that runs on AWS. It stores nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

from benchmarks.workload import SHARDS, job, timer_of
from minutehand.adapters.dynamodb.codecs import keys, timer_codec
from minutehand.adapters.dynamodb.codecs.values import whole
from minutehand.adapters.sharding import BUCKETS
from minutehand.domain.job_key import JobKey

Answer = dict[str, Any]


class DueTimers:
    """Timers of so many jobs with the same schedule, all due at `at`, evenly over the shards; if they are packed, over the buckets."""

    def __init__(self, jobs: int, schedule: str, at: datetime) -> None:
        self._jobs = jobs
        timer = timer_of(job("due", schedule, timezone="UTC"))
        self._packed = timer.packed
        self._item = {**timer_codec.encode(timer, shards=SHARDS), "next_at": whole(at)}

    def page(self, request: Mapping[str, Any]) -> Answer:
        """The answer to a query of a shard or a bucket."""
        if self._packed != ("IndexName" not in request):
            return {"Items": [], "Count": 0}
        values, parts = request["ExpressionAttributeValues"], BUCKETS if self._packed else SHARDS
        place = {"pk": values[":bucket"]} if self._packed else {"due_shard": values[":shard"]}
        [part] = place.values()
        start = request.get("ExclusiveStartKey")
        number = int(part["S"].rpartition("#")[2])
        first = number if start is None else int(start["sk" if self._packed else "pk"]["S"][-7:]) + parts
        numbers = range(first, self._jobs, parts)[: request["Limit"]]
        jobs = (JobKey(namespace="benchmark", name=f"due-{n:07d}") for n in numbers)
        items = [{**self._item, **keys.timer(key, packed=self._packed), **place} for key in jobs]
        found: Answer = {"Items": items, "Count": len(items)}
        if len(numbers) == request["Limit"]:
            names = ("pk", "sk") if self._packed else ("pk", "sk", "due_shard", "next_at")
            found["LastEvaluatedKey"] = {name: items[-1][name] for name in names}
        return found


def answer(operation: str, body: bytes, due: DueTimers) -> Answer:
    """The successful answer to an operation.

    Raises:
        LookupError: for an operation that the tick never calls.
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
    raise LookupError(f"the tick never calls {operation}")


@contextmanager
def serving(due: DueTimers) -> Iterator[str]:
    """The URL of the running fake."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            try:
                status, found = 200, answer(self.headers["X-Amz-Target"], body, due)
            except LookupError as error:
                status, found = 400, {"__type": "ValidationException", "message": str(error)}
            content = json.dumps(found).encode()
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
