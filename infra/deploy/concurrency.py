"""The account's concurrency, which limits how many workers may run at once.

Lambda counts all functions of an account and region together: 1,000 concurrent executions by default, but 10 or 50 in new accounts.
Workers that took all of them would leave none for the tick and the API.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import boto3
from botocore import exceptions

from infra.deploy.account import CONFIG

WORKERS = "WorkerMaxConcurrency"
OTHERS = 5
"""Executions that are left to the tick, the sweep, the drain, the API and the authorizer."""
FEWEST = 2
"""Fewest workers; a limit of Lambda."""
_A_POLLER = 10
"""Concurrent workers for each provisioned poller; a limit of Lambda."""


class Room(NamedTuple):
    """The parameters to deploy with, and lines for the user."""

    parameters: dict[str, str]
    lines: tuple[str, ...] = ()


def make_room(session: boto3.Session, region: str, template: Mapping[str, Any], given: Mapping[str, str]) -> Room:
    """Limit the workers to what the account leaves them. If its limit cannot be read, the parameters stay as given."""
    values = {name: str(one["Default"]) for name, one in template["Parameters"].items()} | dict(given)
    try:
        limits = session.client("lambda", region_name=region, config=CONFIG).get_account_settings()["AccountLimit"]
        quota, free = int(limits["ConcurrentExecutions"]), int(limits["UnreservedConcurrentExecutions"])
    except (exceptions.BotoCoreError, exceptions.ClientError) as error:
        return Room(dict(given), (f"unknown: {error}", f"{WORKERS} stays {values[WORKERS]}; keep it below the quota"))
    most, wanted, pollers = max(free - OTHERS, FEWEST), int(values[WORKERS]), int(values["WorkerPollers"])
    account = f"{quota} executions at once in this account and region" + (
        f", {free} not reserved" if free < quota else ""
    )
    if pollers * _A_POLLER > most:
        advice = f"at most {most // _A_POLLER}" if most >= FEWEST * _A_POLLER else "0, for none"
        return Room(
            dict(given),
            (account, f"WorkerPollers={pollers} may use {pollers * _A_POLLER}, but {most} are free: use {advice}"),
        )
    if pollers or wanted <= most:
        return Room(dict(given), (account,))
    return Room(
        dict(given) | {WORKERS: str(most)},
        (
            account,
            f"{WORKERS} is {most} instead of {wanted}: the other functions need {OTHERS}, and workers must not starve them",
            'to run more, raise the quota "Concurrent executions" of AWS Lambda in Service Quotas, and deploy again',
        ),
    )
