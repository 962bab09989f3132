"""What becomes of runs: in time, at the same time, again, and for how long they are kept."""

from __future__ import annotations

from typing import Any

from tests.unit.api.bad_input.fields.row import Row, target


def retry(**given: Any) -> dict[str, Any]:
    return {"retry": {"max_attempts": 3} | given}


def backoff(**given: Any) -> dict[str, Any]:
    return retry(backoff=given)


ROWS: list[Row] = [
    ({"timeout": "14m1s"} | target(mode="sync"), "timeout", "14m at most", "answer 202 and report later"),
    ({"timeout": "7d1s"}, "timeout", "7d1s is too long", "1s to 7d"),
    ({"timeout": "0s"}, "timeout", "0s is too short", "1s to 7d"),
    ({"timeout": 60}, "timeout", "must be text, not a number", "quotes"),
    ({"timeout": "1.5m"}, "timeout", "'1.5m' is not a duration", "1h30m"),
    ({"timeout": "999999999w"}, "timeout", "is not a duration", "1h30m"),
    ({"misfire_grace": "0s"}, "misfire_grace", "0s is too short", "1s to 7d"),
    ({"misfire_grace": "8d", "catchup_window": "9d"}, "misfire_grace", "8d is too long", "1s to 7d"),
    ({"catchup_window": "1m"}, "catchup_window", "shorter than misfire_grace, which is 5m", "5m or more"),
    ({"misfire_grace": "2d"}, "catchup_window", "1d is shorter than misfire_grace, which is 2d", "2d or more"),
    ({"retention": "23h"}, "retention", "23h is too short", "1d to 3650d"),
    ({"retention": "3651d"}, "retention", "3651d is too long", "1d to 3650d"),
    ({"catch_up": "some"}, "catch_up", "'some' is not a valid value", "'skip', 'latest' or 'all'"),
    ({"takeovers": 11}, "takeovers", "11 is out of range", "0 to 10"),
    ({"takeovers": -1}, "takeovers", "-1 is out of range", "0 to 10"),
    ({"takeovers": True}, "takeovers", "must be a whole number, not true or false", "fraction"),
    ({"takeovers": 2.0}, "takeovers", "must be a whole number, not a number", "fraction"),
    ({"run_timeout": "59s"}, "run_timeout", "59s is shorter than timeout, which is 1m", "1m or more"),
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
    ({"overlap": "queue"}, "overlap", "'queue' is not a valid value", "'queue_one', 'queue_all' or 'replace'"),
    ({"overlap": None}, "overlap", "None is not a valid value", "'allow'"),
    ({"max_catch_up": 0}, "max_catch_up", "0 is out of range", "1 to 150"),
    ({"max_catch_up": 151}, "max_catch_up", "151 is out of range", "1 to 150"),
    ({"start_within": "9s"}, "start_within", "9s is too short", "10s to 7d"),
    ({"start_within": "8d"}, "start_within", "8d is too long", "10s to 7d"),
    (
        {"start_within": "5m", "catch_up": "all"},
        "start_within",
        "5m keeps every missed occurrence from running",
        "more than 5m, or catch_up: skip",
    ),
    (
        {"start_within": "1m", "jitter": "1m", "misfire_grace": "2m", "catch_up": "all"},
        "start_within",
        "later than misfire_grace (2m)",
        "more than 2m",
    ),
    ({"max_concurrency": 0}, "max_concurrency", "0 is out of range", "1 to 100"),
    ({"max_concurrency": 101}, "max_concurrency", "101 is out of range", "1 to 100"),
    ({"limits": [{"name": "db"}]}, "limits[0].max", "required", ""),
    ({"limits": [{"name": "db", "max": 0}]}, "limits[0].max", "0 is out of range", "1 to 1,000"),
    ({"limits": [{"name": "db", "max": 1001}]}, "limits[0].max", "1001 is out of range", "1 to 1,000"),
    ({"limits": [{"name": "db", "max": True}]}, "limits[0].max", "must be a whole number, not true or false", ""),
    (
        {"limits": [{"name": "My DB", "max": 1}]},
        "limits[0].name",
        "'My DB' is not a valid name",
        "did you mean 'my-db'?",
    ),
    ({"limits": [{"name": "a#b", "max": 1}]}, "limits[0].name", "'a#b' is not a valid name", ""),
    ({"limits": [{"name": "db", "max": 1, "min": 1}]}, "limits[0].min", "unknown", ""),
    ({"limits": [{"name": "db", "max": 1}] * 2}, "limits[1]", "db is named twice", "name it once"),
    ({"limits": [{"name": "db"}]}, "limits[0].max", "this is required", "1 to 1,000"),
    ({"limits": [{"max": 1}]}, "limits[0].name", "this is required", "orders-db"),
    ({"limits": [{"name": f"db-{n}", "max": 1} for n in range(6)]}, "limits", "6 entries; 5 is the most", "remove 1"),
    ({"limits": {"db": 3}}, "limits", "must be a list", ""),
    ({"retention_count": 0}, "retention_count", "0 is out of range", "1 to 10,000"),
    ({"retention_count": 10_001}, "retention_count", "10001 is out of range", "1 to 10,000"),
    ({"record_units": "yes"}, "record_units", "must be true or false, not text", "leave out quotes"),
    ({"retry": 3}, "retry", "must be an object, not a number", "{…}"),
    ({"retry": None}, "retry", "must be an object, not null", "{…}"),
    (retry(max_attempts=0), "retry.max_attempts", "0 is out of range", "1 to 20"),
    (retry(max_attempts=21), "retry.max_attempts", "21 is out of range", "1 to 20"),
    (retry(max_attempts=2.5), "retry.max_attempts", "must be a whole number, not a number", "fraction"),
    (retry(max_atempts=3), "retry.max_atempts", "unknown field", "did you mean `max_attempts`?"),
    (retry(initial="10s"), "retry.initial", "unknown field", "did you mean `retry.backoff.initial`?"),
    ({"retry": {"retry_on": ["5xx"]}}, "retry.max_attempts", "nothing is retried", "2 or more; the first"),
    (retry(retry_on="5xx"), "retry.retry_on", "must be a list, not text", "[…]"),
    (retry(retry_on=[503]), "retry.retry_on[0]", "must be text, not a number", "quotes"),
    (retry(retry_on=["5xx", "600"]), "retry.retry_on[1]", "'600' is not an attempt outcome", "from 100 to 599 (503)"),
    (retry(retry_on=["099"]), "retry.retry_on[0]", "'099' is not an attempt outcome", "from 100 to 599 (503)"),
    (retry(retry_on=["5XX"]), "retry.retry_on[0]", "'5XX' is not an attempt outcome", "did you mean 5xx?"),
    (retry(retry_on=["6xx"]), "retry.retry_on[0]", "'6xx' is not an attempt outcome", "a class of statuses (5xx)"),
    (
        retry(retry_on=["timeout"]),
        "retry.retry_on[0]",
        "'timeout' is not an attempt outcome",
        "did you mean timed_out?",
    ),
    (retry(retry_on=["refused!"]), "retry.retry_on[0]", "'refused!' is not an attempt outcome", "(ConnectionRefused)"),
    (retry(retry_on=["٥٠٣"]), "retry.retry_on[0]", "is not an attempt outcome", "(503)"),
    (retry(retry_on=["A" * 65]), "retry.retry_on[0]", "is not an attempt outcome", "type of error"),
    (retry(retry_on=["503", "503"]), "retry.retry_on[1]", "503 is named twice", "name it once"),
    (retry(retry_on=["5xx"] * 33), "retry.retry_on", "33 entries; 32 is the most", "remove 1"),
    (retry(give_up_on=["gone"]), "retry.give_up_on[0]", "'gone' is not an attempt outcome", "(503)"),
    (retry(retry_on=["503"], give_up_on=["503"]), "retry.give_up_on[0]", "503 is also in retry_on", "one of the two"),
    (backoff(initial="0s"), "retry.backoff.initial", "0s is too short", "1s to 12h"),
    (backoff(initial=10), "retry.backoff.initial", "must be text, not a number", "quotes"),
    (backoff(max="13h"), "retry.backoff.max", "13h is too long", "1s to 12h"),
    (backoff(initial="20m"), "retry.backoff.max", "15m is shorter than initial, which is 20m", "20m or more"),
    (backoff(factor=0.5), "retry.backoff.factor", "0.5 is out of range", "1 to 10"),
    (backoff(factor=11), "retry.backoff.factor", "11 is out of range", "1 to 10"),
    (backoff(factor="2"), "retry.backoff.factor", "must be a number, not text", "quotes"),
    (backoff(factor=True), "retry.backoff.factor", "must be a number, not true or false", "quotes"),
    (backoff(jitter=1.1), "retry.backoff.jitter", "1.1 is out of range", "0 to 1"),
    (backoff(wait="1h"), "retry.backoff.wait", "unknown field", "the fields are: initial, factor, max"),
]
