"""Units that AWS bills, and amounts of them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import Enum
from typing import NamedTuple

MONTH = timedelta(hours=730)
"""AWS's month: a twelfth of 8,760 hours."""
YEAR = 12 * MONTH
MILLION = 1_000_000
GB = 2**30
"""Bytes of what AWS bills as a GB of storage or logs."""
_LAST = datetime.max.replace(tzinfo=UTC, microsecond=0)


def later(start: datetime, span: timedelta) -> datetime:
    """An instant (aware) plus a span, but not later than the last instant that Python can express."""
    return start + span if start < _LAST - span else _LAST


class Priced(NamedTuple):
    """A billed unit: its AWS service, its name, and the quantity (`per`) for which its price is given."""

    service: str
    called: str
    per: int = 1


class Unit(Enum):
    """Billed units; a member's name in lower case is its key in a price file."""

    DYNAMODB_WRITE = Priced("DynamoDB", "write request units", MILLION)
    DYNAMODB_READ = Priced("DynamoDB", "read request units", MILLION)
    DYNAMODB_STORAGE = Priced("DynamoDB", "storage, GB")
    DYNAMODB_RECOVERY = Priced("DynamoDB", "point-in-time recovery, GB")
    SQS_CALL = Priced("SQS", "calls", MILLION)
    LAMBDA_REQUEST = Priced("Lambda", "requests", MILLION)
    LAMBDA_GB_SECOND = Priced("Lambda", "GB-seconds, arm64", MILLION)
    LOGS_INGESTED = Priced("CloudWatch", "logs taken in, GB")
    METRIC = Priced("CloudWatch", "custom metrics")
    ALARM = Priced("CloudWatch", "alarms")
    API_REQUEST = Priced("API Gateway", "requests, REST", MILLION)
    S3_PUT = Priced("S3", "PUT requests", MILLION)
    S3_STORAGE = Priced("S3", "storage, GB")
    SCHEDULER_INVOCATION = Priced("EventBridge Scheduler", "invocations", MILLION)
    STATE_TRANSITION = Priced("Step Functions", "state transitions, Standard", MILLION)
    T4G_SMALL_HOUR = Priced("EC2", "t4g.small, hours")
    GP3_STORAGE = Priced("EBS", "gp3, GB")
    PUBLIC_IPV4_HOUR = Priced("VPC", "public IPv4 address, hours")

    @property
    def key(self) -> str:
        """The unit's key in a price file."""
        return self.name.lower()


@dataclass(frozen=True)
class Usage:
    """Monthly amounts by unit; a missing unit is not used."""

    amounts: Mapping[Unit, float] = field(default_factory=dict)

    def __add__(self, other: "Usage") -> "Usage":
        return total([self, other])

    def of(self, unit: Unit) -> float:
        """The amount of one unit; 0 if it is not used."""
        return self.amounts.get(unit, 0.0)


def total(usages: list[Usage]) -> Usage:
    """The sum of usages, unit by unit."""
    sums: dict[Unit, float] = {}
    for usage in usages:
        for unit, amount in usage.amounts.items():
            sums[unit] = sums.get(unit, 0.0) + amount
    return Usage({unit: sums[unit] for unit in Unit if unit in sums})
