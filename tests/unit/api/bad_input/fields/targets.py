"""What a job calls: the URL, its headers, and how it answers."""

from __future__ import annotations

from typing import Any

from tests.unit.api.bad_input.fields.row import Row, target


def headers(headers: Any) -> dict[str, Any]:
    return target(headers=headers)


ROWS: list[Row] = [
    (target(retry={}), "target.retry", "unknown field", "did you mean `retry`?"),
    (target(methud="GET"), "target.methud", "unknown field", "did you mean `method`?"),
    ({"target": None}, "target", "must be an object, not null", "{…}"),
    ({"target": {"type": "http"}}, "target.url", "this is required", "https://host/path"),
    ({"target": {"url": "https://example.com/"}}, "target.type", "this is required", '"http"'),
    (target(type="lambdas"), "target.type", "'lambdas' is not a valid value", "'http'"),
    ({"target": {"type": "kafka", "topic": "x"}}, "target.type", "'kafka' is not a valid value", "'http'"),
    (target(method="post"), "target.method", "'post' is not a valid value", "'POST'"),
    (target(method="CONNECT"), "target.method", "'CONNECT' is not a valid value", "'GET', 'HEAD', 'POST'"),
    (target(url="ftp://example.com/"), "target.url", "does not begin with http:// or https://", "https://host/path"),
    (target(url="example.com/hook"), "target.url", "does not begin with http", "https://host/path"),
    (target(url="https:///path"), "target.url", "names no host", "https://host/path"),
    (target(url="https://exa(mple.com/"), "target.url", "names no host", "https://host/path"),
    (target(url="https://me:secret@example.com/"), "target.url", "user or password", "Authorization header"),
    (target(url="https://good.example\\@evil.example/"), "target.url", "is not allowed in a URL", "percent-encode"),
    (target(url="https://example.com/a b"), "target.url", "' ' is not allowed in a URL", "percent-encode"),
    (target(url="https://example.com/\r\nX: y"), "target.url", "is not allowed in a URL", "percent-encode"),
    (target(url="https://exämple.com/"), "target.url", "is not allowed in a URL", "percent-encode"),
    (target(url="https://example.com:99999/"), "target.url", "not a URL", "https://host/path"),
    (target(url="https://example.com:0/"), "target.url", "port 0", "leave the port out"),
    (target(url="https://[::1/"), "target.url", "not a URL", "https://host/path"),
    (target(url="https://example.com/" + "a" * 2000), "target.url", "2,000 is the most", "shorten"),
    (target(url="http://localhost:8080/"), "target.url", "loopback", "AllowLoopbackTargets"),
    (target(url="http://localhost.:8080/"), "target.url", "loopback", "AllowLoopbackTargets"),
    (target(url="http://echo.localhost/"), "target.url", "loopback", "AllowLoopbackTargets"),
    (target(url="http://127.0.0.1/"), "target.url", "loopback", "AllowLoopbackTargets"),
    (target(url="http://[::1]/"), "target.url", "loopback", "AllowLoopbackTargets"),
    (target(url="http://169.254.169.254/latest"), "target.url", "link-local", "name a host"),
    (headers({"X A": "b"}), "target.headers.X A", "is not a header name", "X-Request-Source"),
    (headers({"X-A": "b\r\nX-B: c"}), "target.headers.X-A", "'\\r' is not allowed here", "one line"),
    (headers({"X-A": "ü"}), "target.headers.X-A", "'\\xfc' is not allowed here", "plain ASCII"),
    (headers({"X-A": " b"}), "target.headers.X-A", "begin or end with a blank", "leave the blank out"),
    (headers({"X-A": 5}), "target.headers.X-A", "must be text, not a number", "quotes"),
    (
        headers({"Content-Length": "5"}),
        "target.headers.Content-Length",
        "the worker itself sends Content-Length, to fit the body",
        "remove it",
    ),
    (headers({"host": "other"}), "target.headers.host", "the worker itself sends host, from the URL", "remove it"),
    (
        headers({"Minutehand-Run": "a"}),
        "target.headers.Minutehand-Run",
        "Minutehand-Run is reserved: the worker itself sends all headers that begin with Minutehand-",
        "remove it: each request has Minutehand-Job, Minutehand-Run-Id and others, with the run's own values",
    ),
    (
        headers({"idempotency-key": "k"}),
        "target.headers.idempotency-key",
        "the worker itself sends idempotency-key, with the run's own key",
        "remove it",
    ),
    (headers({"X-A": "1", "x-a": "2"}), "target.headers", "'X-A' and 'x-a' are the same header", "one of the two"),
    (headers({f"X-{n}": "" for n in range(33)}), "target.headers", "33 entries; 32 is the most", "remove 1"),
    (headers({"X-A": "a" * 4097}), "target.headers.X-A", "4,096 is the most", "shorten"),
    (headers({f"X-{n}": "a" * 4000 for n in range(3)}), "target.headers", "8,192 is the most", "payload"),
    (headers([]), "target.headers", "must be an object, not a list", "{…}"),
    (target(mode="async"), "target.mode", "'async' is not a valid value", "'auto', 'sync' or 'callback'"),
    (target(heartbeat="60s"), "target.heartbeat", "1m is not shorter than timeout, which is 1m", "a longer timeout"),
    (target(heartbeat="0s"), "target.heartbeat", "0s is too short", "1s to 7d"),
    (target(heartbeat="5s", mode="sync"), "target.heartbeat", "answers with the call", "auto or callback"),
]
