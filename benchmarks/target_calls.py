"""Calls of an HTTP target over kept connections, beside urllib3 alone."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from statistics import median
from time import perf_counter

from urllib3 import PoolManager

from benchmarks import http_target
from benchmarks.table import Table, ratio
from minutehand.domain.job_key import JobKey
from minutehand.domain.run import Run, RunState
from minutehand.domain.run_key import RunKey
from minutehand.targets.http.caller import HttpCaller
from minutehand.targets.http.fields import Body, HttpTarget
from minutehand.targets.http.request import request_of
from minutehand.usecases.ports.target import Call

LEAST = 0.6
CALLS = 500
ROUNDS = 15
PAYLOAD = {"customer": {"id": 7, "name": "Ann"}, "rows": [1, 2, 3]}
_BODY = Body(json={"id": "{{payload.customer.id}}", "at": "{{scheduled_for}}", "try": "{{attempt}}"})


def tables() -> list[Table]:
    """The only table of the question."""
    with http_target.in_own_process() as url:
        plain = HttpTarget(url=f"{url}/hook")
        filled = HttpTarget(url=plain.url, query=(("run", "{{run_id}}"),), body=_BODY)
        contenders = {"urllib3 alone": _urllib3(plain), "target": _target(plain), "target, filled": _target(filled)}
        rates: dict[str, list[float]] = {name: [] for name in contenders}
        for make in contenders.values():
            _rate(make)  # warms connections and caches
        for turn in range(ROUNDS):
            order = [*contenders.items()]
            for name, make in order if turn % 2 == 0 else reversed(order):
                rates[name].append(_rate(make))
    bare = rates["urllib3 alone"]
    return [
        Table(
            title="Calls of the HTTP target over kept connections",
            goal=f"the target makes ≥ {LEAST} of urllib3's calls a second",
            holds=ratio(rates["target"], bare) >= LEAST,
            columns=("caller", "times", "calls", "calls per second", "of urllib3's"),
            rows=tuple((name, ROUNDS, CALLS, median(each), ratio(each, bare)) for name, each in rates.items()),
            notes=(
                "One thread, a target in a process of its own on loopback, a small JSON body, the same headers. Medians of wall time.",
                "`filled`: a parameter of the query and a JSON body of three values of the run.",
            ),
        )
    ]


def _rate(make: Callable[[], None]) -> float:
    began = perf_counter()
    for _ in range(CALLS):
        make()
    return CALLS / (perf_counter() - began)


def _target(target: HttpTarget) -> Callable[[], None]:
    caller, call = HttpCaller(allow_loopback=True), _call()

    def make() -> None:
        outcome = caller(target, call)
        if outcome.state is not RunState.SUCCEEDED:
            raise RuntimeError(f"a call failed: {outcome.error}")

    return make


def _urllib3(target: HttpTarget) -> Callable[[], None]:
    pool, headers = PoolManager(), dict(request_of(target, _call()).headers)

    def make() -> None:
        body = json.dumps(PAYLOAD, separators=(",", ":")).encode()
        answer = pool.request("POST", target.url, body=body, headers=headers, retries=False)
        if answer.status != 200:
            raise RuntimeError(f"the target answered {answer.status}")

    return make


def _call() -> Call:
    at = datetime(2026, 11, 20, 9, tzinfo=UTC)
    key = RunKey.scheduled(JobKey(namespace="bench", name="hook"), at)
    run = Run(key=key, target="http", revision=1, claimed_at=at, expires_at=at + timedelta(days=30), attempt=1)
    return Call(
        run=run,
        payload=PAYLOAD,
        timeout=timedelta(seconds=60),
        deadline=at + timedelta(seconds=60),
        attempts_left=1,
        token="",
        callback_url="https://api.example.com/v1/callbacks/bench/hook/20261120T090000Z/1",
    )
