from __future__ import annotations

from pathlib import Path

import pytest
from infra.deploy.errors import DeployError
from infra.deploy.parameters import check, parse
from infra.template import load

TEMPLATE = load(Path(__file__).parents[3] / "template.yaml")

GOOD = [
    "DueShards=256 LookAheadSeconds=60 WorkerMemory=10240 WorkerMaxConcurrency=2 WorkerPollers=200 TickReservedConcurrency=2 TickShare=500 TickFanOut=1 TickMemory=10240",
    "AllowedTargets=10.0.0.0/16,*.internal.example.com,[fd00::1],api.example.com:8443",
    "WorkerSubnetIds=subnet-0a1b2c3d,subnet-4e5f6a7b WorkerSecurityGroupIds=sg-0a1b2c3d",
    "ApiAccess=private ApiVpcEndpointId=vpce-0a1b2c3d4e5f6a7b8",
    "ApiWebAclArn=arn:aws:wafv2:eu-west-1:111122223333:regional/webacl/front/6a1b",
    "SecretPrefixes=shop=ssm:/shop/,shop=secretsmanager:shop/,*=ssm:/minutehand/{namespace}/",
    "SecretArns=arn:aws:ssm:eu-west-1:111122223333:parameter/shop/*,arn:aws:secretsmanager:*:*:secret:shop/db-??????",
    "SecretKeyArns=arn:aws:kms:eu-west-1:111122223333:key/1a2b",
    "KmsKeyArn=arn:aws-us-gov:kms:us-gov-west-1:111122223333:key/mrk-12ab",
    "PermissionsBoundaryArn=arn:aws:iam::111122223333:policy/team/boundary AlarmEmail=ops@example.com",
]

BAD = [
    ("DueShards=0", "DueShards: '0' is not a whole number from 1 to 256"),
    ("DueShards=many", "not a whole number"),
    ("LookAheadSeconds=901", "from 60 to 900"),
    ("LogRetentionDays=8", "is not one of 1, 3, 5, 7, 14"),
    ("LogLevel=WARN", "is not one of DEBUG, INFO, WARNING, ERROR"),
    ("DueShard=8", "no such parameter; did you mean DueShards?"),
    ("WorkerSubnetIds=10.0.0.0/24 WorkerSecurityGroupIds=sg-0a1b2c3d", "must be subnet ids"),
    ("WorkerSubnetIds=subnet-0a1b2c3d", "WorkerSubnetIds needs WorkerSecurityGroupIds"),
    ("WorkerSecurityGroupIds=sg-0a1b2c3d", "WorkerSecurityGroupIds needs WorkerSubnetIds"),
    ("ApiAccess=private", "ApiAccess=private needs ApiVpcEndpointId"),
    ("WorkerPollers=1", "WorkerPollers is 0 or 2 to 200"),
    ("WorkerMaxConcurrency=1", "WorkerMaxConcurrency is 0 or 2 to 1000"),
    ("SlowWorkerMaxConcurrency=1", "SlowWorkerMaxConcurrency is 0 or 2 to 1000"),
    ("KmsKeyArn=arn:aws:kms:eu-west-1:111122223333:alias/mine", "not of an alias"),
    ("AlarmEmail=ops", "must be an e-mail address"),
    ("AllowedTargets=https://api.example.com/path?x=1", "must be host names and CIDR blocks separated by commas"),
    ("SecretPrefixes=/shop/", "must be namespace=prefix entries separated by commas without spaces"),
    ("SecretPrefixes=shop=ssm:/shop/../", "a prefix has no empty part, no . and no .."),
    ("SecretArns=arn:aws:sqs:eu-west-1:111122223333:shop", "must be ARNs of parameters and secrets"),
    ("SecretKeyArns=arn:aws:kms:eu-west-1:111122223333:alias/mine", "not of aliases"),
    (f"AllowedTargets={'a' * 2001}", "2001 characters; the maximum is 2000"),
]


@pytest.mark.parametrize("text", GOOD)
def test_valid_values_pass(text: str) -> None:
    check(TEMPLATE, parse(text))


@pytest.mark.parametrize(("text", "message"), BAD)
def test_an_invalid_value_is_refused_with_the_valid_ones(text: str, message: str) -> None:
    with pytest.raises(DeployError) as refused:
        check(TEMPLATE, parse(text))
    assert message in str(refused.value)
    assert "samconfig.local.toml" in refused.value.hints[0]


def test_all_mistakes_are_reported_at_once() -> None:
    with pytest.raises(DeployError) as refused:
        check(TEMPLATE, parse("DueShards=0 WorkerMemory=1 Colour=red"))
    assert all(name in str(refused.value) for name in ("DueShards", "WorkerMemory", "Colour"))


def test_a_word_without_a_value_is_refused() -> None:
    with pytest.raises(DeployError, match="'DueShards' is not NAME=value"):
        parse("DueShards 16")
