"""The endpoints for targets that answer later. A caller authenticates with the attempt's own token, not an API token."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from typing import TypeVar

from aws_lambda_powertools.event_handler import Response

from minutehand.domain.errors import FieldProblem, Invalid, NotAllowed
from minutehand.domain.run import Progress, Result, Run, RunError, RunState
from minutehand.domain.run_key import RunKey
from minutehand.entrypoints.api.call import Call, answered
from minutehand.entrypoints.api.documents.requests import RUN_ID, ProgressRequest, ReportRequest
from minutehand.entrypoints.api.documents.run import StandingDocument
from minutehand.entrypoints.api.forms.invalid import read_valid
from minutehand.entrypoints.api.forms.request import has_body, header_of, json_object
from minutehand.entrypoints.api.problems import Unauthenticated
from minutehand.entrypoints.metrics import count_end
from minutehand.usecases.completion import answers
from minutehand.usecases.completion.answers import Speaker
from minutehand.usecases.ports.target import Outcome

_NUMBER = re.compile(r"[1-9][0-9]{0,8}", re.ASCII)
T = TypeVar("T")
_UNNAMED = RunError(type="Failed", message="the target reported a failure without a reason")


def report(call: Call) -> Response[str]:
    """Report that an attempt succeeded or failed."""
    speaker, read = _admitted(call)
    given = _given(call, ReportRequest)
    if given.error is not None and given.state == "succeeded":
        hint = "leave it out, or report the state failed"
        raise Invalid(FieldProblem("error", "an attempt that succeeded has no error", hint))
    run = answers.report(call.ports, speaker, _outcome(given), read=read)
    count_end(run)
    call.log("report", run_id=run.key.run_id, attempt=speaker.attempt, state=run.state.value)
    return _standing(call, run)


def progress(call: Call) -> Response[str]:
    """Report an attempt's progress and extend its lease."""
    speaker, read = _admitted(call)
    given = _progress(_given(call, ProgressRequest))
    if given is None:
        hint = 'write {"percent": 40}, {"text": "2 of 5 files"} or both; to report only that the work continues, use heartbeat'
        raise Invalid(FieldProblem(path="percent", message="percent and text are both missing", hint=hint))
    return _heard(call, speaker, given, read)


def heartbeat(call: Call) -> Response[str]:
    """Extend an attempt's lease, optionally with progress."""
    speaker, read = _admitted(call)
    given = _given(call, ProgressRequest) if has_body(call.event) else ProgressRequest()
    return _heard(call, speaker, _progress(given), read)


def _heard(call: Call, speaker: Speaker, given: Progress | None, read: Run) -> Response[str]:
    run = answers.heartbeat(call.ports, speaker, given, read=read)
    if run.state.finished:  # it was cancelled, and ends now that its target learns of that
        count_end(run)
    return _standing(call, run)


def _admitted(call: Call) -> tuple[Speaker, Run]:
    """The caller and the run, if the token is right. That is judged before the body is read: these routes have no authorizer, so
    anybody can call them."""
    speaker = _speaker(call)
    return speaker, answers.answerable_run(call.ports, speaker)


def _speaker(call: Call) -> Speaker:
    scheme, _, secret = (header_of(call.event, "authorization") or "").strip().partition(" ")
    bearer = secret.strip() if scheme.lower() == "bearer" else ""
    token = (header_of(call.event, "minutehand-token") or "").strip() or bearer
    if not token:
        raise Unauthenticated(
            "send the header 'Minutehand-Token: TOKEN', or 'Authorization: Bearer TOKEN', with the token from the call to the target"
        )
    if not RUN_ID.fullmatch(call.path["run_id"]) or not _NUMBER.fullmatch(call.path["attempt"]):
        # No run can have this id. Answer as to a wrong token, so that the answer does not reveal which runs exist.
        raise NotAllowed(answers.FOREIGN)
    return Speaker(run=RunKey(job=call.key, run_id=call.path["run_id"]), attempt=int(call.path["attempt"]), token=token)


def _given(call: Call, cls: type[T]) -> T:
    return read_valid(json_object(call.event, into="the result"), cls)


def _outcome(given: ReportRequest) -> Outcome:
    body = "" if given.result is None else json.dumps(given.result, ensure_ascii=False, separators=(",", ":"))
    result = Result(type="callback", status=0, body=body)
    if given.state == "succeeded":
        return Outcome(state=RunState.SUCCEEDED, result=result)
    error = given.error
    named = _UNNAMED if error is None else RunError(type=error.type, message=error.message, stack=error.stack)
    return Outcome(state=RunState.FAILED, result=result if body else None, error=named)


def _progress(given: ProgressRequest) -> Progress | None:
    if given.percent is None and given.text is None:
        return None
    return Progress(percent=given.percent, text=given.text or "")


def _standing(call: Call, run: Run) -> Response[str]:
    """Answer a target's report with the state of the run, and whether the target should stop."""
    lease = run.lease_until if not run.state.finished and run.state is not RunState.RETRYING else None
    left = None if lease is None else max(lease - call.ports.clock(), timedelta(0))
    document = StandingDocument(
        state=run.state, cancel=bool(run.cancelled_by), deadline=run.deadline_at, lease_until=lease, lease=left
    )
    return answered(200, document)
