"""Agents function: starts the runs of commands, for agents on machines of their own.

It is invoked for messages of its queue, which it forwards to the queues of pools and nodes; for requests of agents, behind API Gateway's REST
proxy events; and each hour, to remove queues that nobody uses.
"""

from __future__ import annotations

import secrets
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

from minutehand.entrypoints.garbage import collection_paused

with collection_paused():
    from minutehand.domain.deadlines import LEASE_MARGIN, LONGEST_CALL
    from minutehand.domain.run_key import RunKey
    from minutehand.entrypoints import bootstrap, clients
    from minutehand.entrypoints.api.agent_service import AgentService
    from minutehand.entrypoints.api.app import make_app
    from minutehand.entrypoints.api.call import Deployment
    from minutehand.entrypoints.api.callers import principals_of, throttle_of
    from minutehand.entrypoints.api.routes import served_by
    from minutehand.entrypoints.batches import execute_batch, in_shadow, is_called_elsewhere
    from minutehand.entrypoints.metrics import Metric, count, measured
    from minutehand.entrypoints.network import target_terms
    from minutehand.entrypoints.people import people_of
    from minutehand.entrypoints.settings import AGENTS
    from minutehand.entrypoints.telemetry import logger
    from minutehand.entrypoints.tokens import tokens
    from minutehand.targets.callers import CallByType, CallerMakers, load_callers
    from minutehand.usecases.agents.clean_up import clean_up
    from minutehand.usecases.agents.forwarding import Forwarding
    from minutehand.usecases.agents.starting import start
    from minutehand.usecases.running.cancel_watch import Watch
    from minutehand.usecases.running.worker import Worker

    load_callers(AGENTS)  # while the function starts, so that no run waits for imports

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import timedelta

    from aws_lambda_powertools.event_handler import APIGatewayRestResolver
    from aws_lambda_powertools.utilities.typing import LambdaContext

    from minutehand.domain.node import NodeKey
    from minutehand.targets.command.orders import Order
    from minutehand.targets.terms import TargetTerms
    from minutehand.usecases.agents.starting import Started

THREADS = 10
"""Number of threads that handle the messages of a batch, or the attempts of a request; `BatchSize` in the template is the same."""


@cache
def _equipment() -> tuple[CallerMakers, TargetTerms, ThreadPoolExecutor, ThreadPoolExecutor]:
    """What makes orders, the threads in which that is done, and the thread that watches for cancelled runs."""
    given = clients.settings()
    terms = target_terms(given, bootstrap.secrets() if given.secret_prefixes else None)
    return load_callers(AGENTS), terms, ThreadPoolExecutor(max_workers=THREADS), ThreadPoolExecutor(max_workers=1)


@cache
def _app() -> APIGatewayRestResolver:
    given = clients.settings()
    _, _, threads, _ = _equipment()
    return make_app(
        Deployment(
            tokens_of=tokens,
            ports_of=bootstrap.ports,
            nodes_of=bootstrap.nodes,
            service=AgentService(bootstrap.agents, _start, given.region, threads.map),
            throttle=throttle_of(given),
            audit_retention=given.audit_retention,
            people=people_of(given),
            principals=principals_of(given),
        ),
        served_by("Agents"),
    )


@measured
def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Forward a batch of messages, answer one request, or clean up.

    Raises:
        Unavailable: if a store or the queues did not answer for any of the messages, or for the clean-up.
    """
    if "Records" in event:
        return _forward(event, context)
    if "httpMethod" in event:
        return _app().resolve(event, context)
    done = clean_up(bootstrap.nodes(), bootstrap.agents().queues, clients.clock())
    if any(done):
        logger.info("cleaned up", action="clean_up", nodes=done.nodes, pools=done.pools)
    return done._asdict()


def _forward(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    agents = bootstrap.agents()
    forwarding = Forwarding(agents.nodes, agents.queues, bootstrap.ports())
    try:
        worker = _worker(None)._replace(forward=forwarding, spread=forwarding.begin, name=context.aws_request_id)
        return execute_batch(event, worker)
    finally:
        count(Metric.RUNS_WITHOUT_AGENT, forwarding.unserved)


def _start(
    node: NodeKey, session: str, asked: Sequence[tuple[RunKey, int]], tokens: Sequence[str]
) -> Sequence[Started]:
    orders: dict[RunKey, Order] = {}

    def take(order: Order) -> None:
        orders[RunKey(order.job, order.run_id)] = order

    return start(
        asked,
        node,
        session,
        ports=bootstrap.ports(),
        agents=bootstrap.agents(),
        worker=_worker(take),
        orders=orders,
        tokens=tokens,
    )


def _worker(take_order: Callable[[Order], None] | None) -> Worker:
    """A worker that hands on the orders of the attempts that it starts."""
    makers, terms, threads, watcher = _equipment()
    given, ports = clients.settings(), bootstrap.ports()
    return Worker(
        inbox=bootstrap.inbox(given.queue_urls[given.worker]),
        call=CallByType(makers, replace(terms, take_order=take_order)),
        token=lambda: secrets.token_urlsafe(24),
        parallel=threads.map,
        time_left=_enough,
        meter=bootstrap.meter,
        watch=Watch(ports.runs, ports.clock, watcher.submit),
        sleep=time.sleep,
        background=watcher.submit,
        shadow=in_shadow,
        is_called_elsewhere=is_called_elsewhere,
    )


def _enough() -> timedelta:
    """Time for any call: this function only makes orders, however long the commands may take."""
    return LONGEST_CALL + 2 * LEASE_MARGIN
