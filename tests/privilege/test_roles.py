"""Least privilege of the roles: every action is justified by a test or by AWS's documentation, on one resource."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest
from infra.template import load

from minutehand.adapters.dynamodb.codecs import keys
from minutehand.adapters.pool_queues import ACTIONS
from minutehand.domain.calendar import CalendarKey
from minutehand.domain.job_key import JobKey
from minutehand.domain.node import NodeKey, PoolKey
from minutehand.domain.token import EVERYWHERE
from tests.privilege.policy import ACCESS, ALWAYS_WITH_A_KEY, ROOT, Grant, Need, grants, read, refused
from tests.privilege.test_each_action import WITHOUT

if TYPE_CHECKING:
    from minutehand.adapters.dynamodb.codecs.values import Item

TEMPLATE = read(ROOT / "template.yaml")
FUNCTIONS = {
    name.removesuffix("Function"): resource["Properties"]
    for name, resource in TEMPLATE["Resources"].items()
    if resource["Type"] == "AWS::Serverless::Function"
}

LOGGING = ("logs:CreateLogStream", "logs:PutLogEvents")
"""Lambda writes logs with the function's role; the log groups exist already. (Lambda's guide, "execution role".)"""

POLLING = ("sqs:DeleteMessage", "sqs:GetQueueAttributes", "sqs:ReceiveMessage")
"""Lambda reads the function's queue with its role. (Lambda's guide, "Using Lambda with Amazon SQS", "execution role permissions".)"""


RECEIVES = {
    "Messaging.Outputs.HttpQueueArn": ("HttpQueueArn", "ReceiveMessages"),
    "Messaging.Outputs.HttpSlowQueueArn": ("HttpSlowQueueArn", "ReceiveSlowMessages"),
    "AwsWorker.Outputs.QueueArn": ("AwsQueueArn", "ReceiveMessages"),
    "AwsWorker.Outputs.SlowQueueArn": ("AwsSlowQueueArn", "ReceiveSlowMessages"),
    "AgentsWorker.Outputs.QueueArn": ("AgentsQueueArn", "ReceiveMessages"),
}
"""For each queue that Lambda reads, its name in the template of the roles, and the statement that allows it."""


def _by_lambda(role: str) -> Iterator[Grant]:
    """Grants that Lambda itself uses; the emulator does not check them."""
    for action in LOGGING:
        yield Grant(role, "WriteLogs", action, f"{role}LogsArn")
    for event in FUNCTIONS[role].get("Events", {}).values():
        if event["Type"] == "SQS":
            queue, sid = RECEIVES[event["Properties"]["Queue"]]
            for action in POLLING:
                yield Grant(role, sid, action, queue)


OF_AGENTS = "Agent"
"""The role whose credentials agents get; it is none of a function."""


def test_every_function_has_a_role_of_its_own() -> None:
    roles = [properties["Role"] for properties in FUNCTIONS.values()]
    assert sorted(roles) == sorted(f"Access.Outputs.{name}Role" for name in FUNCTIONS)
    assert {grant.role for grant in grants()} == {*FUNCTIONS, OF_AGENTS}


def test_every_action_of_every_role_is_justified() -> None:
    by_lambda = {(one.role, one.sid, one.action) for role in FUNCTIONS for one in _by_lambda(role)}
    by_code = {(role, sid, action) for (role, sid), actions in WITHOUT.items() for action in actions}
    assert not by_lambda & by_code
    assert {(one.role, one.sid, one.action) for one in grants()} == by_lambda | by_code


@pytest.mark.parametrize("role", FUNCTIONS)
def test_lambda_itself_may_use_the_functions_own_log_group_and_queue(role: str) -> None:
    assert set(_by_lambda(role)) <= set(grants())


def test_no_action_is_allowed_twice() -> None:
    allowed = [(grant.role, grant.action, grant.resource) for grant in grants()]
    assert len(allowed) == len(set(allowed))


@pytest.mark.parametrize("grant", grants(), ids=lambda grant: f"{grant.role}-{grant.sid}-{grant.action}")
def test_actions_and_resources_have_no_wildcards(grant: Grant) -> None:
    assert re.fullmatch(r"[a-z0-9]+:\w+", grant.action)
    if grant.limited:
        assert grant.resource == "*", "a condition limits it"
    else:
        assert not re.search(r"[*?]", grant.resource)


TOKEN = keys.token("digest")
JOB = JobKey("shop", "report")
LISTS = [
    keys.namespace("shop"),
    keys.settings("shop"),
    keys.calendar(CalendarKey("shop", "open")),
    keys.listed(JobKey("shop", "report")),
    keys.graph(),
]
RECORDS = [
    keys.key(pk, "2026-11-20T09:00:00.000Z#1f0c")
    for pk in (keys.audits("shop"), keys.audits("shop", "report"), keys.audits(EVERYWHERE))
]
"""Records of changes: in the list of a namespace, in that of a job, and in that of tokens."""
NODES = [keys.node(NodeKey(PoolKey("shop", "web"), "a")), keys.pool(PoolKey("shop", "web"))]
LAYOUT, RENEWAL, SWEEP = keys.layout(), keys.renewal(), keys.sweep_progress()
TICK = keys.tick(datetime(2026, 11, 20, tzinfo=UTC))
FORBIDDEN: dict[str, list[Item]] = {
    "Tick": [TOKEN, *LISTS, *NODES, RENEWAL, SWEEP],
    "HttpWorker": [TOKEN, *LISTS, *NODES, LAYOUT, RENEWAL, SWEEP, TICK],
    "AwsWorker": [TOKEN, *LISTS, *NODES, LAYOUT, RENEWAL, SWEEP, TICK],
    "Agents": [TOKEN, *LISTS, LAYOUT, RENEWAL, SWEEP, TICK],
    "Drain": [TOKEN, *LISTS, *NODES, LAYOUT, RENEWAL, SWEEP, TICK],
    "Sweep": [TOKEN, *LISTS, *NODES, TICK],
    "Api": [TOKEN, keys.pool(PoolKey("shop", "web")), LAYOUT, RENEWAL, SWEEP, TICK],
    "Resource": [TOKEN, *NODES, LAYOUT, RENEWAL, SWEEP, TICK],
}
"""Items of the Jobs table that a role must not write. All roles with a write are listed, but those in `OF_TOKENS`."""
LISTED_TOKEN = keys.listed_token("t-4k2m7xq5ab")
OF_TOKENS = {"Access": [TOKEN, LISTED_TOKEN], "Authorizer": [TOKEN], "Seed": [TOKEN, LISTED_TOKEN]}
"""The roles that write tokens, each with the items that it may write."""
WRITES = {f"dynamodb:{name}Item" for name in ("Put", "Update", "Delete")} | {
    f"dynamodb:PartiQL{name}" for name in ("Insert", "Update", "Delete")
}
"""Every action by which DynamoDB changes an item. (The service authorization reference of DynamoDB; a batch needs `BatchWriteItem`, which
no role has.)"""
READS = {"dynamodb:BatchGetItem", "dynamodb:GetItem", "dynamodb:Query"}


def _writes() -> list[Grant]:
    return [one for one in grants() if one.resource == "JobsTableArn" and one.action not in READS]


@pytest.mark.parametrize("role", OF_TOKENS)
def test_a_role_that_writes_tokens_reads_and_writes_nothing_else(role: str) -> None:
    own = [one for one in grants() if one.role == role and one.resource == "JobsTableArn"]
    assert own
    for grant in own:
        for item in (*LISTS, keys.definition(JOB), keys.timer(JOB), LAYOUT, RENEWAL, SWEEP, TICK):
            assert refused([_use(grant, item)], own), (grant.action, item)
        assert refused([Need(grant.action, "JobsTableArn", attributes=frozenset(LAST_USE))], own), (
            "a request without a key"
        )
        for item in OF_TOKENS[role]:
            assert not refused([_use(grant, item)], own)


LAST_USE = ("pk", "sk", "last_used_at")


def _use(grant: Grant, item: Item) -> Need:
    """A use of a grant for an item; an update of it writes its last use."""
    return Need(grant.action, "JobsTableArn", item["pk"]["S"], frozenset(LAST_USE))


@pytest.mark.parametrize(
    "changed",
    [
        {"attributes": frozenset({*LAST_USE, "role"})},
        {"attributes": frozenset({*LAST_USE, "namespaces"})},
        {"attributes": frozenset({*LAST_USE, "valid_until"})},
        {"attributes": frozenset()},
        {"returns": "ALL_OLD"},
        {"key": keys.listed_token("t-4k2m7xq5ab")["pk"]["S"]},
    ],
)
def test_the_authorizer_changes_no_attribute_of_a_token_but_its_last_use(changed: dict[str, Any]) -> None:
    [write] = [one for one in _writes() if one.role == "Authorizer"]
    use = _use(write, TOKEN)
    assert not refused([use], [write])
    assert refused([use._replace(**changed)], [write])


def test_the_api_reads_a_token_by_its_hash_and_lists_none() -> None:
    reads = [one for one in grants() if one.role == "Api" and one.resource == "JobsTableArn" and one.action in READS]
    assert not refused([Need("dynamodb:GetItem", "JobsTableArn", TOKEN["pk"]["S"])], reads)
    for action in READS:
        assert refused([Need(action, "JobsTableArn", LISTED_TOKEN["pk"]["S"])], reads), action
        if action != "dynamodb:GetItem":
            assert refused([Need(action, "JobsTableArn", TOKEN["pk"]["S"])], reads), action


@pytest.mark.parametrize("role", FORBIDDEN)
def test_a_role_writes_neither_tokens_nor_what_others_own(role: str) -> None:
    writes = [one for one in _writes() if one.role == role]
    assert writes
    for item in FORBIDDEN[role]:
        for write in writes:
            assert refused([Need(write.action, "JobsTableArn", item["pk"]["S"])], writes), (write.action, item)
    for write in writes:
        assert refused([Need(write.action, "JobsTableArn")], writes), "a request without a key"
        job = JobKey("shop", "report")
        if write.sid != "UnpackAndDropWatchlists":
            assert not refused([Need(write.action, "JobsTableArn", keys.timer(job)["pk"]["S"])], writes)
        packed = keys.timer(job, packed=True)
        assert not refused([Need(write.action, "JobsTableArn", packed["pk"]["S"])], writes)


@pytest.mark.parametrize("record", RECORDS, ids=["of a namespace", "of a job", "of a token"])
def test_no_role_updates_or_deletes_a_record_of_a_change_and_only_what_makes_changes_puts_one(record: Item) -> None:
    may = set()
    for role, action in product(FUNCTIONS, WRITES):
        need = [Need(action, "JobsTableArn", record["pk"]["S"])]
        if not refused(need, [one for one in grants() if one.role == role]):
            may.add((role, action))
    assert may == {(role, "dynamodb:PutItem") for role in ("Access", "Api", "Resource")}
    assert not {one.action for one in grants()} & {"dynamodb:BatchWriteItem", "dynamodb:*"}


def test_the_tick_queries_buckets_and_nothing_else_of_the_table() -> None:
    queries = [one for one in grants() if (one.role, one.action) == ("Tick", "dynamodb:Query")]
    allowed = [one for one in queries if one.resource == "JobsTableArn"]
    packed = keys.timer(JobKey("shop", "report"), packed=True)
    assert not refused([Need("dynamodb:Query", "JobsTableArn", packed["pk"]["S"])], allowed)
    for item in (TOKEN, *LISTS, keys.definition(JobKey("shop", "report"))):
        assert refused([Need("dynamodb:Query", "JobsTableArn", item["pk"]["S"])], allowed)
    assert refused([Need("dynamodb:Query", "JobsTableArn")], allowed), "a request without a key"


def test_the_function_of_agents_reads_a_token_by_its_hash_and_lists_nodes_pools_and_jobs_alone() -> None:
    own = [one for one in grants() if one.role == "Agents" and one.resource == "JobsTableArn"]
    gets, queries = ([one for one in own if one.action == f"dynamodb:{name}"] for name in ("GetItem", "Query"))
    assert not refused([Need("dynamodb:GetItem", "JobsTableArn", TOKEN["pk"]["S"])], gets)
    for item in (*NODES, keys.listed(JOB)):
        assert not refused([Need("dynamodb:Query", "JobsTableArn", item["pk"]["S"])], queries)
    for item in (LISTED_TOKEN, *LISTS, keys.definition(JOB)):
        assert refused([Need("dynamodb:GetItem", "JobsTableArn", item["pk"]["S"])], gets)
    for item in (LISTED_TOKEN, keys.namespace("shop"), keys.graph(), keys.definition(JOB)):
        assert refused([Need("dynamodb:Query", "JobsTableArn", item["pk"]["S"])], queries)


def test_agents_may_take_messages_of_pools_and_nodes_and_do_nothing_else() -> None:
    taking = {f"sqs:{name}" for name in ("ChangeMessageVisibility", "DeleteMessage", "ReceiveMessage")}
    own = {(one.action, one.resource) for one in grants() if one.role == OF_AGENTS}
    assert own == set(product(taking, ("PoolQueuesArn", "InboxesArn")))
    assert set(ACTIONS) == taking
    given = TEMPLATE["Resources"]["Access"]["Properties"]["Parameters"]
    for name, kind in (("PoolQueuesArn", "pool"), ("InboxesArn", "node")):
        assert given[name].endswith(f":AWS::StackName-agents-{kind}-*")
    variables = FUNCTIONS["Agents"]["Environment"]["Variables"]
    assert variables["AGENT_QUEUES"] == "AWS::StackName-agents"


def test_only_the_function_of_agents_may_assume_their_role() -> None:
    resources = read(ACCESS)["Resources"]
    [trusted] = resources["AgentRole"]["Properties"]["AssumeRolePolicyDocument"]["Statement"]
    assert (trusted["Principal"], trusted["Action"]) == ({"AWS": f"{ROLES}/AgentsRole"}, "sts:AssumeRole")
    given = resources["GiveCredentials"]["Properties"]
    assert given["Roles"] == ["AgentsRole"]
    [statement] = given["PolicyDocument"]["Statement"]
    assert (statement["Action"], statement["Resource"]) == ("sts:AssumeRole", f"{ROLES}/AgentRole")


ROLES = "arn:AWS::Partition:iam::AWS::AccountId:role"


def test_every_role_that_writes_jobs_is_confined_to_some_keys() -> None:
    assert {one.role for one in _writes() if one.keys} == {*FORBIDDEN, *OF_TOKENS}
    assert not [one for one in _writes() if not one.keys]


@pytest.mark.parametrize("role", [*FORBIDDEN, *OF_TOKENS])
def test_a_condition_on_keys_also_requires_that_a_request_has_one(role: str) -> None:
    """In the expanded template: `ForAllValues` holds for a request without the key, which `Null` excludes."""
    [policy] = load(ACCESS)["Resources"][f"{role}Role"]["Properties"]["Policies"]
    limited = [one for one in policy["PolicyDocument"]["Statement"] if "Condition" in one]  # not `Fn::If`
    assert limited
    for statement in limited:
        condition = statement["Condition"]
        assert set(condition) - {"StringEqualsIfExists"} <= {
            "ForAllValues:StringLike",
            "ForAllValues:StringEquals",
            "Null",
        }
        keyed = [key for operator, of in condition.items() if operator.startswith("ForAllValues") for key in of]
        if statement["Action"] != ALWAYS_WITH_A_KEY:
            assert condition["Null"] == dict.fromkeys(keyed, "false")


@pytest.mark.parametrize(
    ("policy", "role", "function"), [("ShareTicks", "Tick", "Tick"), ("StartDrain", "Sweep", "Drain")]
)
def test_the_tick_may_invoke_itself_and_the_sweep_the_drain(policy: str, role: str, function: str) -> None:
    given = TEMPLATE["Resources"][policy]["Properties"]
    assert given["Roles"] == [f"Access.Outputs.{role}RoleName"]
    [statement] = given["PolicyDocument"]["Statement"]
    assert (statement["Effect"], statement["Action"]) == ("Allow", "lambda:InvokeFunction")
    assert statement["Resource"] == f"{function}Function.Arn"


def test_no_other_policy_is_outside_the_template_of_the_roles() -> None:
    policies = [name for name, one in TEMPLATE["Resources"].items() if one["Type"].startswith("AWS::IAM::")]
    assert policies == ["ShareTicks", "StartDrain"]


def test_no_statement_uses_a_negation() -> None:
    assert not re.findall(r"Not(?:Action|Resource|Principal)\b", ACCESS.read_text(encoding="utf-8"))


EXTRA_POLICIES: dict[str, tuple[frozenset[str], str]] = {
    "WorkerNetwork": (
        frozenset(
            {
                "ec2:AssignPrivateIpAddresses",
                "ec2:CreateNetworkInterface",
                "ec2:DeleteNetworkInterface",
                "ec2:DescribeNetworkInterfaces",
                "ec2:DescribeSubnets",
                "ec2:UnassignPrivateIpAddresses",
            }
        ),
        "*",
    ),
    "UseKey": (
        frozenset({"kms:Decrypt", "kms:DescribeKey", "kms:Encrypt", "kms:GenerateDataKey*", "kms:ReEncrypt*"}),
        "KmsKeyArn",
    ),
    "ReadMessagesWithKey": (frozenset({"kms:Decrypt"}), "KmsKeyArn"),
    "GiveCredentials": (frozenset({"sts:AssumeRole"}), "arn:AWS::Partition:iam::AWS::AccountId:role/AgentRole"),
}
"""Policies for parameters: credentials of agents, workers in a VPC, and a KMS key. AWS makes these calls on a function's behalf; the emulator does not.

