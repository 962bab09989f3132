"""Two ways to run the functions without one action of their roles, on the tables and queues of one deployed stack.

`DeployedRunner` invokes the deployed functions: the emulator authorizes each call by the live role, but batch calls by its own action names. So
`InProcessRunner` calls the same handlers in this process, and authorizes each of their calls as AWS documents it.
"""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from typing import Any, NamedTuple, Protocol

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError
from localstack.clients import Clients
from localstack.workspace import StackInfo

from minutehand.adapters.dynamodb.backfills import DynamoBackfills
from minutehand.adapters.dynamodb.calendars import DynamoCalendars
from minutehand.adapters.dynamodb.definitions import DynamoDefinitions
from minutehand.adapters.dynamodb.namespaces import DynamoNamespaces
from minutehand.adapters.dynamodb.outputs import DynamoOutputs
from minutehand.adapters.dynamodb.permits import DynamoPermits
from minutehand.adapters.dynamodb.runs import DynamoRuns
from minutehand.adapters.dynamodb.spreads import DynamoSpreads
from minutehand.adapters.dynamodb.sweeps import DynamoSweeps
from minutehand.adapters.dynamodb.timers import DynamoTimers
from minutehand.adapters.s3 import S3Texts
from minutehand.adapters.sqs import SqsOutbox
from minutehand.entrypoints import (
    access,
    agents,
    api,
    authorizer,
    bootstrap,
    clients,
    drain,
    observer,
    resource,
    seed,
    sharding,
    sweep,
    tick,
    tokens,
    worker,
)
from minutehand.targets import TYPES
from minutehand.targets.http.endpoint_fields import CloudMap
from minutehand.usecases.ports.bundle import Ports
from tests.privilege.needs import TELLS_MISSING, needs
from tests.privilege.policy import Grant, refused
from tests.privilege.targets import PARAMETERS, make_targets, register_in_cloud_map

_CONFIG = Config(proxies={}, retries={"total_max_attempts": 1}, read_timeout=60, inject_host_prefix=False)
_HANDLERS = {
    "Tick": tick.handler,
    "HttpWorker": worker.handler,
    "AwsWorker": worker.handler,
    "Drain": drain.handler,
    "Sweep": sweep.handler,
    "Observer": observer.handler,
    "Api": api.handler,
    "Authorizer": authorizer.handler,
    "Seed": seed.handler,
    "Access": access.handler,
    "Agents": agents.handler,
    "Resource": resource.handler,
}
_WORKERS = {"HttpWorker": "http", "AwsWorker": "aws", "Agents": "agents"}
_CACHES = [
    cached
    for module in (
        bootstrap,
        clients,
        sharding,
        tick,
        worker,
        drain,
        sweep,
        observer,
        api,
        authorizer,
        seed,
        access,
        agents,
        resource,
        tokens,
    )
    for cached in vars(module).values()
    if hasattr(cached, "cache_clear")
]


class Lanes(NamedTuple):
    """The URLs of a worker's queues."""

    quick: str
    slow: str | None
    dead_letters: str

    @classmethod
    def of(cls, record: StackInfo, worker: str) -> Lanes:
        """Those of a worker, by the outputs of the stack."""
        found = (record.outputs.get(f"{worker.title()}{name}Url") for name in ("Queue", "SlowQueue", "DeadLetterQueue"))
        quick, slow, dead_letters = found
        assert quick
        assert dead_letters
        return cls(quick, slow, dead_letters)


