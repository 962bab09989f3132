"""A run whose target answers later, and the address of its callbacks."""

from __future__ import annotations

from datetime import timedelta

from minutehand.domain.job_key import JobKey
from minutehand.domain.run import Attempt, Run, RunState
from minutehand.domain.run_key import RunKey
from minutehand.domain.token import attempt_nonce
from tests.unit.api.conftest import NOON

TOKEN = "the-attempts-own-token"
RUN_ID = "20261120T120000Z"
RUN = f"/v1/callbacks/demo/heartbeat/{RUN_ID}"
ATTEMPT = f"{RUN}/2"
WAITING = Run(
    key=RunKey(JobKey("demo", "heartbeat"), RUN_ID),
    target="http",
    revision=1,
    claimed_at=NOON,
    expires_at=NOON + timedelta(days=30),
    state=RunState.WAITING,
    attempt=2,
    nonce=attempt_nonce(TOKEN),
    started_at=NOON,
    lateness=timedelta(0),
    lease_until=NOON + timedelta(seconds=30),
    deadline_at=NOON + timedelta(hours=1),
    attempts=(Attempt(1, "w", attempt_nonce("older"), NOON, NOON, RunState.FAILED, None),),
)
