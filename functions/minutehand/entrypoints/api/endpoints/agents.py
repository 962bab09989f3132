"""The API's endpoints for agents: they register as nodes, get orders for the runs whose messages they received, beat and report."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from aws_lambda_powertools.event_handler import Response

from minutehand.domain.declaration.conversion import read_shown
from minutehand.domain.declaration.field import LEFT_OUT, Refused
from minutehand.domain.errors import FieldProblem, Invalid, Unreadable
from minutehand.domain.instants import SECOND
from minutehand.domain.node import BEAT_EVERY, Asked, Node
from minutehand.domain.outcome import ErrorType, Outcome
from minutehand.domain.run import Progress, Result, RunError, RunState
from minutehand.domain.run_key import RunKey
from minutehand.entrypoints.api.call import LARGEST_ANSWER, Call, answered
from minutehand.entrypoints.api.documents.nodes import (
    AttemptNamed,
    AttemptReport,
    BeatDocument,
    BeatRequest,
    CredentialsDocument,
    CredentialsRequest,
    NodeRequest,
    RecordedDocument,
    RecordedReportsDocument,
    RegisteredNodeDocument,
    ReportsRequest,
    RunningAttempt,
    StartDocument,
    StartsDocument,
    StartsRequest,
    check_session,
)
from minutehand.entrypoints.api.documents.requests import ProgressRequest
from minutehand.entrypoints.api.endpoints.nodes import node_document, node_of
from minutehand.entrypoints.api.forms.invalid import name_problem, problems_in, read_valid
from minutehand.entrypoints.api.forms.request import json_object
from minutehand.entrypoints.api.problems import TooLarge, bad_request
from minutehand.entrypoints.metrics import count_end, count_start
from minutehand.usecases.agents import beats, registering, reports
from minutehand.usecases.agents.beats import Running
from minutehand.usecases.agents.reports import Recorded, Report
from minutehand.usecases.completion.answers import Speaker
from minutehand.usecases.operations.at_start import start_for_boot

if TYPE_CHECKING:
    from minutehand.usecases.agents.starting import Started

FINAL = frozenset(("CommandRefused", "UnknownHandler"))
"""Errors after which no attempt follows: the machine's owner does not allow what was ordered, or the agent's app does not have it."""
_UNNAMED = RunError(type="Failed", message="the agent reported a failure without a reason")


def put_node(call: Call) -> Response[str]:
    """Register an agent as a node of a pool. The pool and the node come into being with this."""
    document = json_object(call.event)
    wrong = [found for name in ("namespace", "pool", "node") if (found := name_problem(name, call.path[name]))]
    if problems := [*problems_in(document, NodeRequest), *wrong]:
        raise Invalid(*problems)
    given = read_shown(NodeRequest, document)
    clock = call.ports.clock
    done = registering.register(call.service.agents, node_of(call), given.machine, given.session, clock)
    call.log("register_node", what="node", named=str(done.node.key), host=given.machine.host)
    _start_for_boot(call, done.node, given.boot)
    registered = RegisteredNodeDocument(
        node=node_document(done.node, call),
        pool_queue_url=done.pool_queue,
        inbox_url=done.inbox,
        region=call.service.region,
        beat_every=BEAT_EVERY // SECOND,
    )
    return answered(200, registered)


def _start_for_boot(call: Call, node: Node, boot: str) -> None:
    """Start the jobs of a new boot. A job that cannot be read does not keep the agent from its work; the boot is then not noted."""
    try:
        started = start_for_boot(call.ports, call.service.agents.nodes, node, boot)
    except Unreadable as error:
        call.log("start_for_boot", what="node", named=str(node.key), problem=str(error))
        return
    for run in started:
        call.log("start_for_boot", named=str(run.key.job), node=str(node.key), run_id=run.key.run_id)


def delete_node(call: Call) -> Response[str]:
    """Tell that an agent has ended. Its node and its inbox are kept for a day."""
    session = call.query.get("session", "")
    try:
        check_session(session)
    except Refused as error:
        raise bad_request("session", error.message, error.hint) from None
    registering.leave(call.service.agents.nodes, node_of(call), session)
    call.log("leave_node", what="node", named=str(node_of(call)))
    return answered(204)


def post_credentials(call: Call) -> Response[str]:
    """Get temporary credentials of AWS for the queue of the pool and the inbox of the node. They are valid for 15 minutes."""
    given = read_valid(json_object(call.event), CredentialsRequest)
    found = registering.credentials(call.service.agents, node_of(call), given.session)
    document = CredentialsDocument(
        access_key_id=found.access_key_id,
        secret_access_key=found.secret_access_key,
        session_token=found.session_token,
        expires_at=found.expires_at,
    )
    return answered(200, document)


def post_starts(call: Call) -> Response[str]:
    """Ask to start the runs whose messages an agent received. An order starts an attempt: the agent has to run it."""
    given = read_valid(json_object(call.event, into="another request"), StartsRequest)
    asked = [(RunKey(each.job, each.run_id), each.attempt) for each in given.runs]
    started = call.service.start(node_of(call), given.session, asked, [each.token for each in given.runs])
    for each in started:
        _log_start(call, each)
    items = tuple(_start(each, attempt) for each, (_, attempt) in zip(started, asked, strict=True))
    answer = answered(200, StartsDocument(items=items))
    if len(items) > 1 and len(json.dumps(answer.body)) > LARGEST_ANSWER:
        raise TooLarge("the orders are too large for one answer; ask about fewer runs at once, with the same tokens")
    return answer


def _start(started: Started, attempt: int) -> StartDocument:
    return StartDocument(
        job=started.run.job,
        run_id=started.run.run_id,
        attempt=attempt,
        decision=started.decision,
        order=LEFT_OUT if started.order is None else started.order,
        seconds=LEFT_OUT if started.seconds is None else started.seconds,
    )


def post_beats(call: Call) -> Response[str]:
    """Tell that an agent is alive, and which attempts it runs. That extends the lease of each."""
    given = read_valid(json_object(call.event, into="fewer attempts"), BeatRequest)
    running = [Running(_speaker(each), _progress(each.progress)) for each in given.running]
    parallel = call.service.parallel
    heard = beats.beat(call.ports, call.service.agents.nodes, node_of(call), given.session, running, parallel=parallel)
    unwanted = tuple(
        AttemptNamed(job=each.run.job, run_id=each.run.run_id, attempt=each.attempt) for each in heard.unwanted
    )
    node = heard.node
    document = BeatDocument(
        registered=node is not None,
        unwanted=unwanted,
        asked=Asked.RUN if node is None else node.asked,
        beat_every=BEAT_EVERY // SECOND,
    )
    return answered(200, document)


def post_reports(call: Call) -> Response[str]:
    """Report how attempts ended."""
    given = read_valid(json_object(call.event, into="the results, or send fewer reports"), ReportsRequest)
    wrong = [
        FieldProblem(
            f"reports[{place}].error",
            f"an attempt that {_ended(each)} has no error",
            "leave it out, or report the state failed",
        )
        for place, each in enumerate(given.reports)
        if each.error is not None and each.state != "failed"
    ]
    if wrong:
        raise Invalid(*wrong)
    done = reports.record(
        call.ports, [Report(_speaker(each), _outcome(each), _progress(each.progress)) for each in given.reports]
    )
    for each, recorded in zip(given.reports, done, strict=True):
        _log_report(call, each, recorded)
    return answered(200, RecordedReportsDocument(items=tuple(_recorded(given.reports, done))))


def _recorded(given: Sequence[AttemptReport], done: Sequence[Recorded]) -> list[RecordedDocument]:
    return [
        RecordedDocument(
            job=each.job,
            run_id=each.run_id,
            attempt=each.attempt,
            recorded=recorded.run is not None,
            problem=recorded.problem or None,
        )
        for each, recorded in zip(given, done, strict=True)
    ]


def _speaker(given: RunningAttempt | AttemptReport) -> Speaker:
    return Speaker(RunKey(given.job, given.run_id), given.attempt, given.token)


def _progress(given: ProgressRequest | None) -> Progress | None:
    if given is None or (given.percent is None and given.text is None):
        return None
    return Progress(percent=given.percent, text=given.text or "")


def _outcome(given: AttemptReport) -> Outcome:
    body = "" if given.result is None else json.dumps(given.result, ensure_ascii=False, separators=(",", ":"))
    result = Result(type="command", status=0, body=body)
    if given.state != "failed":
        state = RunState(given.state)
        return Outcome(state, result, final=state is RunState.SKIPPED)
    error = given.error
    named = _UNNAMED if error is None else RunError(type=error.type, message=error.message, stack=error.stack)
    state = RunState.TIMED_OUT if named.type == ErrorType.TIMED_OUT else RunState.FAILED
    return Outcome(state, result if body else None, named, final=named.type in FINAL)


def _ended(given: AttemptReport) -> str:
    return "was skipped" if given.state == "skipped" else given.state


def _log_start(call: Call, started: Started) -> None:
    handled = started.handled
    about: dict[str, Any] = {
        "node": str(node_of(call)),
        "run_id": started.run.run_id,
        "decision": started.decision.value,
    }
    if handled is None:
        about["problem"] = "the run is of another namespace"
    elif handled.problem:
        about["problem"] = handled.problem
    if handled is not None and handled.run is not None:
        if handled.started:
            count_start(handled.run)
        if handled.ended:
            count_end(handled.run)
    call.log("start", named=str(started.run.job), **about)


def _log_report(call: Call, given: AttemptReport, recorded: Recorded) -> None:
    about: dict[str, Any] = {"node": str(node_of(call)), "run_id": given.run_id, "attempt": given.attempt}
    if recorded.run is None:
        about["problem"] = recorded.problem
    else:
        about["state"] = recorded.run.state.value
        count_end(recorded.run)
    call.log("report", named=str(given.job), **about)
