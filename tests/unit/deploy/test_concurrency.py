from __future__ import annotations

from typing import Any, cast

import boto3
import pytest
from botocore import exceptions
from infra.deploy.access_logs import check_role
from infra.deploy.account import Account
from infra.deploy.concurrency import AGENTS, make_room
from infra.deploy.errors import DeployError
from infra.template import load

from tests.unit.deploy.expansion import TEMPLATE

MAIN = load(TEMPLATE)


class FakeSession:
    """An account: answers of GetAccountSettings of Lambda and GetAccount of API Gateway, or an error."""

    def __init__(self, answer: dict[str, Any] | Exception) -> None:
        self.answer = answer
        self.asked: list[Any] = []

    def client(self, service: str, *, region_name: str, config: object) -> FakeSession:
        self.asked.append((service, region_name))
        return self

    def get_account_settings(self) -> dict[str, Any]:
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer

    get_account = get_account_settings


def account(quota: int, free: int | None = None) -> dict[str, Any]:
    limit = {"ConcurrentExecutions": quota, "UnreservedConcurrentExecutions": quota if free is None else free}
    return {"AccountLimit": limit}


def room(answer: dict[str, Any] | Exception, **given: str) -> tuple[dict[str, str], str]:
    session = FakeSession(answer)
    parameters, lines = make_room(cast("boto3.Session", session), "eu-west-1", MAIN, given)
    assert session.asked == [("lambda", "eu-west-1")]
    return parameters, "\n".join(lines)


@pytest.mark.parametrize(
    ("quota", "quick", "slow"), [(10, "3", "2"), (50, "30", "15"), (100, "64", "31"), (6, "2", "2"), (1, "2", "2")]
)
def test_in_a_small_account_workers_leave_room_for_the_tick_and_the_api(quota: int, quick: str, slow: str) -> None:
    parameters, said = room(account(quota))
    assert parameters == {"WorkerMaxConcurrency": quick, "SlowWorkerMaxConcurrency": slow}
    assert f"{quota} executions at once" in said
    assert f"WorkerMaxConcurrency is {quick} instead of 100" in said
    assert f"SlowWorkerMaxConcurrency is {slow} instead of 100" in said
    assert "Service Quotas" in said


def test_what_other_functions_have_reserved_is_not_free() -> None:
    parameters, said = room(account(1000, 60))
    assert parameters == {"WorkerMaxConcurrency": "37", "SlowWorkerMaxConcurrency": "18"}
    assert "60 not reserved" in said


def test_workers_for_targets_in_aws_take_their_part_if_the_stack_has_them() -> None:
    parameters, said = room(account(100), AwsTargets="true", AwsWorkerMaxConcurrency="10")
    assert int(parameters["WorkerMaxConcurrency"]) + int(parameters["SlowWorkerMaxConcurrency"]) == 100 - 5 - 20
    assert "the other functions need 25" in said
    without, _ = room(account(100), AwsWorkerMaxConcurrency="10")
    assert without["WorkerMaxConcurrency"] == "64"


def test_the_function_of_agents_is_left_what_it_may_use_at_once() -> None:
    parameters, said = room(account(100), Agents="true")
    assert int(parameters["WorkerMaxConcurrency"]) + int(parameters["SlowWorkerMaxConcurrency"]) == 100 - 5 - AGENTS
    assert f"the other functions need {5 + AGENTS}" in said
    events = MAIN["Resources"]["AgentsFunction"]["Properties"]["Events"]
    assert events["Runs"]["Properties"]["ScalingConfig"] == {"MaximumConcurrency": AGENTS}


def test_in_a_large_account_nothing_changes() -> None:
    assert room(account(1000)) == (
        {"WorkerMaxConcurrency": "100", "SlowWorkerMaxConcurrency": "100"},
        "1000 executions at once in this account and region",
    )


@pytest.mark.parametrize(
    ("quick", "slow", "used"),
    [("2", "3", {}), ("2", "100", {"2", "3"}), ("100", "2", {"3", "2"}), ("1000", "1000", {"3", "2"})],
)
def test_given_numbers_of_workers_are_limited_together(quick: str, slow: str, used: set[str]) -> None:
    parameters, _ = room(account(10), WorkerMaxConcurrency=quick, SlowWorkerMaxConcurrency=slow)
    assert set(parameters.values()) == (used or {quick, slow})
    assert sum(map(int, parameters.values())) == 5


