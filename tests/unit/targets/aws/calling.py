"""Calls of targets in AWS by the product's own callers, over boto3's clients with recorded answers.

The answers are those of AWS's API references, and of the examples in its guides.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import boto3
from botocore.stub import Stubber

from minutehand.adapters.memory import MemoryExecutions, MemoryState
from minutehand.domain.job_key import JobKey
from minutehand.domain.run import Run
from minutehand.domain.run_key import RunKey
from minutehand.targets import TYPES
from minutehand.targets.aws.caller import AwsCaller
from minutehand.targets.aws.clients import Clients
from minutehand.targets.terms import AwsTerms, TargetTerms
from minutehand.usecases.ports.executions import Executions
from minutehand.usecases.ports.target import Call, Outcome, ParentResult

ACCOUNT = "111122223333"
NOW = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
ANYTHING = AwsTerms(arns=("arn:*",), roles=("arn:*",))
RUN = "20261120T090000Z"
Answer = dict[str, Any] | Exception


def arn(service: str, resource: str, region: str = "eu-west-1") -> str:
    return f"arn:aws:{service}:{region}:{ACCOUNT}:{resource}"


def a_call(
    payload: Any = None,
    *,
    attempt: int = 1,
    timeout: float = 10,
    callback_url: str = "https://api.test/v1/callbacks/shop/report/20261120T090000Z/1",
    parents: tuple[ParentResult, ...] = (),
    cancelled: Callable[[], bool] = lambda: False,
    job: JobKey = JobKey(namespace="shop", name="report"),  # noqa: B008 - it is frozen
) -> Call:
    run = Run(
        key=RunKey.scheduled(job, NOW),
        target="lambda",
        revision=1,
        claimed_at=NOW,
        expires_at=NOW + timedelta(days=30),
        attempt=attempt,
    )
    return Call(
        run=run,
        payload=payload,
        timeout=timedelta(seconds=timeout),
        deadline=NOW + timedelta(hours=1),
        attempts_left=2,
        token="the-attempts-own",
        callback_url=callback_url,
        parents=parents,
        cancelled=cancelled,
    )


class Recorded:
    """Clients that give recorded answers, and keep the requests.

    Attributes:
        requests: each as the name of its operation and its parameters.
        clients: each client that was made, as the service and what was given for it.
    """

    def __init__(self, **answers: Answer | list[Answer]) -> None:
        """Args: the answers by operation, as `send_message`; an exception is raised, and an `Error` answered."""
        self._answers = {name: given if isinstance(given, list) else [given] for name, given in answers.items()}
        self.requests: list[tuple[str, dict[str, Any]]] = []
        self.clients: list[tuple[str, dict[str, Any]]] = []

    def make(self, service: str, **given: Any) -> Any:
        self.clients.append((service, given))
        keys = {"aws_access_key_id": "test", "aws_secret_access_key": "test", "region_name": "us-east-1"}
        client = boto3.client(service, **(keys | given))
        stubber = Stubber(client)
        for operation, answers in self._answers.items():
            if operation not in client.meta.method_to_api_mapping:
                continue
            for answer in answers:
                if isinstance(answer, Exception):
                    _raise_instead(client, answer)
                elif "Error" in answer:
                    error = answer["Error"]
                    stubber.add_client_error(operation, error["Code"], error["Message"], answer.get("Status", 400))
                else:
                    stubber.add_response(operation, answer)
        client.meta.events.register(
            "provide-client-params.*.*", lambda params, model, **_: self.requests.append((model.name, dict(params)))
        )
        stubber.activate()
        return client

    @property
    def request(self) -> dict[str, Any]:
        """The parameters of the only request to the target."""
        [(_, params)] = [one for one in self.requests if one[0] != "AssumeRole"]
        return params


def _raise_instead(client: Any, error: Exception) -> None:
    def fail(**_: Any) -> None:
        raise error

    client.meta.events.register_first("before-parameter-build.*.*", fail)


def make_call(
    kind: str,
    recorded: Recorded,
    call: Call,
    terms: AwsTerms = ANYTHING,
    now: Callable[[], datetime] = lambda: NOW,
    executions: Executions | None = None,
    **fields: Any,
) -> Outcome:
    """Call a target of a type with these fields."""
    return caller(kind, recorded, terms, now, executions)(TYPES[kind].fields(**fields), call)


def caller(
    kind: str,
    recorded: Recorded,
    terms: AwsTerms = ANYTHING,
    now: Callable[[], datetime] = lambda: NOW,
    executions: Executions | None = None,
) -> AwsCaller:
    """The caller of a type, with recorded answers."""
    made = TYPES[kind].load_caller()
    store = executions or MemoryExecutions(MemoryState())
    found = made(TargetTerms(aws=terms, executions=lambda: store))
    assert isinstance(found, AwsCaller)
    found._clients = Clients(recorded.make, now)
    return found


def error(code: str, message: str = "as AWS says", status: int = 400) -> Answer:
    """The answer of an error."""
    return {"Error": {"Code": code, "Message": message}, "Status": status}
