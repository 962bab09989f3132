"""`minutehand agent`, which also notes its calls of SQS and its orders: `python -m benchmarks.agents.noted_agent FILE OPTIONS…`.

Each line of the file is JSON: `{"sqs": true, "at": …}` for a call, `{"run_id": …, "at": …}` for an order in an answer; `at` in seconds since 1970.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

from minutehand.agent.sqs import SqsQueues
from minutehand.cli.main import main
from minutehand.client.agents import AgentCalls, AskedStart, Decision


def _note_in(path: str) -> None:
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def note(**what: Any) -> None:
        os.write(file, f"{json.dumps(what | {'at': time.time()})}\n".encode())

    starts = AgentCalls.starts

    def noted_starts(self: AgentCalls, runs: Sequence[AskedStart]) -> list[Decision]:
        decisions = starts(self, runs)
        for each in decisions:
            note(run_id=each["run_id"])
        return decisions

    for name in ("receive", "delete", "hide"):
        setattr(SqsQueues, name, _noted(getattr(SqsQueues, name), note))
    AgentCalls.starts = noted_starts  # type: ignore[method-assign]


def _noted(call: Callable[..., Any], note: Callable[..., None]) -> Callable[..., Any]:
    def noted(queues: SqsQueues, url: str, what: Any, *more: Any) -> Any:
        if what:  # receipts to delete or hide, or how many messages to receive
            note(sqs=True)
        return call(queues, url, what, *more)

    return noted


if __name__ == "__main__":
    _note_in(sys.argv[1])
    sys.argv = ["minutehand", "agent", *sys.argv[2:]]
    main()
