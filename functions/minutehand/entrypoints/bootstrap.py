"""Composition root: builds the ports of the use cases (stores, queue, clock) from the settings."""

from __future__ import annotations

from datetime import timedelta
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING

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
from minutehand.adapters.sqs import SqsInbox, SqsOutbox
from minutehand.entrypoints.clients import clock, dynamodb, dynamodb_at_once, s3, service_discovery, settings, sqs
from minutehand.entrypoints.settings import DEAD_LETTERS, EVERY_STACKS_WORKER, SLOW_LANE
from minutehand.usecases.ports.bundle import Ports

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from aws_lambda_powertools.utilities.typing import LambdaContext
    from mypy_boto3_dynamodb import DynamoDBClient

    from minutehand.adapters.dead_letters import SqsDeadLetters
    from minutehand.adapters.dynamodb.calls.metering import DynamoMeter
    from minutehand.domain.run import Run
    from minutehand.usecases.ports.audits import Audits
    from minutehand.usecases.ports.endpoints import Balancing
    from minutehand.usecases.ports.executions import Executions
    from minutehand.usecases.ports.nodes import Agents, Nodes
    from minutehand.usecases.ports.queues import Queues
    from minutehand.usecases.ports.run_lists import RunLists
    from minutehand.usecases.ports.secrets import Secrets

_METER_LOCK = Lock()


def time_left(context: LambdaContext) -> Callable[[], timedelta]:
    """A function that returns the time left of this invocation."""
    return lambda: timedelta(milliseconds=context.get_remaining_time_in_millis())


@cache
def ports(shards_to_read: int = 0) -> Ports:
    """The ports of the use cases, implemented with DynamoDB and SQS.

    Args:
        shards_to_read: how many shards a tick reads at once. The more, the smaller its pages of timers, which bounds its memory.
            Other functions leave it out.
    """
    given = settings()
    jobs, runs, shards = given.jobs_table, given.runs_table, given.due_shards
    return Ports(
        timers=DynamoTimers(
            dynamodb(),
            jobs,
            shards=shards,
            page_size=given.page_size(shards_to_read),
            packed_page_size=given.packed_page_size,
        ),
        definitions=DynamoDefinitions(dynamodb(), jobs, shards=shards),
        runs=DynamoRuns(dynamodb(), runs, jobs_table=jobs, shards=shards),
        outputs=DynamoOutputs(dynamodb(), runs, S3Texts(s3, given.output_bucket)),
        calendars=DynamoCalendars(dynamodb(), jobs),
        permits=DynamoPermits(dynamodb(), jobs),
        backfills=DynamoBackfills(dynamodb(), jobs, shards=shards),
        spreads=DynamoSpreads(dynamodb(), runs),
        namespaces=DynamoNamespaces(dynamodb(), jobs),
        sweeps=DynamoSweeps(dynamodb(), jobs),
        outbox=SqsOutbox(sqs(), queue_of, clock=clock, slow_queue_of=slow_queue_of),
        clock=clock,
        look_ahead=given.look_ahead,
        tell_end=_tell_end,
        audit_retention=given.audit_retention,
        shadow=given.shadow,
    )


def _tell_end(run: Run) -> None:
    from minutehand.entrypoints.metrics import count_end  # noqa: PLC0415 - few runs are on several nodes
    from minutehand.entrypoints.telemetry import logger  # noqa: PLC0415 - few runs are on several nodes

    count_end(run)
    logger.info(
        "ended on its nodes",
        action="join",
        job=str(run.key.job),
        run_id=run.key.run_id,
        state=run.state.value,
        attempt=run.attempt,
    )


def queue_of(target: str) -> str | None:
    """The URL of the queue for a type of target: that of the worker which calls such targets. None if this function sends nothing there."""
    known = settings().queue_urls
    return known.get(worker_of(target, known))


def slow_queue_of(target: str) -> str | None:
    """As `queue_of`, for the slow lane. None also if this function sends to the quick lane only."""
    known = settings().queue_urls
    return known.get(worker_of(target, known) + SLOW_LANE)


def worker_of(target: str, known: Mapping[str, str]) -> str:
    """The name of the worker that gets the runs with a type of target; empty for an unknown type.

    If the stack does not have the type's own worker, its runs go to the worker that every stack has, which records that. They would
    otherwise wait for ever.

    Args:
        known: the queues that the function knows, by their workers (`Settings.queue_urls`).
    """
    if target in known:  # a worker of the same name calls it
        return target
    from minutehand.targets import TYPES  # noqa: PLC0415 - 5 ms, and the tick needs no target's fields

    if target not in TYPES:
        return ""
    own = TYPES[target].worker
    return own if own in known else EVERY_STACKS_WORKER


