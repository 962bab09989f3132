"""Handlers called as Lambda calls them: settings, contexts and records of SQS."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from minutehand.entrypoints import worker
from minutehand.entrypoints.settings import Settings
from minutehand.usecases.ports.target import Outcome
from tests.unit.domain.examples import KEY, run
from tests.unit.usecases.stage import SHARDS, Stage

SETTINGS = Settings(jobs_table="jobs", due_shards=SHARDS)
QUEUE = "https://sqs.test/123456789012/http"
SLOW_QUEUE = f"{QUEUE}-slow"


class Context:
    aws_request_id = "request"
    function_name = "function"
    invoked_function_arn = "arn:aws:lambda:eu-central-1:123456789012:function:tick"

    def get_remaining_time_in_millis(self) -> int:
        return 900_000


class Sequential:
    map = staticmethod(map)

    @staticmethod
    def submit(do: Callable[[], None]) -> None:
        do()


def unpack(stage: Stage) -> None:
    """Have the job's timer in the index, as if it were seldom due."""
    stage.put(replace(stage.state.timers[KEY], packed=False))


def record(number: int, body: Any) -> dict[str, Any]:
    return {"messageId": f"m{number}", "receiptHandle": f"r{number}", "body": text_of(body), "eventSource": "aws:sqs"}


def body_of(instant: str) -> dict[str, Any]:
    return {"job": str(KEY), "run_id": run(instant).key.run_id, "attempt": 1}


def text_of(body: Any) -> str:
    return body if isinstance(body, str) else json.dumps(body)


def answer_with(monkeypatch: pytest.MonkeyPatch, outcome: Outcome) -> None:
    monkeypatch.setattr(worker, "_equipment", lambda: (lambda *_args, **_kwargs: outcome, Sequential, Sequential))
