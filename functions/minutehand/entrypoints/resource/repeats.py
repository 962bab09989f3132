"""Requests that CloudFormation or Lambda repeats, and updates that are rolled back although they changed nothing."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from datetime import timedelta
from typing import Any, NamedTuple

from minutehand.domain.errors import MinutehandError
from minutehand.entrypoints.telemetry import logger
from minutehand.usecases.ports.stack_answers import StackAnswers
from minutehand.usecases.ports.stores import Clock

_KEPT = timedelta(days=1)
"""How long answers are kept; CloudFormation takes no answer after an hour, the most that ServiceTimeout allows."""


class Repeats(NamedTuple):
    """What an event repeats or undoes. Without the store, the event is handled as if it did neither."""

    event: Mapping[str, Any]
    answers: StackAnswers
    clock: Clock

    def answered(self) -> dict[str, str] | None:
        """The answer that this request got before; None for a new request."""
        text = self._get(self._request)
        found: dict[str, str] | None = None if text is None else json.loads(text)
        return found

    def answer(self, answered: Mapping[str, str]) -> None:
        """Store the answer to this request."""
        self._put(self._request, json.dumps(answered))

    def undoes_nothing(self) -> bool:
        """Whether this update rolls back the resource's last one, which was refused."""
        return self._get(self._resource) == self._change(back=True)

    def refused(self) -> None:
        """Remember that this update was refused."""
        self._put(self._resource, self._change())

    def succeeded(self) -> None:
        """Forget the resource's last refused update, if there is one."""
        if self._get(self._resource):
            self._put(self._resource, "")

    @property
    def _request(self) -> str:
        return self._digest("StackId", "LogicalResourceId", "RequestId", "RequestType")

    @property
    def _resource(self) -> str:
        return self._digest("StackId", "LogicalResourceId")

    def _change(self, *, back: bool = False) -> str:
        names = ("OldResourceProperties", "ResourceProperties")
        return self._digest(*(reversed(names) if back else names))

    def _digest(self, *names: str) -> str:
        return hashlib.sha256(json.dumps([self.event.get(name) for name in names], sort_keys=True).encode()).hexdigest()

    def _get(self, digest: str) -> str | None:
        try:
            return self.answers.get(digest)
        except MinutehandError as error:
            logger.warning("answers cannot be read", action="answer", error=str(error))
            return None

    def _put(self, digest: str, text: str) -> None:
        try:
            self.answers.put(digest, text, expires_at=self.clock() + _KEPT)
        except MinutehandError as error:
            logger.warning("answers cannot be stored", action="answer", error=str(error))
