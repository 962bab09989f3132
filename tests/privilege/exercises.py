"""For each function, and for the role of agents: an exercise that gives it every kind of its work and reports which effects it had."""

from __future__ import annotations

from collections.abc import Callable

from tests.privilege.functions.access import access
from tests.privilege.functions.agents import agent, agents
from tests.privilege.functions.api import api
from tests.privilege.functions.authorizer import authorizer
from tests.privilege.functions.aws_worker import aws_worker
from tests.privilege.functions.drain import drain
from tests.privilege.functions.http_worker import http_worker
from tests.privilege.functions.observer import observer
from tests.privilege.functions.resource import resource
from tests.privilege.functions.seed import seed
from tests.privilege.functions.sweep import sweep
from tests.privilege.functions.tick import tick
from tests.privilege.scene import Scene
from tests.privilege.setups import Effects

EXERCISES: dict[str, Callable[[Scene], Effects]] = {
    "Tick": tick,
    "HttpWorker": http_worker,
    "AwsWorker": aws_worker,
    "Drain": drain,
    "Sweep": sweep,
    "Observer": observer,
    "Api": api,
    "Authorizer": authorizer,
    "Seed": seed,
    "Access": access,
    "Resource": resource,
    "Agents": agents,
    "Agent": agent,
}
