"""AWS's published limits, each with its page, as read in November 2026; some copies were older.

Quotas that can be raised are an account's defaults. Nothing here is measured or estimated.
"""

from __future__ import annotations

from typing import NamedTuple


class Limit(NamedTuple):
    """A limit of AWS.

    Attributes:
        value: in `unit`.
        source: the title of the page.
        raised: how to raise it; empty for a fixed limit.
    """

    name: str
    value: float
    unit: str
    source: str
    raised: str = ""


_QUOTAS = "DynamoDB Developer Guide, *Quotas in Amazon DynamoDB*"
_WARM = "DynamoDB Developer Guide, *Understanding DynamoDB warm throughput*"
_SCENARIOS = "DynamoDB Developer Guide, *Understanding DynamoDB warm throughput in different scenarios*"
_SPLITS = (
    "AWS Database Blog, *Scaling DynamoDB: How partitions, hot keys, and split for heat impact performance*, part 3"
)
_POLLERS = "Lambda Developer Guide, *Configuring scaling behavior for SQS event source mappings*"
_LAMBDA = "Lambda Developer Guide, *Understanding Lambda function scaling*"
_SQS = "SQS Developer Guide, *Amazon SQS standard queue quotas*"

PARTITION_WRITES = Limit("writes of one partition", 1_000, "WCU/s", _SCENARIOS)
PARTITION_READS = Limit("reads of one partition", 3_000, "RCU/s", _SCENARIOS)
PARTITION_SIZE = Limit("size of one partition", 10, "GB", _SPLITS, "split by DynamoDB itself")
NEW_WRITES = Limit("writes of a new on-demand table or index", 4_000, "WCU/s", _SCENARIOS, "warm throughput")
NEW_READS = Limit("reads of a new on-demand table or index", 12_000, "RCU/s", _SCENARIOS, "warm throughput")
GROWTH = Limit("growth of an on-demand table", 2, "times its peak in 30 minutes", _WARM, "warm throughput")
TABLE_WRITES = Limit("writes of an on-demand table, and of each index", 40_000, "WCU/s", _QUOTAS, "quota")
TABLE_READS = Limit("reads of an on-demand table, and of each index", 40_000, "RCU/s", _QUOTAS, "quota")
QUERY_SIZE = Limit("data read by one query", 1, "MB", _QUOTAS)
STATEMENTS = Limit(
    "statements in a batch",
    25,
    "statements",
    "DynamoDB Developer Guide, *Running batch operations with PartiQL for DynamoDB*",
)
MESSAGES = Limit("messages in a batch", 10, "messages", "SQS Developer Guide, *Amazon SQS message quotas*")
IN_FLIGHT = Limit("messages in flight of a standard queue, about", 120_000, "messages", _SQS, "quota")
DELAY = Limit("longest delay of a message", 900, "s", _SQS)
POLLERS_AT_REST = Limit("concurrent batches when a queue wakes up", 5, "batches", _POLLERS, "provisioned mode")
POLLERS_GROWTH = Limit("added concurrent batches a minute", 300, "batches/min", _POLLERS, "provisioned mode")
POLLERS_MOST = Limit("concurrent batches of one mapping", 1_250, "batches", _POLLERS, "provisioned mode")
PROVISIONED_BATCHES = Limit("concurrent batches of each provisioned poller", 10, "batches", _POLLERS, "more pollers")
PROVISIONED_POLLS = Limit("calls of the queue by each provisioned poller", 10, "calls/s", _POLLERS, "more pollers")
PROVISIONED_GROWTH = Limit("added concurrent batches a minute, provisioned mode", 1_000, "batches/min", _POLLERS)
CONCURRENCY = Limit("concurrent functions of an account", 1_000, "invocations", _LAMBDA, "quota")
CONCURRENCY_GROWTH = Limit(
    "new environments of a function", 1_000, "each 10 s", "Lambda Developer Guide, *Lambda scaling behavior*"
)
FULL_CPU = Limit(
    "memory of a function with one whole processor",
    1_769,
    "MB",
    "Lambda Developer Guide, *Configure Lambda function memory*",
)
FUNCTION_TIME = Limit("longest time of a function", 900, "s", "Lambda Developer Guide, *Lambda quotas*")
API_RATE = Limit(
    "requests to all APIs of an account",
    10_000,
    "requests/s",
    "API Gateway Developer Guide, *Amazon API Gateway quotas*",
    "quota",
)
LOG_CALLS = Limit(
    "PutLogEvents of an account", 5_000, "calls/s", "CloudWatch Logs User Guide, *CloudWatch Logs quotas*", "quota"
)

ALL = tuple(value for value in vars().values() if isinstance(value, Limit))
"""In the order above."""
