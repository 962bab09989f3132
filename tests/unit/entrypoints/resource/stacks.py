"""CloudFormation over the resource function and stores in memory: it sends events as the protocol says."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from minutehand.adapters.memory import MemoryStackAnswers, MemoryState
from minutehand.domain.actor import Actor
from minutehand.domain.definition import Definition
from minutehand.domain.job_key import JobKey
from minutehand.entrypoints.resource.requests import Deployment, answer
from minutehand.usecases.definitions import manage
from tests.support.memory_ports import memory_ports

NOON = datetime(2026, 11, 20, 12, 0, 30, tzinfo=UTC)
HOURLY = {
    "ServiceToken": "arn:aws:lambda:eu-west-1:111122223333:function:minutehand-ResourceFunction",
    "namespace": "shop",
    "name": "report",
    "schedule": "0 * * * *",
    "target": {"type": "http", "url": "https://example.com/hook"},
}
_REQUESTS = itertools.count(1)


def texts(value: Any) -> Any:
    """Properties as CloudFormation passes them: numbers and booleans are texts."""
    if isinstance(value, Mapping):
        return {name: texts(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [texts(inner) for inner in value]
    return value if isinstance(value, str) else json.dumps(value)


@dataclass
class Region:
    """A region with Minutehand's stack, whose parameter ResourceNamespaces allows some namespaces."""

    state: MemoryState = field(default_factory=MemoryState)
    namespaces: tuple[str, ...] = ("shop", "ops")
    now: datetime = NOON

    def __post_init__(self) -> None:
        self.ports = memory_ports(self.state, lambda: self.now)
        self.answers: Any = MemoryStackAnswers(self.state)

    def deployment(self) -> Deployment:
        return Deployment(ports=self.ports, answers=self.answers, namespaces=self.namespaces)

    def job(self, name: str = "report") -> Definition | None:
        """A job of the namespace `shop`; None if there is none."""
        key = JobKey("shop", name)
        found = self.ports.definitions.get([key]).get(key)
        return None if found is None or found.deleted else found

    def labels(self, name: str = "report") -> dict[str, str]:
        found = self.job(name)
        return dict(found.job.labels) if found else {}

    def schedule(self, name: str = "report") -> Any:
        found = self.job(name)
        return found and found.job.schedule

    def delete_by_hand(self, name: str = "report") -> None:
        manage.delete(self.ports, JobKey("shop", name), who=Actor("ada"))


@dataclass
class Resource:
    """A resource of a stack, as CloudFormation keeps it.

    Attributes:
        tried: the properties of the last update, refused ones included.
        last: the last event.
    """

    region: Region
    stack: str = "web"
    logical: str = "Report"
    physical: str = ""
    properties: dict[str, Any] = field(default_factory=dict)
    tried: dict[str, Any] = field(default_factory=dict)
    last: dict[str, Any] = field(default_factory=dict)

    def event(self, kind: str, properties: Mapping[str, Any], **more: Any) -> dict[str, Any]:
        event = {
            "RequestType": kind,
            "ResponseURL": "https://example.com/answer",
            "StackId": f"arn:aws:cloudformation:eu-west-1:111122223333:stack/{self.stack}/1a2b3c4d",
            "RequestId": f"request-{next(_REQUESTS)}",
            "ResourceType": "Custom::MinutehandJob",
            "LogicalResourceId": self.logical,
            "ResourceProperties": texts(properties),
        }
        return event | ({"PhysicalResourceId": self.physical} if self.physical else {}) | more

    def send(self, event: dict[str, Any]) -> dict[str, str]:
        """Send an event; returns the answer."""
        self.last = event
        return answer(event, self.region.deployment)

    def create(self, **changes: Any) -> dict[str, str]:
        self.properties = texts(HOURLY | changes)
        answered = self.send(self.event("Create", self.properties))
        self.physical = answered["PhysicalResourceId"]
        return answered

    def update(self, **changes: Any) -> dict[str, str]:
        """An update to these properties. A replacement leaves the old job to `clean_up`."""
        return self._change(texts(HOURLY | changes))

    def roll_back(self) -> dict[str, str]:
        """The rollback of the last update, whether that succeeded or not."""
        _, properties = self.previous
        return self._change(properties)

    def _change(self, wanted: dict[str, Any]) -> dict[str, str]:
        answered = self.send(self.event("Update", wanted, OldResourceProperties=self.tried or self.properties))
        self.previous, self.tried = (self.physical, self.properties), wanted
        if answered["Status"] == "SUCCESS":
            self.physical, self.properties = answered["PhysicalResourceId"], wanted
        return answered

    def clean_up(self) -> dict[str, str]:
        """The deletion of what the last update, or its rollback, has replaced."""
        physical, properties = self.previous
        assert physical != self.physical, "nothing was replaced"
        return self.send(self.event("Delete", properties, PhysicalResourceId=physical))

    def delete(self) -> dict[str, str]:
        return self.send(self.event("Delete", self.properties))