def meter() -> DynamoMeter:
    """The meter of this process's DynamoDB client. The first thread that needs it creates it: two would count each call twice."""
    with _METER_LOCK:
        return _meter()


@cache
def _meter() -> DynamoMeter:
    from minutehand.adapters.dynamodb.calls.metering import DynamoMeter  # noqa: PLC0415 - takes 2 ms, and few jobs set record_units

    return DynamoMeter(dynamodb())


@cache
def balancing() -> Balancing:
    """What calls of jobs with several endpoints need. Calls can do without an answer, so its client waits only briefly."""
    from minutehand.adapters.dynamodb.calls.metering import DynamoMeter  # noqa: PLC0415 - only such jobs need it

    client = dynamodb_at_once()
    DynamoMeter(client)
    return _balancing(client)


@cache
def endpoint_stores() -> Balancing:
    """The same for the API."""
    return _balancing(dynamodb())


def _balancing(client: DynamoDBClient) -> Balancing:
    from minutehand.adapters.cloud_map import CloudMap  # noqa: PLC0415 - few jobs have several endpoints
    from minutehand.adapters.dynamodb.balances import DynamoBalances  # noqa: PLC0415
    from minutehand.adapters.dynamodb.services import DynamoServices  # noqa: PLC0415
    from minutehand.usecases.ports.endpoints import Balancing  # noqa: PLC0415

    table = settings().jobs_table
    return Balancing(DynamoBalances(client, table), DynamoServices(client, table), CloudMap(service_discovery), clock)


@cache
def audits() -> Audits:
    """The records of changes."""
    from minutehand.adapters.dynamodb.audits import DynamoAudits  # noqa: PLC0415 - only the API reads them

    return DynamoAudits(dynamodb(), settings().jobs_table)


@cache
def run_lists() -> RunLists:
    """The lists of runs across jobs, for the API."""
    from minutehand.adapters.dynamodb.run_lists import DynamoRunLists  # noqa: PLC0415 - only the API lists runs

    return DynamoRunLists(dynamodb(), settings().runs_table)


@cache
def queues() -> Queues:
    """The depths of all queues, for the API."""
    from minutehand.adapters.queue_depths import SqsQueues  # noqa: PLC0415 - only one route of the API counts messages

    return SqsQueues(sqs(), settings().watched_queues)


@cache
def nodes() -> Nodes:
    """The agents that serve pools."""
    from minutehand.adapters.dynamodb.nodes import DynamoNodes  # noqa: PLC0415 - few stacks have agents

    return DynamoNodes(dynamodb(), settings().jobs_table)


@cache
def agents() -> Agents:
    """What the function that serves agents needs besides."""
    from minutehand.adapters import pool_queues  # noqa: PLC0415 - only one function serves agents
    from minutehand.entrypoints.clients import is_emulated, sts  # noqa: PLC0415
    from minutehand.usecases.ports.nodes import Agents  # noqa: PLC0415

    given = settings()
    naming = pool_queues.Naming(
        prefix=given.agent_queues,
        sibling_url=given.queue_urls[given.worker],
        dead_letters_arn=given.dead_letters_arn,
        key=given.agent_queue_key,
    )
    actions = (*pool_queues.ACTIONS, *(pool_queues.OF_EMULATORS if is_emulated("STS") else ()))
    issuer = pool_queues.StsCredentialIssuer(sts, naming, given.agent_role, actions=actions)
    return Agents(nodes(), pool_queues.SqsPoolQueues(sqs(), naming), issuer)


@cache
def executions() -> Executions:
    """The executions whose ends attempts wait for."""
    from minutehand.adapters.dynamodb.executions import DynamoExecutions  # noqa: PLC0415 - few jobs wait for executions

    return DynamoExecutions(dynamodb(), settings().runs_table)


@cache
def secrets() -> Secrets:
    """The secrets that the targets of jobs name."""
    from minutehand.adapters.secret_cache import SecretCache  # noqa: PLC0415 - few stacks have secrets
    from minutehand.adapters.secret_stores import AwsSecretStores  # noqa: PLC0415
    from minutehand.entrypoints.clients import secrets_manager, ssm  # noqa: PLC0415

    return SecretCache(AwsSecretStores(ssm, secrets_manager))


@cache
def inbox(queue: str) -> SqsInbox:
    """An SQS queue from which this worker receives messages, by its URL."""
    return SqsInbox(sqs(), queue)


@cache
def dead_letters() -> Sequence[SqsDeadLetters]:
    """The dead-letter queues of all workers that this function knows."""
    from minutehand.adapters.dead_letters import SqsDeadLetters  # noqa: PLC0415 - neither tick nor worker needs it

    urls = settings().queue_urls
    return [SqsDeadLetters(sqs(), url) for name, url in sorted(urls.items()) if name.endswith(DEAD_LETTERS)]
