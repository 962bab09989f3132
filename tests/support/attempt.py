"""The service's side of an attempt that its target answers later, over the product's API."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import timedelta
from typing import Any

from minutehand.domain.run import Run
from minutehand.domain.token import attempt_nonce
from tests.support.api_server import NOW, TARGET, ApiServer
from tests.support.http_server import Request, problem

TOKEN = "the-attempts-own"
RUN_ID = "20261120T080000Z"


class Attempt:
    """The service's side of one attempt, which its target has taken on to answer later."""

    def __init__(self, api: ApiServer) -> None:
        self._api = api
        self.url = f"{api.url}/v1/callbacks/demo/copy/{RUN_ID}/2"
        target = TARGET | {"mode": "callback", "heartbeat": "90s"}
        api.add_job("demo/copy", target=target, timeout="1h")
        self.key = api.add_run(
            "demo/copy",
            RUN_ID,
            "waiting",
            attempt=2,
            nonce=attempt_nonce(TOKEN),
            lease_until=NOW + timedelta(seconds=90),
            deadline_at=NOW + timedelta(hours=1),
        )
        self.beaten = threading.Event()
        api.before = self._note

    def _note(self, request: Request) -> None:
        if request.path.endswith("/heartbeat"):
            self.beaten.set()

    @property
    def said(self) -> list[tuple[str, Any]]:
        return [(each.path.rpartition("/")[2], each.body) for each in self._api.requests if "/callbacks/" in each.path]

    @property
    def tokens(self) -> set[str]:
        return {request.headers["authorization"] for request in self._api.requests}

    @property
    def run(self) -> Run:
        return self._api.state.runs[self.key]

    def reports(self) -> list[Any]:
        return [body for what, body in self.said if what == "report"]

    def cancel(self) -> None:
        """Have a person ask for the run's end, which the target is to learn of."""
        self._api.state.runs[self.key] = replace(self.run, cancelled_by="eve")

    def over(self) -> None:
        """End the run before its target reports."""
        self._api.move(self.key, "timed_out", attempt=2)

    def refuse(self, status: int) -> None:
        """Answer with this status from now on."""
        self._api.instead = lambda request: problem(status)
