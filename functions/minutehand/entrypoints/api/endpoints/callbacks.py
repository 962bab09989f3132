"""The endpoints for targets that answer later. Nobody vouches for their callers: they show the token of the attempt itself."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import timedelta
from typing import Any, TypeVar

from aws_lambda_powertools.event_handler import Response
from pydantic import BaseModel, ValidationError

from minutehand.domain.errors import FieldProblem, Invalid, NotAllowed
from minutehand.domain.instants import to_text
from minutehand.domain.run import Progress, Result, Run, RunError, RunKey, RunState
from minutehand.entrypoints.api.call import Call, Endpoint, answered
from minutehand.entrypoints.api.forms.callback import ErrorForm, ProgressForm, ReportForm
from minutehand.entrypoints.api.forms.invalid import Forms, problems_of
from minutehand.entrypoints.api.forms.reading import RUN_ID, has_body, json_object
from minutehand.entrypoints.api.problems import Unauthenticated
from minutehand.usecases.completion import answers
from minutehand.usecases.completion.answers import Speaker
from minutehand.usecases.ports.target import Outcome

Form = TypeVar("Form", bound=BaseModel)

_ATTEMPT = "/v1/callbacks/{namespace}/{name}/{run_id}/{attempt}"
_NUMBER = re.compile(r"[1-9][0-9]{0,8}", re.ASCII)
_REPORT = Forms(by_place={(): ReportForm, ("error",): ErrorForm})
_PROGRESS = Forms(by_place={(): ProgressForm})
_UNNAMED = RunError(type="Failed", message="the target reported a failure, and did not say why")


def report(call: Call) -> Response[str]:
    """End an attempt as its target says."""
    speaker = _speaker(call)
    given = _read(call, ReportForm, _REPORT)
    if given.error is not None and given.state == "succeeded":
        raise Invalid(
            FieldProblem(
                path="error", message="what has succeeded has no error", hint="leave it out, or report the state failed"
            )
        )
    run = answers.report(call.ports, speaker, _outcome(given))
    call.log("report", run_id=run.key.run_id, attempt=speaker.attempt, state=run.state.value)
    return _standing(call, run)


def progress(call: Call) -> Response[str]:
    """Say how far an attempt is, and so that its target is alive."""
    speaker = _speaker(call)
    given = _progress(_read(call, ProgressForm, _PROGRESS))
    if given is None:
        hint = 'write {"percent": 40}, {"text": "2 of 5 files"} or both; to say no more than that the work goes on, use heartbeat'
        raise Invalid(FieldProblem(path="percent", message="neither percent nor text says how far it is", hint=hint))
    return _standing(call, answers.heartbeat(call.ports, speaker, given))


def heartbeat(call: Call) -> Response[str]:
    """Say that an attempt's target is alive; how far it is may be said along with it."""
    speaker = _speaker(call)
    said = _read(call, ProgressForm, _PROGRESS) if has_body(call.event) else ProgressForm()
    return _standing(call, answers.heartbeat(call.ports, speaker, _progress(said)))


def _speaker(call: Call) -> Speaker:
    token = _token(call.event)
    if not RUN_ID.fullmatch(call.run_id) or not _NUMBER.fullmatch(call.attempt):
        # Such a run cannot be; that is told as if it were there, and the token wrong.
        raise NotAllowed(answers.FOREIGN)
    return Speaker(run=RunKey(job=call.key, run_id=call.run_id), attempt=int(call.attempt), token=token)


def _token(event: Mapping[str, Any]) -> str:
    headers = {name.lower(): str(value) for name, value in (event.get("headers") or {}).items()}
    scheme, _, secret = headers.get("authorization", "").strip().partition(" ")
    token = headers.get("minutehand-token", "").strip() or (secret.strip() if scheme.lower() == "bearer" else "")
    if not token:
        raise Unauthenticated(
            "send the header 'Minutehand-Token: TOKEN', or 'Authorization: Bearer TOKEN', with the token that the call came with"
        )
    return token


def _read(call: Call, form: type[Form], forms: Forms) -> Form:
    document = json_object(call.event, into="the result")
    try:
        return form.model_validate(document)
    except ValidationError as error:
        raise Invalid(*problems_of(error, forms)) from None


def _outcome(given: ReportForm) -> Outcome:
    body = "" if given.result is None else json.dumps(given.result, ensure_ascii=False, separators=(",", ":"))
    result = Result(type="callback", status=0, body=body)
    if given.state == "succeeded":
        return Outcome(state=RunState.SUCCEEDED, result=result)
    error = _UNNAMED if given.error is None else RunError(type=given.error.type, message=given.error.message)
    return Outcome(state=RunState.FAILED, result=result if body else None, error=error)


def _progress(given: ProgressForm) -> Progress | None:
    if given.percent is None and given.text is None:
        return None
    return Progress(percent=given.percent, text=given.text or "")


def _standing(call: Call, run: Run) -> Response[str]:
    """How the run stands, and whether its target is to stop."""
    lease = run.lease_until if not run.state.finished and run.state is not RunState.RETRYING else None
    left = None if lease is None else max((lease - call.ports.clock()) // timedelta(milliseconds=1), 0)
    return answered(
        200,
        {
            "state": run.state.value,
            "cancel": bool(run.cancelled_by),
            "deadline": to_text(run.deadline_at) if run.deadline_at else None,
            "lease_until": to_text(lease) if lease else None,
            "lease_ms": left,
        },
    )


CALLBACKS = tuple(
    Endpoint(method="POST", path=f"{_ATTEMPT}/{say.__name__}", role=None, answer=say)
    for say in (report, progress, heartbeat)
)
