"""An attempt that waits for a handler's report, on the product's own API."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from minutehand.domain.run import Run, RunState
from minutehand.domain.token import attempt_nonce
from tests.support.api_server import NOW, TARGET, ApiServer

TOKEN = "the-attempts-own"
RUN_ID = "20261120T080000Z"


class Waiting:
    """A run of `demo/copy`, whose first attempt waits for its answer."""

    def __init__(self, api: ApiServer) -> None:
        self.api = api
        self.callback = {"url": f"{api.url}/v1/callbacks/demo/copy/{RUN_ID}/1", "token": TOKEN}
        api.add_job("demo/copy", target=TARGET | {"mode": "callback", "heartbeat": "90s"}, timeout="1h")
        self.key = api.add_run(
            "demo/copy",
            RUN_ID,
            "waiting",
            attempt=1,
            nonce=attempt_nonce(TOKEN),
            lease_until=NOW + timedelta(seconds=90),
            deadline_at=NOW + timedelta(hours=1),
        )

    @property
    def run(self) -> Run:
        return self.api.state.runs[self.key]

    @property
    def state(self) -> RunState:
        return self.run.state

    @property
    def shown(self) -> dict[str, Any]:
        """The run as the API shows it."""
        return self.api.runs("demo/copy")[RUN_ID]

    @property
    def said(self) -> list[str]:
        """What was sent about the attempt, in order."""
        return [each.path.rpartition("/")[2] for each in self.api.requests if "/callbacks/" in each.path]

    def event(self, payload: Any = None, **fields: Any) -> dict[str, Any]:
        """The event by which a Lambda function gets it."""
        document = {
            "job": "demo/copy",
            "run_id": RUN_ID,
            "attempt": 1,
            "scheduled_for": "2026-11-20T08:00:00Z",
            "deadline": "2126-11-20T09:00:00Z",
            "payload": payload,
            "callback": self.callback,
        }
        return document | fields

    def headers(self, *, later: bool = True) -> dict[str, str]:
        """The headers by which a web service gets it."""
        headers = {
            "Minutehand-Job": "demo/copy",
            "Minutehand-Run-Id": RUN_ID,
            "Minutehand-Attempt": "1",
            "Minutehand-Scheduled-For": "2026-11-20T08:00:00Z",
            "Authorization": "Bearer s3cret",
        }
        address = {"Minutehand-Callback-Url": self.callback["url"], "Minutehand-Token": TOKEN}
        return headers | (address if later else {})
