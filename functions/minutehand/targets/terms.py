"""The terms of a deployment: which targets its jobs may call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from minutehand.targets.http.allow_list import EVERYTHING, AllowList

if TYPE_CHECKING:
    from collections.abc import Callable

    from minutehand.domain.secret_prefixes import SecretPrefix
    from minutehand.targets.command.orders import Order
    from minutehand.usecases.ports.endpoints import Balancing
    from minutehand.usecases.ports.executions import Executions
    from minutehand.usecases.ports.secrets import Secrets


class AwsTerms(NamedTuple):
    """What the jobs of a deployment may reach in AWS. The role of the worker allows no more.

    Attributes:
        arns: patterns of the ARNs that jobs may reach, with IAM's `*` and `?`.
        roles: patterns of the roles that jobs may assume, in the same way.
        tagged: whether jobs may also reach what has the tag `minutehand` with the value `allowed`, whatever its ARN.
        account: the account of the deployment; empty if it is not known.
        region: its region, in the same way.
        queues: the names of its own queues, which no job may reach.
    """

    arns: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    tagged: bool = False
    account: str = ""
    region: str = ""
    queues: frozenset[str] = frozenset()


NOTHING_IN_AWS = AwsTerms()


@dataclass(frozen=True, kw_only=True, slots=True)
class TargetTerms:
    """What the operator of a deployment allows its jobs to call.

    Attributes:
        allow_loopback: whether jobs may call the machine itself; for local stacks and tests.
        allowed: the hosts and networks that jobs may call.
        workers: the workers that the deployment has.
        aws: what jobs may reach in AWS.
        cloud_map: patterns of the namespaces in AWS Cloud Map where jobs may look for endpoints, with IAM's `*` and `?`.
        balancing: makes what calls of jobs with several endpoints need; None for functions that call nothing.
        executions: makes the store of executions that attempts wait for; None for functions that call nothing.
        take_order: takes the order of each attempt of a run with a target of type command, for its agent; None for functions that pass none on.
        secret_prefixes: the secrets that jobs may use, by namespace.
        secrets: reads secrets; None in a function that calls no targets.
    """

    allow_loopback: bool = False
    allowed: AllowList = EVERYTHING
    workers: frozenset[str] = frozenset(("http",))
    aws: AwsTerms = NOTHING_IN_AWS
    secret_prefixes: tuple[SecretPrefix, ...] = ()
    secrets: Secrets | None = None
    cloud_map: tuple[str, ...] = ()
    balancing: Callable[[], Balancing] | None = None
    executions: Callable[[], Executions] | None = None
    take_order: Callable[[Order], None] | None = None


DEFAULT_TERMS = TargetTerms()
