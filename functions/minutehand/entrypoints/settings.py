"""Settings of a Lambda function, read from its environment variables once in each process."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

from minutehand.adapters.sharding import BUCKETS
from minutehand.domain.retention import AUDIT_RETENTION, DEFAULT_RETENTION

SLOW_LANE = "_slow"
"""The end of the name under which `Settings.queue_urls` has the queue of a worker's slow lane."""
DEAD_LETTERS = "_dead_letter"
"""The end of the name of the queue of a worker's dead letters, in the same way."""
_QUEUE_URL = "_QUEUE_URL"
EVERY_STACKS_WORKER = "http"
"""The worker that every stack has; the template adds others if a parameter asks for them."""
AGENTS = "agents"
"""The worker whose runs agents start."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    """What the template configures. Each function gets only the variables that it needs.

    Attributes:
        queue_urls: the queue of each worker, by the worker's name; those of its slow lane and of its dead letters, by the name followed by
            `SLOW_LANE` or `DEAD_LETTERS`.
        watched_queues: all queues of the deployment by such names, for a function that counts their messages and sends none to them.
        worker: the name of the worker that this function is.
        output_bucket: the bucket for outputs that are too long for the table.
        due_shards: number of partitions of the due index. After a change, the sweep moves timers (`usecases/upkeep/reshard.py`).
        tick_share: how many timers one tick reads before it considers to share the rest with further invocations.
        tick_fan_out: maximum number of invocations that share one tick; 1 turns sharing off. If the tick function has reserved
            concurrency, one invocation stays free for the next tick.
        look_ahead: how far ahead of an occurrence its message is sent; at most 15 minutes.
        allow_loopback: whether targets may be on the machine itself; for local stacks only.
        allowed_targets: allow-list of HTTP targets, as text (`AllowList.parse`); empty to allow all.
        aws_target_arns: patterns of the ARNs that jobs may reach in AWS, separated by commas.
        aws_target_roles: patterns of the roles that jobs may assume, in the same way.
        region: the region of the deployment, which Lambda itself tells its functions.
        aws_tagged_targets: whether jobs may also reach what has the tag `minutehand: allowed`.
        cloud_map_namespaces: patterns of the namespaces in AWS Cloud Map where jobs may look for endpoints, separated by commas.
        secret_prefixes: the secrets that jobs may use, as text (`parse_prefixes`); empty for none.
        api_url: address at which targets that answer later reach the API, without a slash at its end; empty if they cannot.
        run_retention: how long runs are kept if their job does not set `retention`.
        audit_retention: how long records of changes are kept.
        shadow: whether no job calls its target.
        drain_function: name of the function that drains dead letters.
        token_rate: requests a second that each token may send to one process of the API; 0 for no limit.
        token_burst: most such requests at once.
        oidc_issuer: the OIDC issuer whose JSON Web Tokens people may use; empty for none.
        oidc_audiences: accepted audiences of these.
        oidc_roles: what the groups of people may do, as text (`parse_role_map`).
        oidc_roles_claim, oidc_name_claim: the claims that name a person's groups, and the person.
        oidc_clock_skew: by how much the issuer's clock may differ from ours.
        iam_roles: what principals of AWS IAM may do, as text (`parse_principals`); empty if the stack has no API for them.
        resource_namespaces: the namespaces in which CloudFormation stacks may manage jobs, or `*` for all.
        agent_queues: what the names of the queues of pools and nodes begin with.
        agent_queue_key: ARN of the KMS key that encrypts them; empty for SQS's own.
        agent_role: ARN of the role whose credentials agents get.
        dead_letters_arn: ARN of the queue of this worker's dead letters.
        admin_token: name of the parameter that holds the admin token.
        admin_token_key: ARN of the KMS key that encrypts this parameter; empty for AWS's own.
    """

    jobs_table: str
    runs_table: str = ""
    queue_urls: Mapping[str, str] = field(default_factory=dict)
    watched_queues: Mapping[str, str] = field(default_factory=dict)
    worker: str = ""
    output_bucket: str = ""
    due_shards: int = 8
    tick_share: int = 4_000
    tick_fan_out: int = 8
    look_ahead: timedelta = timedelta(seconds=120)
    allow_loopback: bool = False
    allowed_targets: str = ""
    aws_target_arns: str = ""
    aws_target_roles: str = ""
    aws_tagged_targets: bool = False
    region: str = ""
    cloud_map_namespaces: str = ""
    secret_prefixes: str = ""
    api_url: str = ""
    run_retention: timedelta = DEFAULT_RETENTION
    audit_retention: timedelta = AUDIT_RETENTION
    shadow: bool = False
    drain_function: str = ""
    token_rate: int = 0
    token_burst: int = 1
    oidc_issuer: str = ""
    oidc_audiences: tuple[str, ...] = ()
    oidc_roles: str = ""
    oidc_roles_claim: str = "groups"
    oidc_name_claim: str = "email"
    oidc_clock_skew: timedelta = timedelta(seconds=60)
    iam_roles: str = ""
    resource_namespaces: tuple[str, ...] = ()
    agent_queues: str = ""
    agent_queue_key: str = ""
    agent_role: str = ""
    dead_letters_arn: str = ""
    admin_token: str = ""
    admin_token_key: str = ""

    @property
    def workers(self) -> frozenset[str]:
        """The names of the workers whose quick lanes this function knows."""
        return frozenset(name for name in self.queue_urls if not name.endswith((SLOW_LANE, DEAD_LETTERS)))

    def page_size(self, shards: int) -> int:
        """How many timers one query of a shard returns, if a tick reads `shards` shards. A tick holds two such pages of each shard.

        After `due_shards` was lowered, a tick reads more than `due_shards` shards until all timers have moved.
        """
        return max(1, self.tick_share // max(shards, self.due_shards))

    @property
    def packed_page_size(self) -> int:
        """How many due timers a page of a bucket has. A tick holds up to two such pages of each bucket besides those of the shards."""
        return max(1, self.tick_share // BUCKETS)

    @classmethod
    def read(cls, environment: Mapping[str, str]) -> Settings:
        """Read the settings from environment variables. A setting whose variable is not set has its default.

        Raises:
            KeyError: when JOBS_TABLE is missing.
            ValueError: when a number is not one, or the look-ahead is longer than a message can be delayed.
        """
        given: dict[str, Any] = {
            name: read(environment[variable])
            for name, (variable, read) in _VARIABLES.items()
            if variable in environment
        }
        settings = cls(
            jobs_table=environment["JOBS_TABLE"],
            queue_urls={
                variable.removesuffix(_QUEUE_URL).lower(): url
                for variable, url in environment.items()
                if variable.endswith(_QUEUE_URL)
            },
            **given,
        )
        if not timedelta(0) < settings.look_ahead <= timedelta(minutes=15):
            raise ValueError(f"LOOK_AHEAD_SECONDS is {settings.look_ahead.total_seconds():.0f}; give 1 to 900")
        reserved = int(environment.get("TICK_RESERVED", "0"))
        return replace(
            settings,
            tick_fan_out=min(settings.tick_fan_out, max(reserved - 1, 1)) if reserved else settings.tick_fan_out,
            # `{api}` in the address is replaced by the API's id, which is not known before the stack is deployed.
            api_url=settings.api_url.replace("{api}", environment.get("API_ID", "")).rstrip("/"),
        )


def _listed(text: str) -> tuple[str, ...]:
    return tuple(filter(None, text.split(",")))


def _is_true(text: str) -> bool:
    return text.lower() == "true"


_VARIABLES: Mapping[str, tuple[str, Callable[[str], object]]] = {
    "runs_table": ("RUNS_TABLE", str),
    "watched_queues": ("WATCHED_QUEUES", lambda text: dict(each.split("=", 1) for each in text.split())),
    "worker": ("WORKER", str),
    "output_bucket": ("OUTPUT_BUCKET", str),
    "due_shards": ("DUE_SHARDS", int),
    "tick_share": ("TICK_SHARE", int),
    "tick_fan_out": ("TICK_FAN_OUT", int),
    "look_ahead": ("LOOK_AHEAD_SECONDS", lambda text: timedelta(seconds=int(text))),
    "allow_loopback": ("ALLOW_LOOPBACK", _is_true),
    "allowed_targets": ("ALLOWED_TARGETS", str),
    "aws_target_arns": ("AWS_TARGET_ARNS", str),
    "aws_target_roles": ("AWS_TARGET_ROLES", str),
    "aws_tagged_targets": ("AWS_TAGGED_TARGETS", _is_true),
    "region": ("AWS_REGION", str),
    "cloud_map_namespaces": ("CLOUD_MAP_NAMESPACES", str),
    "secret_prefixes": ("SECRET_PREFIXES", str),
    "api_url": ("API_URL", str),
    "run_retention": ("RUN_RETENTION_DAYS", lambda text: timedelta(days=int(text))),
    "audit_retention": ("AUDIT_RETENTION_DAYS", lambda text: timedelta(days=int(text))),
    "shadow": ("SHADOW", _is_true),
    "drain_function": ("DRAIN_FUNCTION", str),
    "token_rate": ("TOKEN_RATE", int),
    "token_burst": ("TOKEN_BURST", int),
    "oidc_issuer": ("OIDC_ISSUER", str),
    "oidc_audiences": ("OIDC_AUDIENCE", _listed),
    "oidc_roles": ("OIDC_ROLES", str),
    "oidc_roles_claim": ("OIDC_ROLES_CLAIM", str),
    "oidc_name_claim": ("OIDC_NAME_CLAIM", str),
    "oidc_clock_skew": ("OIDC_CLOCK_SKEW_SECONDS", lambda text: timedelta(seconds=int(text))),
    "iam_roles": ("IAM_ROLES", str),
    "resource_namespaces": ("RESOURCE_NAMESPACES", _listed),
    "agent_queues": ("AGENT_QUEUES", str),
    "agent_queue_key": ("AGENT_QUEUE_KEY", str),
    "agent_role": ("AGENT_ROLE", str),
    "dead_letters_arn": ("DEAD_LETTERS_ARN", str),
    "admin_token": ("ADMIN_TOKEN", str),
    "admin_token_key": ("ADMIN_TOKEN_KEY", str),
}
"""The settings that one environment variable sets, each with that variable and the function that parses its text."""
