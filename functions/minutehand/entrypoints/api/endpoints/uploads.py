"""The endpoint by which agents upload logs."""

from __future__ import annotations

from aws_lambda_powertools.event_handler import Response

from minutehand.domain.attempt_log import LONGEST_PART
from minutehand.domain.errors import FieldProblem, Invalid
from minutehand.domain.instants import SECOND
from minutehand.domain.run_key import RunKey
from minutehand.entrypoints.api.call import Call, answered
from minutehand.entrypoints.api.documents.uploads import UploadDocument, UploadsDocument, UploadsRequest
from minutehand.entrypoints.api.endpoints.nodes import node_of
from minutehand.entrypoints.api.forms.invalid import read_valid
from minutehand.entrypoints.api.forms.request import json_object
from minutehand.usecases.agents.uploads import Wanted, allow
from minutehand.usecases.completion.answers import Speaker


def post_uploads(call: Call) -> Response[str]:
    """Get URLs to upload parts of the logs of attempts, or wholes, straight to S3; also for a day after an attempt has ended."""
    call.service  # noqa: B018 - refuses where the stack serves no agents
    given = read_valid(json_object(call.event, into="fewer uploads"), UploadsRequest).uploads
    if wrong := [
        FieldProblem(f"uploads[{place}].bytes", f"a part has {LONGEST_PART:,} bytes at most", "send smaller parts")
        for place, each in enumerate(given)
        if each.part is not None and each.bytes > LONGEST_PART
    ]:
        raise Invalid(*wrong)
    wanted = [
        Wanted(Speaker(RunKey(each.job, each.run_id), each.attempt, each.token), each.part, each.bytes)
        for each in given
    ]
    allowed = allow(call.ports, call.namespace, wanted)
    for each, answer in zip(given, allowed.items, strict=True):
        if answer.problem:
            node = str(node_of(call))
            call.log(
                "refuse_upload",
                named=str(each.job),
                problem=answer.problem,
                node=node,
                run_id=each.run_id,
                attempt=each.attempt,
            )
    items = tuple(
        UploadDocument(
            job=each.job,
            run_id=each.run_id,
            attempt=each.attempt,
            url=answer.url or None,
            problem=answer.problem or None,
        )
        for each, answer in zip(given, allowed.items, strict=True)
    )
    return answered(200, UploadsDocument(items=items, every=allowed.every // SECOND))
