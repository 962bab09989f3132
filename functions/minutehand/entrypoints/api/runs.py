"""The endpoints of runs."""

from __future__ import annotations

from aws_lambda_powertools.event_handler import Response

from minutehand.domain.errors import Invalid, NotFound
from minutehand.domain.run import Run, RunKey
from minutehand.domain.token import Role
from minutehand.entrypoints.api.call import Call, Endpoint, answered
from minutehand.entrypoints.api.problems import BadRequest
from minutehand.entrypoints.api.reading import RUN_ID, idempotency_key, limit_of, number_of
from minutehand.entrypoints.api.render_run import details, run_document, shown_document
from minutehand.entrypoints.api.requests import TriggerRequest, read_request
from minutehand.usecases.ports import Payload
from minutehand.usecases.show_output import show_output
from minutehand.usecases.trigger import trigger

_RUNS = "/v1/namespaces/{namespace}/jobs/{name}/runs"


def trigger_job(call: Call) -> Response[str]:
    """Run a job now, once per idempotency key, with another payload where one is given."""
    key = idempotency_key(call.event)
    asked = read_request(call.event, TriggerRequest)
    triggered = trigger(
        call.world,
        call.key,
        idempotency_key=key,
        payload=Payload(asked.payload) if "payload" in asked.model_fields_set else None,
        ignore_overlap=asked.ignore_overlap,
    )
    if triggered.created:
        call.log("trigger", run_id=triggered.run.key.run_id)
    return _whole(call, triggered.run, 202 if triggered.created else 200)


def list_runs(call: Call) -> Response[str]:
    """A job's runs, newest first; also those that a deleted job left."""
    limit = limit_of(call.query, 20)
    try:
        page = call.world.runs.page(call.key, limit, call.query.get("cursor"))
    except Invalid as error:
        raise BadRequest(*error.problems) from None
    if not page.items and call.key not in call.world.definitions.get([call.key]):
        raise NotFound(f"there is no job {call.key}, and there never was one")
    return answered(200, {"items": [run_document(run) for run in page.items], "next": page.next})


def get_run(call: Call) -> Response[str]:
    """A run, with its result or error at full length, or the end of what is too long."""
    return _whole(call, _run(call), 200)


def get_output(call: Call) -> Response[str]:
    """What an attempt of a run answered, whole."""
    run = _run(call)
    attempt = number_of(call.query, "attempt", max(run.attempt, 1), "no number of an attempt")
    shown = show_output(call.world.outputs, run, attempt)
    return answered(200, shown_document(run, shown))


def _run(call: Call) -> Run:
    key = RunKey(job=call.key, run_id=call.run_id)
    run = call.world.runs.get([key]).get(key) if RUN_ID.fullmatch(call.run_id) else None
    if run is None:
        raise NotFound(f"there is no run {call.run_id!r:.80} of job {call.key}, or its retention is over")
    return run


def _whole(call: Call, run: Run, status: int) -> Response[str]:
    output = call.world.outputs.get(run.key, run.attempt) if run.detailed else None
    return answered(status, run_document(run) | details(run, output))


RUNS = (
    Endpoint(
        method="POST",
        path="/v1/namespaces/{namespace}/jobs/{name}/trigger",
        role=Role.OPERATOR,
        answer=trigger_job,
    ),
    Endpoint(method="GET", path=_RUNS, role=Role.VIEWER, answer=list_runs, query=frozenset(("limit", "cursor"))),
    Endpoint(method="GET", path=f"{_RUNS}/{{run_id}}", role=Role.VIEWER, answer=get_run),
    Endpoint(
        method="GET",
        path=f"{_RUNS}/{{run_id}}/output",
        role=Role.VIEWER,
        answer=get_output,
        query=frozenset(("attempt",)),
    ),
)