class Bench:
    """Clients and adapters of the stack with all permissions, to prepare and check exercises."""

    def __init__(self, record: StackInfo) -> None:
        self.record = record
        self._clients: list[Any] = []
        self.session = boto3.Session(aws_access_key_id="test", aws_secret_access_key="test", region_name=record.region)
        self.dynamodb = self.client("dynamodb")
        self.sqs = self.client("sqs")
        self.s3 = self.client("s3")
        self.ssm = self.client("ssm")
        self.secrets_manager = self.client("secretsmanager")
        jobs, runs = record.jobs_table, record.runs_table
        self.queues = {worker: Lanes.of(record, worker) for worker in ("http", "aws", "agents")}
        deployed = self.client("lambda").get_function_configuration(FunctionName=record.outputs["AgentsFunction"])
        self.of_agents: dict[str, str] = {
            name: deployed["Environment"]["Variables"][name]
            for name in ("AGENT_QUEUES", "AGENT_ROLE", "DEAD_LETTERS_ARN")
        }
        self.targets = make_targets(self.client)
        self.ports = Ports(
            timers=DynamoTimers(self.dynamodb, jobs),
            definitions=DynamoDefinitions(self.dynamodb, jobs),
            runs=DynamoRuns(self.dynamodb, runs, jobs_table=jobs),
            outputs=DynamoOutputs(self.dynamodb, runs, S3Texts(lambda: self.s3, record.outputs["OutputBucket"])),
            calendars=DynamoCalendars(self.dynamodb, jobs),
            permits=DynamoPermits(self.dynamodb, jobs),
            backfills=DynamoBackfills(self.dynamodb, jobs),
            spreads=DynamoSpreads(self.dynamodb, runs),
            namespaces=DynamoNamespaces(self.dynamodb, jobs),
            sweeps=DynamoSweeps(self.dynamodb, jobs),
            outbox=SqsOutbox(self.sqs, self._queue_of, clock=clients.clock),
            clock=clients.clock,
            look_ahead=timedelta(seconds=120),
        )

    def _queue_of(self, target: str) -> str:
        return self.queues[TYPES[target].worker].quick

    def in_cloud_map(self) -> CloudMap:
        """A new service in Cloud Map, whose instance is the echo service. A worker remembers what it found."""
        return register_in_cloud_map(self.client, self.record.echo_url)

    def has_admin_token(self) -> bool:
        """Whether the parameter with the first token exists."""
        return bool(self.ssm.get_parameters(Names=[self.record.outputs["AdminTokenParameter"]])["Parameters"])

    def client(self, service: str, config: Config | None = None, **given: Any) -> Any:
        """A client of one of the stack's services."""
        merged = _CONFIG if config is None else config.merge(_CONFIG)
        client = self.session.client(service, endpoint_url=self.record.endpoint_url, config=merged, **given)
        self._clients.append(client)
        return client

    def close(self) -> None:
        """Close all clients."""
        for client in self._clients:
            client.close()


class FunctionRunner(Protocol):
    """Runs functions with their role, or with the role minus one action."""

    def invoke(self, role: str, event: Any) -> Any:
        """A function's answer; after a failure, an object with `errorMessage`."""

    def without(self, grant: Grant) -> Any:
        """A context in which a role lacks one action of one statement."""

    def as_agent(self, credentials: Mapping[str, str]) -> Any:
        """A context with a client of SQS that has the credentials of an agent."""


class DeployedRunner:
    """Runs the deployed functions, authorized by the emulator."""

    def __init__(self, record: StackInfo) -> None:
        self._outputs = record.outputs
        self._clients = Clients(record.endpoint_url)

    def invoke(self, role: str, event: Any) -> Any:
        answer = self._clients.functions.invoke(
            FunctionName=self._outputs[f"{role}Function"], Payload=json.dumps(event).encode()
        )
        return json.loads(answer["Payload"].read() or b"null")

    @contextmanager
    def as_agent(self, credentials: Mapping[str, str]) -> Iterator[Any]:
        client = boto3.client(
            "sqs",
            endpoint_url=self._clients.endpoint_url,
            region_name="us-east-1",
            aws_access_key_id=credentials["access_key_id"],
            aws_secret_access_key=credentials["secret_access_key"],
            aws_session_token=credentials["session_token"],
            config=_CONFIG,
        )
        try:
            yield client
        finally:
            client.close()

    @contextmanager
    def without(self, grant: Grant) -> Iterator[None]:
        function = self._outputs[f"{grant.role}Function"]
        name = self._clients.functions.get_function_configuration(FunctionName=function)["Role"].rpartition("/")[2]
        [policy] = [
            policy
            for policy in self._clients.iam.list_role_policies(RoleName=name)["PolicyNames"]
            if policy == "least-privilege"
        ]
        before: Any = self._clients.iam.get_role_policy(RoleName=name, PolicyName=policy)["PolicyDocument"]
        put = partial(self._clients.iam.put_role_policy, RoleName=name, PolicyName=policy)
        put(PolicyDocument=json.dumps(_less(before, grant)))
        try:
            yield
        finally:
            put(PolicyDocument=json.dumps(before))


def _less(document: Mapping[str, Any], grant: Grant) -> dict[str, Any]:
    statements = []
    for statement in document["Statement"]:
        actions = [statement["Action"]] if isinstance(statement["Action"], str) else list(statement["Action"])
        if statement["Sid"] == grant.sid:
            actions.remove(grant.action)
        if actions:
            statements.append(statement | {"Action": actions})
    return dict(document) | {"Statement": statements}


