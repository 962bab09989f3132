"""What cannot be accepted: each with its place and what would be right, all at once, and nothing half-saved."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterator
from typing import Any

import pytest

from minutehand.adapters.memory import MemoryState
from minutehand.schedule.words import LONGEST
from tests.unit.api.conftest import JOB, PATH, Api

TARGET: dict[str, Any] = {"type": "http", "url": "https://example.com/"}


@pytest.fixture(autouse=True)
def _nothing_half_saved(request: pytest.FixtureRequest, state: MemoryState) -> Iterator[None]:
    yield
    if "accepted" not in request.node.name:
        assert (state.definitions, state.timers, state.messages) == ({}, {}, [])


def _target(**changed: Any) -> dict[str, Any]:
    return {"target": TARGET | changed}


def _headers(headers: Any) -> dict[str, Any]:
    return _target(headers=headers)


def _retry(**given: Any) -> dict[str, Any]:
    return {"retry": {"max_attempts": 3} | given}


def _backoff(**given: Any) -> dict[str, Any]:
    return _retry(backoff=given)


def _after(**given: Any) -> dict[str, Any]:
    return {"schedule": "@after 5m"} | given


FIELDS: list[tuple[dict[str, Any], str, str, str]] = [
    # what is wrong with the document, the path that is told, a part of the message, a part of the hint
    ({"schedule": "0 0 30 2 *"}, "schedule", "day-of-month: the months named have no such day", "last day is 29"),
    ({"schedule": "61 * * * *"}, "schedule", "minute: 61 is out of range", "0 to 59"),
    ({"schedule": "* * *"}, "schedule", "5 or 6 fields, this has 3", "minute, hour"),
    ({"schedule": ""}, "schedule", "empty", "0 9 * * MON-FRI"),
    ({"schedule": "1," * 600 + "1 * * * *"}, "schedule", "1209 characters is too long", "1024 is the most"),
    ({"schedule": 5}, "schedule", "must be text, or a list of texts, not a number", "quotes"),
    ({"schedule": None}, "schedule", "must be text, or a list of texts, not null", "quotes"),
    ({"schedule": []}, "schedule", "the list of schedules is empty", "0 9 * * MON-FRI"),
    ({"schedule": ["* * * * *"] * 17}, "schedule", "17 schedules are too many to join", "16 is the most"),
    (
        {"schedule": ["1," * 300 + "1 * * * *"] * 2},
        "schedule",
        "1218 characters in all are too long",
        "1024 is the most",
    ),
    ({"schedule": ["0 9 * * *", "61 * * * *"]}, "schedule[1]", "minute: 61 is out of range", "0 to 59"),
    ({"schedule": ["0 9 * * *", 5]}, "schedule[1]", "must be text, not a number", "quotes"),
    ({"schedule": [["0 9 * * *"]]}, "schedule[0]", "must be text, not a list", "quotes"),
    ({"schedule": ["0 9 * * *", "@manual"]}, "schedule[1]", "@manual cannot be joined", "write @manual alone"),
    ({"schedule": ["@daily", "CRON_TZ=Mars/X @daily"]}, "schedule[1]", "timezone: there is no time zone", "IANA"),
    ({"schedule": ["@after 5m", "@daily"]}, "schedule[0]", "@after cannot be joined", "write @after alone"),
    (_after(overlap="queue_one"), "overlap", "queue_one does not go with @after", "leave it out"),
    (_after(overlap="queue_all"), "overlap", "a fixed delay has one run at a time", "asked for by hand"),
    (_after(max_runs=3), "max_runs", "does not go with @after: the occurrences", "@every or a crontab"),
    (_after(jitter="1m"), "jitter", "does not go with @after: each start is counted", "@every or a crontab"),
    (_after(calendars=["holidays"]), "calendars", "does not go with @after: where its next run", "@every or a crontab"),
    ({"schedule": "cron(0 9 * * *)"}, "schedule", "cron() has 6 fields, this has 5", "minute, hour"),
    ({"schedule": "rate(1 hours)"}, "schedule", "1 goes with 'hour', not 'hours'", "rate(1 hour)"),
    (
        {"schedule": "at(2026-11-20T12:00:30)"},
        "schedule",
        "names no instant after 2026-11-20T12:00:30Z",
        "still to come",
    ),
    (
        {"schedule": ["at(2026-11-20T12:00:00)", "cron(0 9 * * ? 2020)"]},
        "schedule",
        "no instant after",
        "still to come",
    ),
    ({"schedule": {"cron": "* * * * *"}}, "schedule", "must be text, or a list of texts, not an object", "quotes"),
    ({"timezone": "Mars/Olympus"}, "timezone", "there is no time zone 'Mars/Olympus'", "Europe/Paris"),
    ({"timezone": "x" * 65}, "timezone", "64 is the most", "shorten"),
    ({"dialect": 5}, "dialect", "must be text, not a number", "quotes"),
    ({"dialect": ""}, "dialect", "there is no dialect ''", "eventbridge, robfig, vixie"),
    ({"dialect": "v" * 65}, "dialect", "64 is the most", "shorten"),
    ({"dialect": "quartz"}, "dialect", "there is no dialect 'quartz'", "vixie"),
    ({"calendars": "holidays"}, "calendars", "must be a list, not text", "[…]"),
    ({"calendars": None}, "calendars", "must be a list, not null", "[…]"),
    ({"calendars": [5]}, "calendars[0]", "must be text, not a number", "quotes"),
    ({"calendars": ["a", "Bank Holidays"]}, "calendars[1]", "is not a valid name", "did you mean 'bank-holidays'?"),
    ({"calendars": [""]}, "calendars[0]", "'' is not a valid name", "1 to 128 of a-z"),
    ({"calendars": ["a", "b", "a"]}, "calendars[2]", "a is named twice", "name it once"),
    ({"calendars": [f"c{n}" for n in range(9)]}, "calendars", "9 entries; 8 is the most", ""),
    ({"calendars": ["holidays"]}, "calendars", "there is no calendar demo/holidays", "save it first"),
    ({"on_blocked": "run"}, "on_blocked", "'run' is not one of", "'skip' or 'next_day'"),
    ({"on_blocked": 5}, "on_blocked", "5 is not one of", "'skip' or 'next_day'"),
    ({"on_blocked": "next_day"}, "on_blocked", "no calendar blocks anything", "name the job's calendars"),
    ({"start_at": 5}, "start_at", "must be text, not a number", "quotes"),
    ({"start_at": "tomorrow"}, "start_at", "'tomorrow' is not an instant", "2026-12-01T09:00:00Z"),
    ({"start_at": ""}, "start_at", "'' is not an instant", "2026-12-01T09:00:00Z"),
    ({"start_at": "2026-12-01"}, "start_at", "'2026-12-01' is not an instant", "2026-12-01T09:00:00Z"),
    ({"start_at": "2026-W49-2T09:00:00Z"}, "start_at", "is not an instant", "2026-12-01T09:00:00Z"),
    ({"start_at": "2026-12-01T09:00:00+00:00:30"}, "start_at", "is not an instant", "2026-12-01T09:00:00Z"),
    ({"start_at": "٢٠٢٦-12-01T09:00:00Z"}, "start_at", "is not an instant", "2026-12-01T09:00:00Z"),
    ({"start_at": "2026-12-01T09:00:00"}, "start_at", "has no offset from UTC", "2026-12-01T09:00:00Z is in UTC"),
    ({"start_at": "2026-12-01T09:00:00.5Z"}, "start_at", "has a fraction of a second", "2026-12-01T09:00:00Z"),
    ({"start_at": "2027-02-29T09:00:00Z"}, "start_at", "there is no 2027-02-29T09:00:00Z", "2026-12-01T09:00:00Z"),
    ({"start_at": "0001-01-01T00:00:00+01:00"}, "start_at", "there is no 0001-01-01T00", "2026-12-01T09:00:00Z"),
    ({"start_at": "x" * 65}, "start_at", "64 is the most", "shorten"),
    ({"start_at": "9999-12-31T23:59:59Z"}, "start_at", "within it, the schedule names no instant", "an earlier one"),
    ({"end_at": "never"}, "end_at", "'never' is not an instant", "2026-12-01T09:00:00Z"),
    ({"end_at": True}, "end_at", "must be text, not true or false", "quotes"),
    ({"end_at": "2026-12-01T09:00:00.000Z"}, "end_at", "has a fraction of a second", "2026-12-01T09:00:00Z"),
    ({"end_at": "2026-11-20T12:59:59Z"}, "end_at", "within it, the schedule names no instant after", "a later one"),
    ({"end_at": "0001-01-01T00:00:00Z"}, "end_at", "within it, the schedule names no instant after", "a later one"),
    (
        {"start_at": "2026-12-01T10:00:00Z", "end_at": "2026-12-01T10:00:00+01:00"},
        "end_at",
        "2026-12-01T10:00:00+01:00 is before start_at, which is 2026-12-01T10:00:00Z",
        "a later one",
    ),
    ({"start_at": "2026-12-01T10:00:01Z", "end_at": "2026-12-01T10:59:59Z"}, "end_at", "within it", "a later one"),
    ({"start_at": "0001-01-01T00:00:00Z", "end_at": "2026-11-20T12:00:00Z"}, "end_at", "within it", "a later one"),
    ({"max_runs": 0}, "max_runs", "0 is out of range", "1 to 1,000,000,000"),
    ({"max_runs": 1_000_000_001}, "max_runs", "1000000001 is out of range", "1 to 1,000,000,000"),
    ({"max_runs": 1.0}, "max_runs", "must be a whole number, not a number", "fraction"),
    ({"max_runs": "3"}, "max_runs", "must be a whole number, not text", "quotes"),
    ({"max_runs": True}, "max_runs", "must be a whole number, not true or false", "fraction"),
    ({"jitter": "0s"}, "jitter", "0s is too short", "1s to 24h"),
    ({"jitter": "24h1s"}, "jitter", "24h1s is too long", "1s to 24h"),
    ({"jitter": 90}, "jitter", "must be text, not a number", "quotes"),
    ({"jitter": "1.5m"}, "jitter", "'1.5m' is not a duration", "1h30m"),
    ({"calender": ["holidays"]}, "calender", "there is no such field", "did you mean `calendars`?"),
    ({"max-run": 1}, "max-run", "there is no such field", "did you mean `max_runs`?"),
    ({"shedule": "* * * * *"}, "shedule", "there is no such field", "did you mean `schedule`?"),
    ({"Time-Zone": "UTC"}, "Time-Zone", "there is no such field", "did you mean `timezone`?"),
    ({"url": "https://example.com/"}, "url", "there is no such field", "did you mean `target.url`?"),
    (_target(retry={}), "target.retry", "there is no such field", "did you mean `retry`?"),
    ({"max_attempts": 3}, "max_attempts", "there is no such field", "did you mean `retry.max_attempts`?"),
    ({"on": "end"}, "on", "there is no such field", "did you mean `depends_on[].on`?"),
    ({"qqq": 1}, "qqq", "there is no such field", "there are: namespace, name"),
    (_target(methud="GET"), "target.methud", "there is no such field", "did you mean `method`?"),
    ({"target": None}, "target", "must be an object, not null", "{…}"),
    ({"target": {"type": "http"}}, "target.url", "this is required", "https://host/path"),
    ({"target": {"url": "https://example.com/"}}, "target.type", "this is required", '"http"'),
    (_target(type="lambda"), "target.type", "'lambda' is not one of", "'http'"),
    (_target(method="post"), "target.method", "'post' is not one of", "'POST'"),
    (_target(method="CONNECT"), "target.method", "'CONNECT' is not one of", "'GET', 'HEAD', 'POST'"),
    (_target(url="ftp://example.com/"), "target.url", "does not begin with http:// or https://", "https://host/path"),
    (_target(url="example.com/hook"), "target.url", "does not begin with http", "https://host/path"),
    (_target(url="https:///path"), "target.url", "names no host", "https://host/path"),
    (_target(url="https://exa(mple.com/"), "target.url", "names no host", "https://host/path"),
    (_target(url="https://me:secret@example.com/"), "target.url", "user or password", "Authorization header"),
    (_target(url="https://good.example\\@evil.example/"), "target.url", "cannot stand in a URL", "percent-encode"),
    (_target(url="https://example.com/a b"), "target.url", "' ' cannot stand in a URL", "percent-encode"),
    (_target(url="https://example.com/\r\nX: y"), "target.url", "cannot stand in a URL", "percent-encode"),
    (_target(url="https://exämple.com/"), "target.url", "cannot stand in a URL", "percent-encode"),
    (_target(url="https://example.com:99999/"), "target.url", "not a URL", "https://host/path"),
    (_target(url="https://example.com:0/"), "target.url", "port 0", "leave the port out"),
    (_target(url="https://[::1/"), "target.url", "not a URL", "https://host/path"),
    (_target(url="https://example.com/" + "a" * 2000), "target.url", "2,000 is the most", "shorten"),
    (_target(url="http://localhost:8080/"), "target.url", "loopback", "AllowLoopbackTargets"),
    (_target(url="http://localhost.:8080/"), "target.url", "loopback", "AllowLoopbackTargets"),
    (_target(url="http://echo.localhost/"), "target.url", "loopback", "AllowLoopbackTargets"),
    (_target(url="http://127.0.0.1/"), "target.url", "loopback", "AllowLoopbackTargets"),
    (_target(url="http://[::1]/"), "target.url", "loopback", "AllowLoopbackTargets"),
    (_target(url="http://169.254.169.254/latest"), "target.url", "link-local", "name a host"),
    (_headers({"X A": "b"}), "target.headers.X A", "no name for a header", "X-Request-Source"),
    (_headers({"X-A": "b\r\nX-B: c"}), "target.headers.X-A", "'\\r' cannot stand here", "one line"),
    (_headers({"X-A": "ü"}), "target.headers.X-A", "'\\xfc' cannot stand here", "plain ASCII"),
    (_headers({"X-A": " b"}), "target.headers.X-A", "begin or end with a blank", "leave the blank out"),
    (_headers({"X-A": 5}), "target.headers.X-A", "must be text, not a number", "quotes"),
    (_headers({"Content-Length": "5"}), "target.headers.Content-Length", "set by whoever makes the call", "leave it"),
    (_headers({"X-A": "1", "x-a": "2"}), "target.headers", "'X-A' and 'x-a' are the same header", "one of the two"),
    (_headers({f"X-{n}": "" for n in range(33)}), "target.headers", "33 entries; 32 is the most", ""),
    (_headers({"X-A": "a" * 4097}), "target.headers.X-A", "4,096 is the most", "shorten"),
    (_headers({f"X-{n}": "a" * 4000 for n in range(3)}), "target.headers", "8,192 is the most", "payload"),
    (_headers([]), "target.headers", "must be an object, not a list", "{…}"),
    ({"labels": {str(n): "" for n in range(33)}}, "labels", "33 entries; 32 is the most", ""),
    ({"labels": {"a b": ""}}, "labels.a b", "cannot be the name of a label", "letter or digit"),
    ({"labels": {"a" * 64: ""}}, "labels." + "a" * 60, "cannot be the name of a label", "up to 62"),
    ({"labels": {"a": "v" * 256}}, "labels.a", "255 is the most", "shorten"),
    ({"labels": {"version": 1.0}}, "labels.version", "must be text, not a number", "quotes"),
    ({"labels": {"a": "x\ny"}}, "labels.a", "'\\n' cannot stand here", "one line"),
    ({"description": "d" * 1001}, "description", "1,000 is the most", "shorten"),
    ({"description": "a\x1b[2J"}, "description", "'\\x1b' cannot stand here", "leave it out"),
    ({"owner": "o" * 129}, "owner", "128 is the most", "shorten"),
    ({"owner": "a\nb"}, "owner", "'\\n' cannot stand here", "one line"),
    ({"timeout": "14m1s"} | _target(mode="sync"), "timeout", "14 minutes at most", "answer 202 and report later"),
    ({"timeout": "7d1s"}, "timeout", "7d1s is too long", "1s to 7d"),
    ({"timeout": "0s"}, "timeout", "0s is too short", "1s to 7d"),
    ({"timeout": 60}, "timeout", "must be text, not a number", "quotes"),
    ({"timeout": "1.5m"}, "timeout", "'1.5m' is not a duration", "1h30m"),
    ({"timeout": "999999999w"}, "timeout", "is not a duration", "1h30m"),
    ({"misfire_grace": "0s"}, "misfire_grace", "0s is too short", "1s to 7d"),
    ({"misfire_grace": "8d", "catchup_window": "9d"}, "misfire_grace", "8d is too long", "1s to 7d"),
    ({"catchup_window": "1m"}, "catchup_window", "shorter than misfire_grace, which is 5m", "5m or more"),
    ({"misfire_grace": "2d"}, "catchup_window", "24h is shorter than misfire_grace, which is 2d", "2d or more"),
    ({"retention": "23h"}, "retention", "23h is too short", "1d to 3650d"),
    ({"retention": "3651d"}, "retention", "3651d is too long", "1d to 3650d"),
    ({"catch_up": "some"}, "catch_up", "'some' is not one of", "'skip', 'latest' or 'all'"),
    ({"takeovers": 11}, "takeovers", "11 is out of range", "0 to 10"),
    ({"takeovers": -1}, "takeovers", "-1 is out of range", "0 to 10"),
    ({"takeovers": True}, "takeovers", "must be a whole number, not true or false", "fraction"),
    ({"takeovers": 2.0}, "takeovers", "must be a whole number, not a number", "fraction"),
    ({"run_timeout": "59s"}, "run_timeout", "59s is shorter than timeout, which is 60s", "60s or more"),
    ({"run_timeout": "91d"}, "run_timeout", "91d is too long", "1s to 90d"),
    ({"run_timeout": 60}, "run_timeout", "must be text, not a number", "quotes"),
    ({"timeout": "2d", "retention": "1d"}, "retention", "1d is shorter than timeout, which is 2d", "2d or more"),
    ({"run_timeout": "31d"}, "retention", "30d is shorter than run_timeout, which is 31d", "31d or more"),
    (
        {"retention": "1d", "retry": {"max_attempts": 4, "backoff": {"initial": "12h", "max": "12h"}}},
        "retention",
        "1d is shorter than 4 attempts may take with the waits between them",
        "2d or more, or a run_timeout of 1d or less",
    ),
    (_target(mode="async"), "target.mode", "'async' is not one of", "'auto', 'sync' or 'callback'"),
    (_target(heartbeat="60s"), "target.heartbeat", "60s is not shorter than timeout, which is 60s", "a longer timeout"),
    (_target(heartbeat="0s"), "target.heartbeat", "0s is too short", "1s to 7d"),
    (_target(heartbeat="5s", mode="sync"), "target.heartbeat", "answers with the call", "auto or callback"),
    ({"overlap": "queue"}, "overlap", "'queue' is not one of", "'queue_one', 'queue_all' or 'replace'"),
    ({"overlap": None}, "overlap", "None is not one of", "'allow'"),
    ({"max_catch_up": 0}, "max_catch_up", "0 is out of range", "1 to 150"),
    ({"max_catch_up": 151}, "max_catch_up", "151 is out of range", "1 to 150"),
    ({"max_concurrency": 0}, "max_concurrency", "0 is out of range", "1 to 100"),
    ({"max_concurrency": 101}, "max_concurrency", "101 is out of range", "1 to 100"),
    ({"retention_count": 0}, "retention_count", "0 is out of range", "1 to 10,000"),
    ({"retention_count": 10_001}, "retention_count", "10001 is out of range", "1 to 10,000"),
    ({"record_units": "yes"}, "record_units", "must be true or false, not text", "leave out quotes"),
    ({"retry": 3}, "retry", "must be an object, not a number", "{…}"),
    ({"retry": None}, "retry", "must be an object, not null", "{…}"),
    (_retry(max_attempts=0), "retry.max_attempts", "0 is out of range", "1 to 20"),
    (_retry(max_attempts=21), "retry.max_attempts", "21 is out of range", "1 to 20"),
    (_retry(max_attempts=2.5), "retry.max_attempts", "must be a whole number, not a number", "fraction"),
    (_retry(max_atempts=3), "retry.max_atempts", "there is no such field", "did you mean `max_attempts`?"),
    (_retry(initial="10s"), "retry.initial", "there is no such field", "did you mean `retry.backoff.initial`?"),
    ({"retry": {"retry_on": ["5xx"]}}, "retry.max_attempts", "nothing is retried", "2 or more; the first"),
    (_retry(retry_on="5xx"), "retry.retry_on", "must be a list, not text", "[…]"),
    (_retry(retry_on=[503]), "retry.retry_on[0]", "must be text, not a number", "quotes"),
    (_retry(retry_on=["5xx", "600"]), "retry.retry_on[1]", "'600' is nothing that", "from 100 to 599 (503)"),
    (_retry(retry_on=["099"]), "retry.retry_on[0]", "'099' is nothing that", "from 100 to 599 (503)"),
    (_retry(retry_on=["5XX"]), "retry.retry_on[0]", "'5XX' is nothing that", "did you mean 5xx?"),
    (_retry(retry_on=["6xx"]), "retry.retry_on[0]", "'6xx' is nothing that", "a class of them (5xx)"),
    (_retry(retry_on=["timeout"]), "retry.retry_on[0]", "'timeout' is nothing that", "did you mean timed_out?"),
    (_retry(retry_on=["refused!"]), "retry.retry_on[0]", "'refused!' is nothing", "(ConnectionRefused)"),
    (_retry(retry_on=["٥٠٣"]), "retry.retry_on[0]", "is nothing that", "(503)"),
    (_retry(retry_on=["A" * 65]), "retry.retry_on[0]", "is nothing that", "type of error"),
    (_retry(retry_on=["503", "503"]), "retry.retry_on[1]", "503 is named twice", "name it once"),
    (_retry(retry_on=["5xx"] * 33), "retry.retry_on", "33 entries; 32 is the most", ""),
    (_retry(give_up_on=["gone"]), "retry.give_up_on[0]", "'gone' is nothing that", "(503)"),
    (_retry(retry_on=["503"], give_up_on=["503"]), "retry.give_up_on[0]", "503 is in retry_on too", "one of the two"),
    (_backoff(initial="0s"), "retry.backoff.initial", "0s is too short", "1s to 12h"),
    (_backoff(initial=10), "retry.backoff.initial", "must be text, not a number", "quotes"),
    (_backoff(max="13h"), "retry.backoff.max", "13h is too long", "1s to 12h"),
    (_backoff(initial="20m"), "retry.backoff.max", "15m is shorter than initial, which is 20m", "20m or more"),
    (_backoff(factor=0.5), "retry.backoff.factor", "0.5 is out of range", "1 to 10"),
    (_backoff(factor=11), "retry.backoff.factor", "11 is out of range", "1 to 10"),
    (_backoff(factor="2"), "retry.backoff.factor", "must be a number, not text", "quotes"),
    (_backoff(factor=True), "retry.backoff.factor", "must be a number, not true or false", "quotes"),
    (_backoff(jitter=1.1), "retry.backoff.jitter", "1.1 is out of range", "0 to 1"),
    (_backoff(wait="1h"), "retry.backoff.wait", "there is no such field", "there are: initial, factor, max"),
    ({"depends_on": {"job": "a"}}, "depends_on", "must be a list, not an object", "[…]"),
    ({"depends_on": ["a"]}, "depends_on[0]", "must be an object, not text", "{…}"),
    ({"depends_on": [{"on": "end"}]}, "depends_on[0].job", "this is required", "namespace/name"),
    ({"depends_on": [{"job": "A b"}]}, "depends_on[0].job", "'A b' names no job", "write name, or namespace/name"),
    ({"depends_on": [{"job": "a/b/c"}]}, "depends_on[0].job", "'a/b/c' names no job", "namespace/name"),
    ({"depends_on": [{"job": "/b"}]}, "depends_on[0].job", "'/b' names no job", "namespace/name"),
    ({"depends_on": [{"job": "a", "on": "done"}]}, "depends_on[0].on", "'done' is not one of", "'success'"),
    ({"depends_on": [{"job": "a", "onn": "end"}]}, "depends_on[0].onn", "no such field", "did you mean `on`?"),
    ({"depends_on": [{"job": f"a{n}"} for n in range(17)]}, "depends_on", "17 entries; 16 is the most", ""),
    ({"join": "any"}, "join", "this job depends on no other", "name the parents"),
    ({"join": "some"}, "join", "'some' is not one of", "'all' or 'any'"),
    ({"join_window": "1d"}, "join_window", "this job depends on no other", "name the parents"),
    ({"paused": "yes"}, "paused", 'must be true, false or {"until": …}, not text', "quotes"),
    ({"paused": None}, "paused", 'must be true, false or {"until": …}, not null', "quotes"),
    ({"paused": {}}, "paused.until", "this is required", '{"until": "2026-12-01T09:00:00Z"}'),
    ({"paused": {"until": "soon"}}, "paused.until", "'soon' is not an instant", "2026-12-01T09:00:00Z"),
    ({"paused": {"untill": "soon", "until": "2027-01-01T00:00:00Z"}}, "paused.untill", "no such field", "`until`?"),
    (
        {"paused": {"until": "2026-11-20T12:00:30Z"}},
        "paused.until",
        "is not ahead: it is 2026-11-20T12:00:30Z",
        "later",
    ),
    ({"namespace": "other"}, "namespace", "the document says 'other', the path 'demo'", "make them the same"),
    ({"name": "other"}, "name", "the document says 'other', the path 'heartbeat'", "make them the same"),
    ({"name": "Heart Beat"}, "name", "'Heart Beat' is not a valid name", "did you mean 'heart-beat'?"),
    ({"name": ""}, "name", "'' is not a valid name", "1 to 128 of a-z"),
]


@pytest.mark.parametrize(("wrong", "path", "message", "hint"), FIELDS, ids=[f"{f[1]}: {f[2]}"[:60] for f in FIELDS])
def test_a_bad_field_is_422_with_its_place_and_what_would_be_right(
    api: Api, wrong: dict[str, Any], path: str, message: str, hint: str
) -> None:
    answer = api.put(JOB | wrong)
    assert answer.status == 422
    assert answer.headers["content-type"] == "application/problem+json"
    assert list(answer.errors) == [path]
    assert message in answer.errors[path]["message"]
    assert hint in answer.errors[path].get("hint", "")
    assert (answer.body["status"], answer.body["title"]) == (422, "Invalid fields")
    assert answer.body["detail"].startswith(f"{path}: ")


def test_all_bad_fields_are_told_at_once_the_schedule_among_them(api: Api) -> None:
    answer = api.put(
        {
            "schedule": "61 * * * *",
            "timezone": "Nowhere",
            "dialect": "x",
            "owner": 7,
            "colour": "red",
            "timeout": "8d",
            "catchup_window": "1s",
            "join": "any",
            "retry": {"max_attempts": 0, "backoff": {"factor": 0}},
            "depends_on": [],
            "paused": {"until": "2026-11-20T12:00:00Z"},
            "target": {"type": "http", "url": "nowhere", "headers": {"X-A": "\n", "X B": ""}},
            "name": "other",
        }
    )
    assert answer.status == 422
    assert set(answer.errors) == {
        "schedule",
        "timezone",
        "dialect",
        "owner",
        "colour",
        "timeout",
        "catchup_window",
        "join",
        "retry.max_attempts",
        "retry.backoff.factor",
        "paused.until",
        "target.url",
        "target.headers.X-A",
        "target.headers.X B",
        "name",
    }
    assert answer.body["detail"].startswith("15 fields are invalid: ")


def test_a_schedules_error_points_at_the_character(api: Api) -> None:
    errors = api.put(JOB | {"schedule": "0 25 * * *"}).errors
    assert errors["schedule"]["column"] == 2


def test_a_urls_error_points_at_the_character(api: Api) -> None:
    assert api.put(JOB | _target(url="https://a b/")).errors["target.url"]["column"] == 9


def test_a_document_without_anything_needs_a_schedule_and_a_target(api: Api) -> None:
    errors = api.put({}).errors
    assert set(errors) == {"schedule", "target"}
    assert '"*/5 * * * *"' in errors["schedule"]["hint"]
    assert '"type": "http"' in errors["target"]["hint"]


def test_a_schedule_is_needed_where_no_parent_is_named(api: Api) -> None:
    assert set(api.put({"target": TARGET}).errors) == {"schedule"}
    assert set(api.put({"target": TARGET, "depends_on": []}).errors) == {"schedule"}
    assert set(api.put({"target": TARGET, "depends_on": [{"on": "end"}]}).errors) == {"depends_on[0].job"}
    assert set(api.put({"target": TARGET, "timeout": "x"}).errors) == {"schedule", "timeout"}


def test_what_contradicts_a_field_that_is_wrong_itself_is_not_told(api: Api) -> None:
    wrong = {"misfire_grace": "2 days", "catchup_window": "1m", "timeout": "1", "run_timeout": "1s", "join": "any"}
    assert set(api.put(JOB | wrong).errors) == {"misfire_grace", "timeout", "join"}


@pytest.mark.thorough
def test_a_document_of_thousands_of_unknown_fields_gets_a_short_answer(api: Api) -> None:
    answer = api.put(JOB | {f"f{n}": 1 for n in range(9000)})
    assert answer.status == 422
    assert len(answer.body["errors"]) == 100
    assert answer.body["detail"].startswith("9000 fields are invalid: ")
    assert len(answer.body["detail"]) < 200


@pytest.mark.parametrize("name", ["name with spaces", "Name", "-a", "a" * 129, "ä", 'quo"te', "a#b", "%2e%2e", "a%20b"])
def test_a_path_with_a_name_that_is_none_is_422(api: Api, name: str) -> None:
    for path, field in ((f"/v1/namespaces/demo/jobs/{name}", "name"), (f"/v1/namespaces/{name}/jobs/a", "namespace")):
        for answer in (api.put(path=path), api.get(path)):
            assert answer.status == 422
            assert list(answer.errors) == [field]
            assert "is not a valid name" in answer.errors[field]["message"]
            assert "1 to 128 of a-z" in answer.errors[field]["hint"]


def test_a_name_with_spaces_gets_a_proposal(api: Api) -> None:
    hint = api.put(path="/v1/namespaces/demo/jobs/My nightly job").errors["name"]["hint"]
    assert hint.startswith("did you mean 'my-nightly-job'?")


def test_both_names_of_a_path_are_told(api: Api) -> None:
    assert set(api.get("/v1/namespaces/A/jobs/B").errors) == {"namespace", "name"}


def test_what_is_wrong_with_the_path_is_told_together_with_what_is_wrong_with_the_document(api: Api) -> None:
    answer = api.put({"timeout": "8d", "schedule": "61 * * * *", "target": TARGET}, "/v1/namespaces/A b/jobs/B")
    assert answer.status == 422
    assert set(answer.errors) == {"namespace", "name", "timeout", "schedule"}
    assert answer.body["detail"].startswith("4 fields are invalid: ")


def test_a_bad_name_that_path_and_document_share_is_told_once(api: Api) -> None:
    answer = api.put(JOB | {"name": "My Job"}, "/v1/namespaces/demo/jobs/My Job")
    assert [error["path"] for error in answer.body["errors"]] == ["name"]
    assert answer.errors["name"]["message"] == "'My Job' is not a valid name"


def test_a_bad_name_in_the_path_is_told_and_not_that_the_document_has_a_good_one(api: Api) -> None:
    answer = api.put(JOB | {"name": "my-job"}, "/v1/namespaces/demo/jobs/My Job")
    assert [error["message"] for error in answer.body["errors"]] == ["'My Job' is not a valid name"]


def test_a_schedule_of_the_longest_text_that_the_library_reads_is_accepted(api: Api) -> None:
    ends = "0", "* * * *"
    blanks = " " * (LONGEST - len("".join(ends)))
    assert api.put(JOB | {"schedule": blanks.join(ends)}).status == 201
    assert api.put(JOB | {"schedule": f" {blanks}".join(ends)}).status == 422


@pytest.mark.parametrize(
    ("body", "place"),
    [
        ('{"schedule": \n  * }', "line 2, column 3"),
        ('{"schedule": "* * * * *",}', "line 1, column 2"),
        ("schedule: '* * * * *'", "line 1, column 1"),
        ('{"payload": NaN}', "line 1, column 13: NaN is no JSON value"),
        ('{"a": "NaN \\" Infinity",\n "payload": [-Infinity]}', "line 2, column 14: -Infinity is no JSON value"),
    ],
)
def test_a_body_that_is_no_json_is_400_with_line_and_column(api: Api, body: str, place: str) -> None:
    answer = api.put(body)
    assert answer.status == 400
    assert answer.headers["content-type"] == "application/problem+json"
    assert f"the body is not JSON: {place}" in answer.body["detail"]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("", "the body is empty"),
        (" \n", "the body is empty"),
        ("[]", "the body is a list"),
        ('"text"', "the body is text"),
        ("null", "the body is null"),
        ('{"schedule": "* * * * *", "schedule": "0 * * * *"}', "names 'schedule' twice"),
        ('{"target": {"url": "a", "url": "b"}}', "names 'url' twice"),
        ('{"payload": 1e999}', "a number beyond"),
        ('{"payload": ' + "9" * 5000 + "}", "thousands of digits"),
        ('{"payload": "\\ud83d"}', "half of a surrogate pair"),
        ('{"payload": "\ud83d"}', "half of a surrogate pair"),
        ('{"payload": {"\\udc00": 1}}', "half of a surrogate pair"),
        ('{"payload": ' + "[" * 101 + "]" * 101 + "}", "more than 100 levels"),
        ('{"payload": ' + "[" * 90000 + "]" * 90000 + "}", "more than 100 levels"),
    ],
)
def test_a_body_that_cannot_be_read_as_a_job_is_400(api: Api, body: str, message: str) -> None:
    answer = api.put(body)
    assert answer.status == 400
    assert message in answer.body["detail"]


def test_a_body_of_300_kb_is_413(api: Api) -> None:
    answer = api.put(JOB | {"payload": "x" * 300_000})
    assert answer.status == 413
    assert "may have 262,144" in answer.body["detail"]


def test_the_size_of_a_body_is_counted_in_bytes(api: Api) -> None:
    body = json.dumps(JOB | {"payload": "ü" * 140_000}, ensure_ascii=False)
    assert len(body) < 262_144
    assert api.put(body).status == 413


def test_a_body_in_base64_is_accepted(api: Api) -> None:
    answer = api.put(b64encode(json.dumps(JOB).encode()).decode(), isBase64Encoded=True)
    assert answer.status == 201


@pytest.mark.parametrize("body", ["not base64!", b64encode(b"\xff\xfe").decode()])
def test_a_body_that_is_no_utf_8_is_400(api: Api, body: str) -> None:
    for answer in (api.put(body, isBase64Encoded=True), api.post(f"{PATH}/pause", body=body, isBase64Encoded=True)):
        assert answer.status == 400
        assert "not UTF-8" in answer.body["detail"]


def test_a_large_deep_and_foreign_payload_is_accepted_and_answered_as_sent(api: Api) -> None:
    deep: Any = "Grüße 👋\n\x00"
    for _ in range(90):
        deep = [deep]
    payload = {"deep": deep, "large": "x" * 200_000, "number": 12345678901234567890, "empty": {}}
    assert api.put(JOB | {"payload": payload}).status == 201
    assert api.get().body["payload"] == payload


@pytest.mark.parametrize("limit", ["0", "101", "-1", "ten", "", "1.5", "\u0661", "9" * 5000])
@pytest.mark.parametrize("path", ["/v1/namespaces/demo/jobs", f"{PATH}/runs"])
def test_a_limit_that_is_none_is_400(api: Api, path: str, limit: str) -> None:
    answer = api.get(path, query={"limit": limit})
    assert answer.status == 400
    assert answer.errors["limit"]["hint"] == "give a number from 1 to 100"


@pytest.mark.parametrize("cursor", ["", "x", "ü", "e30", "bm90IGpzb24"])
@pytest.mark.parametrize("path", ["/v1/namespaces/demo/jobs", f"{PATH}/runs"])
def test_a_cursor_that_is_none_is_400(api: Api, path: str, cursor: str) -> None:
    answer = api.get(path, query={"cursor": cursor})
    assert answer.status == 400
    assert "`next` of the page before" in answer.errors["cursor"]["hint"]


@pytest.mark.parametrize("text", ["yes", "1", "True", ""])
def test_a_dry_run_that_is_neither_true_nor_false_is_400_and_saves_nothing(api: Api, text: str) -> None:
    answer = api.put(query={"dry_run": text})
    assert answer.status == 400
    assert answer.errors["dry_run"]["hint"] == "give true or false"


def test_a_misspelt_dry_run_is_400_and_saves_nothing(api: Api) -> None:
    answer = api.put(query={"dryrun": "true"})
    assert answer.status == 400
    assert answer.errors["dryrun"]["hint"] == "did you mean `dry_run`?"


@pytest.mark.parametrize("texts", [["1", "2"], ["1", "1"]])
def test_a_query_parameter_that_is_given_twice_is_400(api: Api, texts: list[str]) -> None:
    answer = api.get(f"{PATH}/runs", query={"limit": texts[-1]}, multiValueQueryStringParameters={"limit": texts})
    assert answer.status == 400
    assert answer.errors["limit"] == {"path": "limit", "message": "this is given 2 times", "hint": "give it once"}


def test_a_query_where_none_is_known_is_400(api: Api) -> None:
    assert api.get(query={"verbose": "1"}).errors["verbose"]["hint"] == "this takes no parameters"
