"""The endpoints about a deployment itself: its health, its state and its shards."""

from __future__ import annotations

from aws_lambda_powertools.event_handler import Response

import minutehand
from minutehand.adapters.sharding import BUCKETS
from minutehand.domain.errors import MinutehandError
from minutehand.entrypoints.api.call import Call, answered
from minutehand.entrypoints.api.documents.service import (
    DiagnosisDocument,
    HealthDocument,
    OverdueDocument,
    QueueDocument,
    ShardsDocument,
    TroubleDocument,
)
from minutehand.schedule import TZDATA_VERSION
from minutehand.schedule.zones import rules_digest
from minutehand.usecases.queries.diagnosis import diagnose


def health(call: Call) -> Response[str]:  # noqa: ARG001 - every endpoint is given its call
    """Check that the API answers, without reading a table."""
    return answered(200, HealthDocument(status="ok", version=minutehand.__version__))


def get_diagnosis(call: Call) -> Response[str]:
    """Get the state of the deployment: its clock, last tick, overdue timers, queues and time zone data."""
    troubles: list[TroubleDocument] = []
    state, read = None, 0
    try:
        shards = call.deployment.shards_of()
        state, read = shards.state.value, shards.read
    except MinutehandError as error:
        troubles.append(TroubleDocument(part="shards", problem=str(error)))
    found = diagnose(call.ports, call.queues, shards=read, buckets=BUCKETS)
    renewal, overdue = found.renewal, found.overdue
    return answered(
        200,
        DiagnosisDocument(
            now=found.now,
            version=minutehand.__version__,
            tzdata=TZDATA_VERSION,
            zone_rules=rules_digest(),
            renewed_for=None if renewal is None else renewal.version,
            renewed=renewal is not None and renewal.done,
            last_tick=found.last_tick,
            swept_until=found.swept_until,
            shards=state,
            overdue=overdue and OverdueDocument(timers=overdue.timers, more=overdue.more, oldest=overdue.oldest),
            queues=tuple(
                QueueDocument(name=each.name, waiting=each.waiting, delayed=each.delayed, in_flight=each.in_flight)
                for each in found.queues
            ),
            troubles=(*troubles, *(TroubleDocument(part=part, problem=problem) for part, problem in found.troubles)),
        ),
    )


def get_shards(call: Call) -> Response[str]:
    """Get the number of timer shards, and the progress of a change of that number."""
    found = call.deployment.shards_of()
    return answered(
        200,
        ShardsDocument(
            shards=found.setting,
            read=found.read,
            state=found.state.value,
            left=found.left,
            empty_since=found.empty_since,
        ),
    )