@pytest.mark.parametrize(("quota", "advice"), [(10, "use 0"), (100, "use at most 9")])
def test_pollers_are_not_changed_but_too_many_are_named(quota: int, advice: str) -> None:
    parameters, said = room(account(quota), WorkerPollers="20")
    assert parameters["WorkerPollers"] == "20"
    assert "WorkerPollers=20 may use 200" in said
    assert advice in said


def test_workers_without_a_limit_stay_so_and_what_they_may_take_is_said() -> None:
    parameters, said = room(account(1000), WorkerMaxConcurrency="0", SlowWorkerMaxConcurrency="0")
    assert parameters == {"WorkerMaxConcurrency": "0", "SlowWorkerMaxConcurrency": "0"}
    assert "WorkerMaxConcurrency=0 and SlowWorkerMaxConcurrency=0: workers may take all 1000" in said
    assert "starve the sweep, the drain, the API and its authorizer" in said
    assert "TickReservedConcurrency keeps some for the tick" in said


@pytest.mark.parametrize(
    ("quota", "given", "quick", "slow"),
    [
        (50, {"SlowWorkerMaxConcurrency": "0"}, "30", "0"),
        (50, {"WorkerMaxConcurrency": "0"}, "0", "15"),
        (10, {"WorkerMaxConcurrency": "0"}, "0", "2"),
        (1000, {"WorkerMaxConcurrency": "0"}, "0", "100"),
        (1000, {"SlowWorkerMaxConcurrency": "0"}, "100", "0"),
    ],
)
def test_beside_a_lane_without_a_limit_the_other_one_is_limited(
    quota: int, given: dict[str, str], quick: str, slow: str
) -> None:
    parameters, said = room(account(quota), **given)
    assert parameters == {"WorkerMaxConcurrency": quick, "SlowWorkerMaxConcurrency": slow}
    assert f"{next(iter(given))}=0: workers may take all {quota}" in said
    assert ("instead of 100" in said) == (quota < 1000)


def test_without_permission_to_ask_the_parameters_stay() -> None:
    denied = exceptions.ClientError({"Error": {"Code": "AccessDeniedException", "Message": "no"}}, "GetAccountSettings")
    parameters, said = room(denied, DueShards="16")
    assert parameters == {"DueShards": "16"}
    assert "AccessDenied" in said
    assert "WorkerMaxConcurrency stays 100 and SlowWorkerMaxConcurrency 100" in said


def _check(
    answer: dict[str, Any] | Exception, wanted: str = "true", *, partition: str = "aws", region: str = "eu-west-1"
) -> None:
    caller = f"arn:{partition}:iam::123456789012:user/ada"
    aws = Account(number="123456789012", caller=caller, region=region, cloudformation=cast("Any", None))
    check_role(cast("boto3.Session", FakeSession(answer)), aws, {"ApiAccessLogs": wanted})


def test_access_logs_without_a_role_in_the_account_are_refused_with_the_commands_that_make_one() -> None:
    with pytest.raises(DeployError, match="the account's settings in eu-west-1 name none") as refused:
        _check({})
    hints = "\n".join(refused.value.hints)
    assert "aws iam create-role" in hints
    assert "value=arn:aws:iam::123456789012:role/api-gateway-logs" in hints


def test_the_commands_that_make_the_role_for_access_logs_name_the_partition_of_the_caller() -> None:
    with pytest.raises(DeployError) as refused:
        _check({}, partition="aws-cn", region="cn-north-1")
    hints = "\n".join(refused.value.hints)
    assert "--policy-arn arn:aws-cn:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs" in hints
    assert "--region cn-north-1 " in hints
    assert "value=arn:aws-cn:iam::123456789012:role/api-gateway-logs" in hints


def test_access_logs_with_a_role_or_unwanted_are_deployed() -> None:
    _check({"cloudwatchRoleArn": "arn:aws:iam::123456789012:role/logs"})
    _check({}, "false")
    _check(exceptions.NoCredentialsError())


def test_provisioned_pollers_leave_the_slow_lane_what_remains() -> None:
    parameters, said = room(account(1000), WorkerPollers="95")
    assert parameters["SlowWorkerMaxConcurrency"] == "45"
    assert "SlowWorkerMaxConcurrency is 45 instead of 100" in said


def test_a_raised_quota_restores_the_limits() -> None:
    """A deployment that did not name them would keep what the stack has."""
    assert room(account(10))[0]["WorkerMaxConcurrency"] == "3"
    assert room(account(1000))[0]["WorkerMaxConcurrency"] == "100"
