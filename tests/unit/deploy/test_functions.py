"""What Lambda limits is checked before AWS is called."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from infra.deploy.errors import DeployError
from infra.deploy.functions import check
from infra.template import load

from minutehand.adapters.pool_queues import Naming
from minutehand.domain.node import NodeKey, PoolKey
from tests.unit.deploy.expansion import TEMPLATE
from tests.unit.deploy.test_concurrency import account
from tests.unit.deploy.test_deploying import Deployment

LOADED = load(TEMPLATE)
LONG = "a-stack-whose-name-is-very-long-indeed"


def test_the_longest_name_of_a_function_has_room_for_the_longest_name_of_a_stack() -> None:
    check(LOADED, {"AwsTargets": "true"}, "a" * 31)
    with pytest.raises(DeployError, match="has 32 characters; with AwsTargets=true the maximum is 31"):
        check(LOADED, {"AwsTargets": "true"}, "a" * 32)
    assert len(f"{'a' * 31}-AuthorizerFunction-1ABCDEFGHIJKL") == 64


def test_the_names_of_the_queues_of_pools_have_room_for_the_longest_name_of_a_stack() -> None:
    check(LOADED, {"Agents": "true"}, "a" * 43)
    with pytest.raises(DeployError, match="has 44 characters; with Agents=true the maximum is 43"):
        check(LOADED, {"Agents": "true"}, "a" * 44)
    naming = Naming(f"{'a' * 43}-agents", "https://sqs.test/1/queue", "arn:aws:sqs:eu-west-1:1:dead")
    assert {
        len(naming.name(served)) for served in (PoolKey("n" * 128, "p"), NodeKey(PoolKey("n", "p"), "a" * 128))
    } == {80}


def test_a_stack_without_targets_in_aws_may_have_a_longer_name() -> None:
    check(LOADED, {}, "a" * 128)


def test_variables_that_lambda_would_refuse_are_refused_with_the_parameters_that_are_too_long() -> None:
    fits = {"AllowedTargets": "a" * 1000, "SecretPrefixes": "p" * 700, "CloudMapNamespaces": "c" * 700}
    check(LOADED, fits, "minutehand")
    with pytest.raises(DeployError) as refused:
        check(LOADED, fits | {"AllowedTargets": "a" * 2000, "WorkerSubnetIds": "s" * 1000}, "minutehand")
    assert re.search(
        "ApiFunction: AllowedTargets, CloudMapNamespaces, SecretPrefixes have [0-9]+ characters too many",
        str(refused.value),
    )
    assert "TickFunction" not in str(refused.value)
    assert "WorkerSubnetIds" not in str(refused.value)


def test_one_character_too_many_is_counted_as_one() -> None:
    def excess(characters: int) -> int:
        with pytest.raises(DeployError) as refused:
            check(LOADED, {"AllowedTargets": "a" * 2000, "SecretPrefixes": "p" * characters}, "minutehand")
        return max(map(int, re.findall("have ([0-9]+)", str(refused.value))))

    over = excess(2000)
    assert excess(2000 - over + 1) == 1
    check(LOADED, {"AllowedTargets": "a" * 2000, "SecretPrefixes": "p" * (2000 - over)}, "minutehand")


def test_a_worker_that_the_stack_does_not_have_is_not_counted() -> None:
    long = {"AwsTargetArns": "a" * 1000, "CallbackUrl": "u" * 500, "AwsTargetRoles": "r" * 1700}
    with pytest.raises(DeployError) as refused:
        check(LOADED, long | {"AwsTargets": "true"}, "minutehand")
    assert "AwsWorkerFunction: AwsTargetArns, AwsTargetRoles, CallbackUrl" in str(refused.value)
    check(LOADED, long, "minutehand")


@pytest.mark.parametrize(
    ("stack", "parameters", "message"),
    [
        (LONG, "AwsTargets=true", "with AwsTargets=true the maximum is"),
        ("cron", f"AllowedTargets={'a' * 2000} CloudMapNamespaces={'c' * 1000}", "too long for Lambda"),
    ],
)
def test_nothing_is_built_or_asked_of_aws(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    stack: str,
    parameters: str,
    message: str,
) -> None:
    monkeypatch.delenv("CI", raising=False)
    refused = Deployment(monkeypatch, tmp_path, account(1000))
    assert refused.run(f"{parameters} SecretPrefixes=shop=ssm:/{'p' * 980}", "--stack", stack) == 1
    assert refused.built == []
    said = capsys.readouterr()
    assert message in said.err
    assert "account" not in said.out