The actions are those of AWS's managed policy AWSLambdaVPCAccessExecutionRole (network interfaces have no ARN before they exist) and of
DynamoDB's guide, "Authorizing use of your customer managed key".
"""


def test_an_extra_policy_allows_only_the_documented_actions() -> None:
    policies = {name: one for name, one in read(ACCESS)["Resources"].items() if one["Type"] == "AWS::IAM::Policy"}
    for name, policy in policies.items():
        actions, resource = EXTRA_POLICIES[name]
        assert policy["Condition"], f"{name} must depend on a parameter"
        for statement in policy["Properties"]["PolicyDocument"]["Statement"]:
            listed = statement["Action"] if isinstance(statement["Action"], list) else [statement["Action"]]
            assert set(listed) <= actions
            assert statement["Resource"] == resource


def test_credentials_that_leave_the_account_only_decrypt_messages_of_queues() -> None:
    policies = {name: one for name, one in read(ACCESS)["Resources"].items() if one["Type"] == "AWS::IAM::Policy"}
    of_agents = {name for name, one in policies.items() if f"{OF_AGENTS}Role" in str(one["Properties"]["Roles"])}
    assert of_agents == {"ReadMessagesWithKey"}
    [statement] = policies["ReadMessagesWithKey"]["Properties"]["PolicyDocument"]["Statement"]
    assert statement["Action"] == "kms:Decrypt"
    assert statement["Condition"] == {"StringEquals": {"kms:ViaService": "sqs.AWS::Region.AWS::URLSuffix"}}


def test_only_lambda_may_assume_the_role_of_a_function() -> None:
    resources = {name: one for name, one in read(ACCESS)["Resources"].items() if name != f"{OF_AGENTS}Role"}
    roles: list[Any] = [one for one in resources.values() if one["Type"] == "AWS::IAM::Role"]
    trusted = [role["Properties"]["AssumeRolePolicyDocument"]["Statement"] for role in roles]
    assert all(
        [(one["Principal"], one["Action"]) for one in statements]
        == [({"Service": "lambda.amazonaws.com"}, "sts:AssumeRole")]
        for statements in trusted
    )