class InProcessRunner:
    """Runs the handlers in this process, authorized as AWS documents it.

    Attributes:
        calls: every call, as role, service and operation.
    """

    def __init__(self, bench: Bench, granted: list[Grant]) -> None:
        self._bench = bench
        self._granted = granted
        self._role = ""
        self._lacking: Grant | None = None
        self.calls: set[tuple[str, str, str]] = set()
        outputs = bench.record.outputs
        self._named = {
            bench.record.jobs_table: "JobsTableArn",
            bench.record.runs_table: "RunsTableArn",
            outputs["OutputBucket"]: "OutputObjectsArn",
            outputs["AdminTokenParameter"]: "AdminTokenArn",
            **bench.targets.named,
        }
        for kind, lanes in bench.queues.items():
            for name, url in zip(("Queue", "SlowQueue", "DeadLetterQueue"), lanes, strict=True):
                if url is not None:
                    self._named[url] = f"{kind.title()}{name}Arn"
        self._named[bench.of_agents["AGENT_ROLE"]] = "AgentRole"

    @contextmanager
    def ready(self) -> Iterator[InProcessRunner]:
        """A context in which handlers use the stack; their caches are empty afterwards."""
        self._bench.session.events.register("provide-client-params.*.*", self._authorize)
        record = self._bench.record
        environment = {
            "JOBS_TABLE": record.jobs_table,
            "RUNS_TABLE": record.runs_table,
            "OUTPUT_BUCKET": record.outputs["OutputBucket"],
            "DRAIN_FUNCTION": record.outputs["DrainFunction"],
            "AWS_TARGET_ARNS": PARAMETERS["AwsTargetArns"],
            "AWS_TARGET_ROLES": PARAMETERS["AwsTargetRoles"],
            "AWS_TAGGED_TARGETS": PARAMETERS["AwsTaggedTargets"],
            "SECRET_PREFIXES": PARAMETERS["SecretPrefixes"],
            "RESOURCE_NAMESPACES": PARAMETERS["ResourceNamespaces"],
            "ADMIN_TOKEN": record.outputs["AdminTokenParameter"],
            "CLOUD_MAP_NAMESPACES": PARAMETERS["CloudMapNamespaces"],
            "ALLOW_LOOPBACK": "true",
        }
        for kind, lanes in self._bench.queues.items():
            for name, url in zip(("QUEUE_URL", "SLOW_QUEUE_URL", "DEAD_LETTER_QUEUE_URL"), lanes, strict=True):
                if url is not None:
                    environment[f"{kind.upper()}_{name}"] = url
        environment |= self._bench.of_agents
        environment["WATCHED_QUEUES"] = " ".join(
            f"{kind}{lane}={url}"
            for kind, lanes in self._bench.queues.items()
            for lane, url in zip(("", "_slow", "_dead_letter"), lanes, strict=True)
            if url is not None
        )
        with pytest.MonkeyPatch.context() as patch:
            self._patch = patch
            for name, value in environment.items():
                patch.setenv(name, value)
            patch.setattr(boto3, "client", self._bench.client)
            self._clear_caches()
            try:
                yield self
            finally:
                self._clear_caches()

    @staticmethod
    def _clear_caches() -> None:
        for cache in _CACHES:
            cache.cache_clear()

    def invoke(self, role: str, event: Any) -> Any:
        self._role = role
        if role in _WORKERS and _WORKERS[role] != os.environ.get("WORKER"):
            self._patch.setenv("WORKER", _WORKERS[role])
            self._clear_caches()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # Powertools warns of a batch without metrics
                return _HANDLERS[role](event, _Context())
        except Exception as error:  # noqa: BLE001 - Lambda answers with any error
            return {"errorType": type(error).__name__, "errorMessage": str(error)}
        finally:
            self._role = ""

    @contextmanager
    def as_agent(self, credentials: Mapping[str, str]) -> Iterator[Any]:
        self._role = "Agent"
        try:
            yield self._bench.client("sqs")
        finally:
            self._role = ""

    @contextmanager
    def without(self, grant: Grant) -> Iterator[None]:
        self._lacking = grant
        try:
            yield
        finally:
            self._lacking = None

    def _authorize(self, params: dict[str, Any], model: Any, **_: Any) -> None:
        """Refuse a call that AWS would refuse. The bench's own calls are not checked."""
        if not self._role:
            return
        service, operation = model.service_model.service_name, model.name
        self.calls.add((self._role, service, operation))
        allowed = [grant for grant in self._granted if grant.role == self._role and grant != self._lacking]
        operation_needs, to_tell = TELLS_MISSING
        if operation == operation_needs and refused([to_tell], allowed) and self._is_missing(params):
            raise ClientError({"Error": {"Code": "AccessDenied", "Message": "Access Denied"}}, operation)
        if denied := refused(needs(service, operation, params, self._named), allowed):
            wanted = ", ".join(f"{need.action} {need.resource} {need.key}" for need in denied)
            message = f"{self._role}Role may not {wanted}"
            raise ClientError({"Error": {"Code": "AccessDeniedException", "Message": message}}, operation)

    def _is_missing(self, params: dict[str, Any]) -> bool:
        """Whether the requested object does not exist."""
        try:
            self._bench.s3.head_object(Bucket=params["Bucket"], Key=params["Key"])
        except ClientError:
            return True
        return False


class _Context:
    """The part of a Lambda context that handlers use."""

    aws_request_id = "request"
    function_name = memory_limit_in_mb = function_version = invoked_function_arn = log_group_name = ""

    @staticmethod
    def get_remaining_time_in_millis() -> int:
        return 600_000
