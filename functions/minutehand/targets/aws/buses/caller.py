"""Put an event on an EventBridge bus."""

from __future__ import annotations

from typing import Any

from minutehand.domain.run import Result, RunState
from minutehand.targets.aws.buses.fields import EventBridgeTarget
from minutehand.targets.aws.caller import Service
from minutehand.targets.aws.content import content_of, written
from minutehand.targets.aws.failures import Failure, refused
from minutehand.usecases.ports.target import Call, Outcome


def put(client: Any, target: EventBridgeTarget, call: Call) -> Outcome:
    """Put one event. EventBridge answers 200 also if it rejects the event, and says so in the entry.

    Raises:
        Failure: when the payload is no object, or the event was rejected.
    """
    detail = content_of(call, target.send)
    if not isinstance(detail, dict):
        raise Failure(
            "InvalidRequest",
            "an event's detail is a JSON object, and the run's payload is none; make the payload an object, or set target.send to run",
            final=True,
        )
    event = {
        "EventBusName": target.bus,
        "Source": target.source,
        "DetailType": target.detail_type,
        "Detail": written(detail),
        "Time": call.run.scheduled_for,
    }
    answer = client.put_events(Entries=[event])
    [entry] = answer["Entries"]
    status = answer["ResponseMetadata"]["HTTPStatusCode"]
    if entry.get("ErrorCode"):
        result = Result(type="eventbridge", status=status, body=written(entry))
        what = f"events PutEvents of {target.bus}"
        raise refused(entry["ErrorCode"], entry.get("ErrorMessage", ""), what=what, result=result)
    body = written({"event_id": entry["EventId"]})
    return Outcome(RunState.SUCCEEDED, result=Result(type="eventbridge", status=status, body=body))


CALLER = Service("events", "PutEvents", put)
