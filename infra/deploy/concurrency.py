"""The account's concurrency, which limits how many workers may run at once.

Lambda counts all functions of an account and region together: 1,000 concurrent executions by default, but 10 or 50 in new accounts.
Workers that took all of them would leave none for the tick and the API.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import boto3
from botocore import exceptions

from infra.deploy.account import CONFIG

QUICK, SLOW, AWS = "WorkerMaxConcurrency", "SlowWorkerMaxConcurrency", "AwsWorkerMaxConcurrency"
"""The parameters that limit the workers of the two lanes, and those of each lane of targets in AWS."""
OTHERS = 5
"""Executions that are left to the tick, the sweep, the drain, the API and the authorizer."""
AGENTS = 10
"""Executions that are left to the function `agents`, which handles messages; the template has the same number."""
FEWEST = 2
"""Fewest workers to which a lane can be limited; a limit of Lambda."""
SLOW_SHARE = 3
"""One in so many workers is left to the slow lane where both lanes have to give up some."""
_A_POLLER = 10
"""Concurrent workers for each provisioned poller; a limit of Lambda."""


class Room(NamedTuple):
    """The parameters to deploy with, and lines for the user."""

    parameters: dict[str, str]
    lines: tuple[str, ...] = ()


def make_room(session: boto3.Session, region: str, template: Mapping[str, Any], given: Mapping[str, str]) -> Room:
    """Limit the workers to what the account leaves them. If its limit cannot be read, the parameters stay as given.

    Both limits are always among the parameters: a deployment keeps the value that the stack has for a parameter it does not name, so a
    lowered limit would outlast a raised quota.
    """
    values = {name: str(one["Default"]) for name, one in template["Parameters"].items()} | dict(given)
    try:
        limits = session.client("lambda", region_name=region, config=CONFIG).get_account_settings()["AccountLimit"]
        quota, free = int(limits["ConcurrentExecutions"]), int(limits["UnreservedConcurrentExecutions"])
    except (exceptions.BotoCoreError, exceptions.ClientError) as error:
        return Room(dict(given), (f"unknown: {error}", _unchanged(values)))
    account = f"{quota} executions at once in this account and region"
    if free < quota:
        account += f", {free} not reserved"
    others = OTHERS + (2 * int(values[AWS]) if values["AwsTargets"] == "true" else 0)
    others += AGENTS if values["Agents"] == "true" else 0
    most, polled = max(free - others, 2 * FEWEST), int(values["WorkerPollers"]) * _A_POLLER
    unlimited = [name for name in (QUICK, SLOW) if values[name] == "0"]
    lanes = _lanes(int(values[QUICK]) or most, int(values[SLOW]) or most, most, polled) | dict.fromkeys(unlimited, 0)
    lines = [
        f"{name} is {workers} instead of {values[name]}"
        for name, workers in lanes.items()
        if str(workers) != values[name]
    ]
    if polled > most - FEWEST:
        fit = (most - FEWEST) // _A_POLLER
        advice = f"at most {fit}" if fit >= FEWEST else "0, for none"
        lines.append(f"WorkerPollers={values['WorkerPollers']} may use {polled}, but {most} are free: use {advice}")
    elif lines:
        lines += [
            f"the other functions need {others}, and workers must not starve them",
            'to run more, raise the quota "Concurrent executions" of AWS Lambda in Service Quotas, and deploy again',
        ]
    if unlimited:
        lines += [
            f"{' and '.join(f'{name}=0' for name in unlimited)}: workers may take all {free}, and starve the sweep, the drain, the API and its authorizer",
            "TickReservedConcurrency keeps some for the tick; use 0 only in an account of its own with a large quota",
        ]
    return Room(dict(given) | {name: str(workers) for name, workers in lanes.items()}, (account, *lines))


def _lanes(quick: int, slow: int, most: int, polled: int) -> dict[str, int]:
    """The limits of both lanes, together `most` at the most; a lane without a limit is given as `most`. Provisioned pollers take `polled` workers of the quick lane, instead of its
    limit, and are not changed."""
    if polled:
        return {QUICK: quick, SLOW: max(min(slow, most - polled), FEWEST)}
    least_slow = min(slow, max(most // SLOW_SHARE, FEWEST))
    kept = min(quick, most - least_slow)
    return {QUICK: kept, SLOW: min(slow, most - kept)}


def _unchanged(values: Mapping[str, str]) -> str:
    return f"{QUICK} stays {values[QUICK]} and {SLOW} {values[SLOW]}; keep their sum below the quota"
