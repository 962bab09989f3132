"""Promises of the templates, checked in their text and in the expanded template."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from infra.deploy.parameters import holds
from infra.template import load

from minutehand.entrypoints.api.routes import ROUTES
from minutehand.entrypoints.sweep import RENEWING, SENDING
from minutehand.targets import TYPES
from minutehand.usecases.authorize import authorize
from minutehand.usecases.upkeep.reshard import AT_MOST
from minutehand.usecases.upkeep.sweep import SWEEP_EVERY
from tests.unit.deploy.expansion import expand, long_forms, of_type

ROOT = Path(__file__).parents[2]
MAIN = load(ROOT / "template.yaml")
NESTED = {path.stem: load(path) for path in sorted((ROOT / "infra").glob("*.yaml"))}
STORAGE = NESTED["storage"]["Resources"]
TABLES = {name: one for name, one in STORAGE.items() if one["Type"] == "AWS::DynamoDB::Table"}
BUCKET = STORAGE["OutputBucket"]
QUEUES = NESTED["messaging"]["Resources"]
FUNCTIONS = {name: one for name, one in MAIN["Resources"].items() if one["Type"] == "AWS::Serverless::Function"}
WORKERS = sorted({kind.worker for kind in TYPES.values()})
FOURTEEN_DAYS = 14 * 24 * 3600


def _intrinsics(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            if key in {"Ref", "Condition"} or key.startswith("Fn::"):
                yield f"{key} {inner}"
            yield from _intrinsics(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _intrinsics(inner)


def _timeout(function: str) -> int:
    properties = FUNCTIONS[function]["Properties"]
    seconds: int = properties.get("Timeout", MAIN["Globals"]["Function"]["Timeout"])
    return seconds


@pytest.mark.parametrize("name", TABLES)
def test_no_parameter_can_replace_a_table(name: str) -> None:
    from cfnlint.schema.manager import PROVIDER_SCHEMA_MANAGER  # noqa: PLC0415 - takes a second, and collecting waits for it

    schema = PROVIDER_SCHEMA_MANAGER.get_resource_schema("us-east-1", "AWS::DynamoDB::Table").schema
    replacing = {
        path.rpartition("/")[2]
        for path in [*schema["createOnlyProperties"], *schema["conditionalCreateOnlyProperties"]]
    }
    assert "KeySchema" in replacing
    table = TABLES[name]
    # Indexes and their attributes do not replace the table, but a change rebuilds the index: they are fixed too.
    for fixed in replacing | {"AttributeDefinitions", "GlobalSecondaryIndexes", "LocalSecondaryIndexes"}:
        assert not list(_intrinsics(table["Properties"].get(fixed))), fixed
    assert not {"TableName", "ImportSourceSpecification"} & table["Properties"].keys()
    assert "Condition" not in table
    assert "Condition" not in MAIN["Resources"]["Storage"]


@pytest.mark.parametrize("name", TABLES)
def test_a_table_is_retained_and_protected_from_deletion(name: str) -> None:
    table = TABLES[name]
    assert (table["DeletionPolicy"], table["UpdateReplacePolicy"]) == ("RetainExceptOnCreate", "Retain")
    assert table["Properties"]["DeletionProtectionEnabled"] == {"Fn::If": ["Protected", True, False]}
    assert MAIN["Parameters"]["DeletionProtection"]["Default"] == "true"
    assert MAIN["Parameters"]["PointInTimeRecovery"]["Default"] == "true"


def test_the_output_bucket_is_retained_and_no_parameter_can_replace_it() -> None:
    assert (BUCKET["DeletionPolicy"], BUCKET["UpdateReplacePolicy"]) == ("RetainExceptOnCreate", "Retain")
    assert "BucketName" not in BUCKET["Properties"]
    assert "Condition" not in BUCKET


def test_the_output_bucket_is_private_and_encrypted_with_the_kms_key_if_given() -> None:
    properties = BUCKET["Properties"]
    assert set(properties["PublicAccessBlockConfiguration"].values()) == {True}
    assert len(properties["PublicAccessBlockConfiguration"]) == 4
    assert properties["OwnershipControls"] == {"Rules": [{"ObjectOwnership": "BucketOwnerEnforced"}]}
    [rule] = properties["BucketEncryption"]["ServerSideEncryptionConfiguration"]
    assert rule["ServerSideEncryptionByDefault"] == {
        "SSEAlgorithm": {"Fn::If": ["HasKey", "aws:kms", "AES256"]},
        "KMSMasterKeyID": {"Fn::If": ["HasKey", {"Ref": "KmsKeyArn"}, {"Ref": "AWS::NoValue"}]},
    }


def test_the_output_bucket_refuses_requests_without_tls() -> None:
    [statement] = STORAGE["OutputBucketPolicy"]["Properties"]["PolicyDocument"]["Statement"]
    assert (statement["Effect"], statement["Principal"], statement["Action"]) == ("Deny", "*", "s3:*")
    assert len(statement["Resource"]) == 2
    # Loopback addresses are those of the emulators; no request reaches AWS from them.
    assert statement["Condition"] == {
        "Bool": {"aws:SecureTransport": "false"},
        "NotIpAddress": {"aws:SourceIp": "127.0.0.0/8"},
    }


def test_a_failed_tick_is_not_retried() -> None:
    tick = FUNCTIONS["TickFunction"]["Properties"]
    schedule = tick["Events"]["EveryMinute"]["Properties"]
    for policy in (tick["EventInvokeConfig"], schedule["RetryPolicy"]):
        assert policy == {"MaximumRetryAttempts": 0, "MaximumEventAgeInSeconds": 60}
    assert schedule["Schedule"] == "rate(1 minute)"


def test_a_failed_sweep_is_not_retried() -> None:
    sweep = FUNCTIONS["SweepFunction"]["Properties"]
    schedule = sweep["Events"]["EveryMinute"]["Properties"]
    for policy in (sweep["EventInvokeConfig"], schedule["RetryPolicy"]):
        assert policy == {"MaximumRetryAttempts": 0, "MaximumEventAgeInSeconds": SWEEP_EVERY.total_seconds()}
    assert schedule["Schedule"] == "rate(1 minute)"
    assert timedelta(minutes=1) == SWEEP_EVERY
    limits = SENDING + AT_MOST + RENEWING
    assert limits < timedelta(seconds=sweep["Timeout"])


@pytest.mark.parametrize(
    ("queue", "function"),
    [
        ("HttpQueue", "HttpWorkerFunction"),
        ("HttpSlowQueue", "HttpWorkerFunction"),
        ("HttpDeadLetterQueue", "DrainFunction"),
    ],
)
def test_a_queue_has_a_long_enough_visibility_timeout_and_retention(queue: str, function: str) -> None:
    properties = QUEUES[queue]["Properties"]
    assert properties["VisibilityTimeout"] >= 6 * _timeout(function)
    assert properties["MessageRetentionPeriod"] == FOURTEEN_DAYS


def test_a_message_becomes_a_dead_letter_only_after_many_receives() -> None:
    for queue in ("HttpQueue", "HttpSlowQueue"):
        assert QUEUES[queue]["Properties"]["RedrivePolicy"]["maxReceiveCount"] >= 20


def test_both_lanes_have_the_same_queue_and_dead_letters() -> None:
    assert QUEUES["HttpSlowQueue"] == QUEUES["HttpQueue"]


def test_only_the_worker_may_send_messages_that_come_back_to_it() -> None:
    allowed = {name: one["Properties"].get("RecursiveLoop") for name, one in FUNCTIONS.items()}
    assert {name for name, loop in allowed.items() if loop == "Allow"} == {"HttpWorkerFunction"}


def test_only_the_queues_of_the_lanes_are_polled_by_lambda() -> None:
    """A mapping polls its queue all the time, which costs more than all that an idle sweep does."""
    polled = {
        name: [one["Properties"]["Queue"]["Fn::GetAtt"] for one in function["Properties"].get("Events", {}).values()
               if one["Type"] == "SQS"]
        for name, function in FUNCTIONS.items()
    }  # fmt: skip
    assert {name: queues for name, queues in polled.items() if queues} == {
        "HttpWorkerFunction": ["Messaging.Outputs.HttpQueueArn", "Messaging.Outputs.HttpSlowQueueArn"]
    }


def test_the_sweep_counts_the_dead_letters_that_the_drain_receives_and_starts_it() -> None:
    sweep, drain = (FUNCTIONS[f"{name}Function"]["Properties"] for name in ("Sweep", "Drain"))
    for one in (sweep, drain):
        queue = one["Environment"]["Variables"]["HTTP_DEAD_LETTER_QUEUE_URL"]
        assert queue == {"Fn::GetAtt": "Messaging.Outputs.HttpDeadLetterQueueUrl"}
    assert sweep["Environment"]["Variables"]["DRAIN_FUNCTION"] == {"Ref": "DrainFunction"}
    assert drain["EventInvokeConfig"] == {"MaximumRetryAttempts": 0, "MaximumEventAgeInSeconds": 60}
    assert timedelta(seconds=_timeout("DrainFunction")) <= SWEEP_EVERY, "one drain ends before the next begins"


@pytest.mark.parametrize("pollers", [0, 100])
def test_workers_have_a_maximum_concurrency_or_provisioned_pollers_and_never_both(pollers: int) -> None:
    values = {name: str(one.get("Default", "")) for name, one in MAIN["Parameters"].items()}
    values |= {"WorkerPollers": str(pollers), "WorkerMaxConcurrency": "7"}
    events = _resolved(FUNCTIONS["HttpWorkerFunction"]["Properties"]["Events"], values)["Runs"]["Properties"]
    assert events["ScalingConfig"] == (None if pollers else {"MaximumConcurrency": "7"})
    assert events["ProvisionedPollerConfig"] == (
        {"MinimumPollers": "100", "MaximumPollers": "100"} if pollers else None
    )


def test_without_a_limit_the_scaling_of_both_lanes_is_empty_which_removes_an_earlier_limit() -> None:
    """CloudFormation's reference, `ScalingConfig`: "To remove the configuration, pass an empty value."""
    values = {name: str(one.get("Default", "")) for name, one in MAIN["Parameters"].items()}
    values |= {"WorkerMaxConcurrency": "0", "SlowWorkerMaxConcurrency": "0"}
    events = _resolved(FUNCTIONS["HttpWorkerFunction"]["Properties"]["Events"], values)
    assert [events[name]["Properties"]["ScalingConfig"] for name in ("Runs", "SlowRuns")] == [{}, {}]


@pytest.mark.parametrize("pollers", [0, 100])
def test_the_slow_lane_has_a_share_of_its_own_whatever_the_quick_one_has(pollers: int) -> None:
    values = {name: str(one.get("Default", "")) for name, one in MAIN["Parameters"].items()}
    values |= {"WorkerPollers": str(pollers), "WorkerMaxConcurrency": "7", "SlowWorkerMaxConcurrency": "5"}
    events = FUNCTIONS["HttpWorkerFunction"]["Properties"]["Events"]
    quick, slow = (_resolved(events, values)[name]["Properties"] for name in ("Runs", "SlowRuns"))
    assert slow["ScalingConfig"] == {"MaximumConcurrency": "5"}
    assert (slow["BatchSize"], slow["FunctionResponseTypes"]) == (quick["BatchSize"], quick["FunctionResponseTypes"])


def _resolved(value: Any, values: dict[str, str]) -> Any:
    """A part of the template with these parameters; None for AWS::NoValue."""
    match value:
        case {"Fn::If": [name, then, otherwise]}:
            return _resolved(then if holds(MAIN["Conditions"][name], values) else otherwise, values)
        case {"Ref": name}:
            return None if name == "AWS::NoValue" else values[name]
        case {"Fn::GetAtt": _}:
            return value
        case dict():
            return {key: _resolved(inner, values) for key, inner in value.items()}
        case list():
            return [_resolved(inner, values) for inner in value]
    return value


@pytest.fixture(scope="module")
def expanded() -> dict[str, Any]:
    """The resources after the SAM transform."""
    return expand(long_forms())


def test_the_expanded_gateway_has_every_route_and_asks_for_a_token_where_the_api_needs_a_role(
    expanded: dict[str, Any],
) -> None:
    paths = expanded["Api"]["Properties"]["Body"]["paths"]
    security = {
        (method.upper(), path): operation["security"]
        for path, methods in paths.items()
        for method, operation in methods.items()
    }
    assert security == {(one.method, one.path): [{"Token": []} if one.role else {"NONE": []}] for one in ROUTES}


def test_every_route_of_the_expanded_gateway_calls_the_api_function(expanded: dict[str, Any]) -> None:
    paths = expanded["Api"]["Properties"]["Body"]["paths"]
    called = [
        operation["x-amazon-apigateway-integration"] for methods in paths.values() for operation in methods.values()
    ]
    function = "lambda:path/2015-03-31/functions/${ApiFunction.Arn}/invocations"
    uri = {"Fn::Sub": f"arn:${{AWS::Partition}}:apigateway:${{AWS::Region}}:{function}"}
    assert called == [{"type": "aws_proxy", "httpMethod": "POST", "uri": uri}] * len(ROUTES)


def test_the_token_of_a_route_is_checked_by_the_authorizer_function(expanded: dict[str, Any]) -> None:
    schemes = expanded["Api"]["Properties"]["Body"]["components"]["securitySchemes"]
    assert list(schemes) == ["Token"]
    assert (schemes["Token"]["in"], schemes["Token"]["name"]) == ("header", "Authorization")
    assert "AuthorizerFunction" in json.dumps(schemes["Token"]["x-amazon-apigateway-authorizer"]["authorizerUri"])


def test_exactly_one_permission_lets_the_gateway_call_the_api_function(expanded: dict[str, Any]) -> None:
    permissions = of_type(expanded, "AWS::Lambda::Permission").values()
    [only] = [
        one["Properties"] for one in permissions if "ApiFunction" in json.dumps(one["Properties"]["FunctionName"])
    ]
    assert only["FunctionName"] == {"Ref": "ApiFunction"}
    assert (only["Action"], only["Principal"]) == ("lambda:InvokeFunction", "apigateway.amazonaws.com")
    # Stage and method are wildcards; the API and the beginning of the path are not.
    arn = "arn:${AWS::Partition}:execute-api:${AWS::Region}:${AWS::AccountId}:${Api}/*/*/v1/*"
    assert only["SourceArn"] == {"Fn::Sub": arn}
    assert all(one.path.startswith("/v1/") for one in ROUTES)


@pytest.mark.parametrize("name", ["Tick", "HttpWorker", "Drain", "Api"])
def test_a_function_that_dispatches_has_look_ahead_shards_and_every_workers_queue(name: str) -> None:
    variables = FUNCTIONS[f"{name}Function"]["Properties"]["Environment"]["Variables"]
    assert variables["LOOK_AHEAD_SECONDS"] == {"Ref": "LookAheadSeconds"}
    assert variables["DUE_SHARDS"] == {"Ref": "DueShards"}
    for worker in WORKERS:
        assert variables[f"{worker.upper()}_QUEUE_URL"] == {"Fn::GetAtt": f"Messaging.Outputs.{worker.title()}QueueUrl"}


@pytest.mark.parametrize("worker", WORKERS)
def test_the_worker_of_each_type_of_target_knows_its_name_and_reads_the_queues_of_its_lanes(worker: str) -> None:
    properties = FUNCTIONS[f"{worker.title()}WorkerFunction"]["Properties"]
    assert properties["Environment"]["Variables"]["WORKER"] == worker
    for event, queue in (("Runs", "Queue"), ("SlowRuns", "SlowQueue")):
        arn = {"Fn::GetAtt": f"Messaging.Outputs.{worker.title()}{queue}Arn"}
        assert properties["Events"][event]["Properties"]["Queue"] == arn


@pytest.mark.parametrize("name", ["Tick", "HttpWorker"])
@pytest.mark.parametrize("worker", WORKERS)
def test_a_function_that_knows_the_lane_of_a_job_sends_to_both(name: str, worker: str) -> None:
    variables = FUNCTIONS[f"{name}Function"]["Properties"]["Environment"]["Variables"]
    assert variables[f"{worker.upper()}_SLOW_QUEUE_URL"] == {
        "Fn::GetAtt": f"Messaging.Outputs.{worker.title()}SlowQueueUrl"
    }


def test_a_worker_has_the_callback_url_or_else_the_address_of_the_api() -> None:
    variables = FUNCTIONS["HttpWorkerFunction"]["Properties"]["Environment"]["Variables"]
    assert variables["API_ID"] == {"Ref": "Api"}
    condition, url, otherwise = variables["API_URL"]["Fn::If"]
    assert MAIN["Conditions"][condition] == {"Fn::Not": [{"Fn::Equals": [{"Ref": "CallbackUrl"}, ""]}]}
    assert (url, otherwise) == ({"Ref": "CallbackUrl"}, MAIN["Outputs"]["ApiUrl"]["Value"])


def test_two_stacks_in_one_account_share_no_names() -> None:
    for template in (MAIN, *NESTED.values()):
        resources = template["Resources"]
        for logical, one in resources.items():
            names = [
                value
                for key, value in one.get("Properties", {}).items()
                if re.fullmatch(r"(Table|Bucket|Queue|Function|Role|LogGroup|Topic|Alarm|ManagedPolicy)?Name", key)
            ]
            for value in names:
                own = isinstance(value, dict) and value.get("Ref") in resources
                assert own or "AWS::StackName" in json.dumps(value), logical


def test_every_parameter_is_described_grouped_bounded_and_used() -> None:
    groups = MAIN["Metadata"]["AWS::CloudFormation::Interface"]["ParameterGroups"]
    grouped = [name for group in groups for name in group["Parameters"]]
    assert sorted(grouped) == sorted(MAIN["Parameters"])
    used = set(_intrinsics({key: MAIN[key] for key in ("Resources", "Globals", "Conditions")}))
    for name, one in MAIN["Parameters"].items():
        assert one["Description"].endswith("."), name
        assert "Default" in one, name
        assert f"Ref {name}" in used, name
        bounded = {"AllowedValues", "AllowedPattern", "MinValue"} & one.keys()
        assert bounded, f"{name} accepts any value"
        assert ("ConstraintDescription" in one) == ("AllowedPattern" in one), name
        if "AllowedPattern" in one:
            assert re.fullmatch(one["AllowedPattern"], one["Default"]), name


@pytest.mark.parametrize("name", NESTED)
def test_a_nested_parameter_that_may_be_empty_has_an_empty_default(name: str) -> None:
    """LocalStack passes an empty parameter without a default as nothing, which it then refuses in `Fn::Equals`."""
    compared = {
        operand["Ref"]
        for operands in _values_of("Fn::Equals", NESTED[name].get("Conditions", {}))
        if "" in operands
        for operand in operands
        if isinstance(operand, dict) and "Ref" in operand
    }
    given = MAIN["Resources"][name.title()]["Properties"].get("Parameters", {})
    empty = {
        inner for inner, value in given.items() if MAIN["Parameters"].get(value.get("Ref"), {}).get("Default") == ""
    }
    parameters = NESTED[name]["Parameters"]
    assert compared | empty
    assert {parameter: parameters[parameter].get("Default") for parameter in compared | empty} == dict.fromkeys(
        compared | empty, ""
    )


def _values_of(key: str, value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        for name, inner in value.items():
            if name == key:
                yield inner
            yield from _values_of(key, inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _values_of(key, inner)


def test_every_role_has_the_permissions_boundary() -> None:
    roles = {name: one for name, one in NESTED["access"]["Resources"].items() if one["Type"] == "AWS::IAM::Role"}
    assert len(roles) == len(FUNCTIONS)
    for name, role in roles.items():
        assert role["Properties"]["PermissionsBoundary"]["Fn::If"][0] == "HasBoundary", name
    assert "AWS::IAM::Role" not in {one["Type"] for one in MAIN["Resources"].values()}


def test_the_kms_key_encrypts_all_data_at_rest() -> None:
    encrypted = {
        "AWS::DynamoDB::Table": "SSESpecification",
        "AWS::S3::Bucket": "BucketEncryption",
        "AWS::SQS::Queue": "KmsMasterKeyId",
        "AWS::Logs::LogGroup": "KmsKeyId",
        "AWS::SNS::Topic": "KmsMasterKeyId",
    }
    found = 0
    for template in NESTED.values():
        for name, one in template["Resources"].items():
            if one["Type"] in encrypted:
                assert "KmsKeyArn" in json.dumps(one["Properties"][encrypted[one["Type"]]]), name
                found += 1
    seed = MAIN["Resources"]["SeedFunction"]["Properties"]["Environment"]["Variables"]
    assert seed["ADMIN_TOKEN_KEY"] == {"Ref": "KmsKeyArn"}
    assert found == 2 + 1 + len(_QUEUES) + (len(FUNCTIONS) + 1) + 1
    for name in ("Storage", "Messaging", "Logs", "Access", "Monitoring"):
        assert MAIN["Resources"][name]["Properties"]["Parameters"]["KmsKeyArn"] == {"Ref": "KmsKeyArn"}


def test_the_seed_may_use_the_one_parameter_that_it_is_told() -> None:
    name = "/minutehand/${AWS::StackName}/admin-token"
    seed = MAIN["Resources"]["SeedFunction"]["Properties"]["Environment"]["Variables"]
    arn = MAIN["Resources"]["Access"]["Properties"]["Parameters"]["AdminTokenArn"]
    output = MAIN["Outputs"]["AdminTokenParameter"]["Value"]
    assert seed["ADMIN_TOKEN"] == output == {"Fn::Sub": name}
    assert arn == {"Fn::Sub": "arn:${AWS::Partition}:ssm:${AWS::Region}:${AWS::AccountId}:parameter" + name}


@pytest.mark.parametrize("name", TABLES)
def test_without_a_key_a_table_is_encrypted_with_dynamodbs_own_for_free(name: str) -> None:
    """`SSEType: KMS` without a key is AWS's key in KMS, whose requests are charged."""
    condition, with_key, without = TABLES[name]["Properties"]["SSESpecification"]["Fn::If"]
    assert (condition, without) == ("HasKey", {"SSEEnabled": False}), "an update that removes the property fails"
    assert with_key == {"SSEEnabled": True, "SSEType": "KMS", "KMSMasterKeyId": {"Ref": "KmsKeyArn"}}


_QUEUES = [name for name, one in QUEUES.items() if one["Type"] == "AWS::SQS::Queue"]


@pytest.mark.parametrize("queue", _QUEUES)
def test_a_queue_refuses_requests_without_tls(queue: str) -> None:
    [policy] = [
        one["Properties"]
        for one in QUEUES.values()
        if one["Type"] == "AWS::SQS::QueuePolicy" and {"Ref": queue} in one["Properties"]["Queues"]
    ]
    [statement] = policy["PolicyDocument"]["Statement"]
    assert (statement["Effect"], statement["Principal"], statement["Action"]) == ("Deny", "*", "sqs:*")
    assert json.dumps({"Ref": queue}) in json.dumps(statement["Resource"])
    assert statement["Condition"] == {  # as the bucket's
        "Bool": {"aws:SecureTransport": "false"},
        "NotIpAddress": {"aws:SourceIp": "127.0.0.0/8"},
    }


def _stage(expanded: dict[str, Any]) -> dict[str, Any]:
    [stage] = of_type(expanded, "AWS::ApiGateway::Stage").values()
    properties: dict[str, Any] = stage["Properties"]
    return properties


def test_callbacks_have_a_throttle_of_their_own_and_all_other_routes_share_one(expanded: dict[str, Any]) -> None:
    settings = {(one["HttpMethod"], one["ResourcePath"]): one for one in _stage(expanded)["MethodSettings"]}
    callbacks = {
        (route.method, f"/{route.path.replace('/', '~1')}")
        for route in ROUTES
        if route.path.startswith("/v1/callbacks/")
    }
    assert set(settings) == callbacks | {("*", "/*")}
    for key, one in settings.items():
        of = "Callback" if key in callbacks else "Api"
        assert one["ThrottlingRateLimit"] == {"Ref": f"{of}RateLimit"}
        assert one["ThrottlingBurstLimit"] == {"Ref": f"{of}BurstLimit"}


@pytest.mark.parametrize(
    ("header", "passes"),
    [
        ("Bearer " + "a" * 40, True),
        ("bearer  " + "aB3-_." * 7, True),
        (" BEARER " + "a" * 40 + " ", True),
        ("Bearer " + "a" * 19, False),
        ("Bearer " + "a" * 513, False),
        ("Bearer " + "a" * 20 + " " + "a" * 20, False),
        ("Bearer undefined", False),
        ("Bearer " + "ü" * 40, False),
        ("Basic " + "a" * 40, False),
        ("a" * 40, False),
        ("", False),
    ],
)
def test_the_gateway_calls_the_authorizer_only_for_what_can_be_a_token(
    expanded: dict[str, Any], header: str, passes: bool
) -> None:
    schemes = expanded["Api"]["Properties"]["Body"]["components"]["securitySchemes"]
    expression = schemes["Token"]["x-amazon-apigateway-authorizer"]["identityValidationExpression"]
    assert bool(re.fullmatch(expression, header)) is passes
    accepted: list[str] = []

    class Tokens:
        def get(self, digest: str) -> None:
            accepted.append(digest)

    authorize(Tokens(), header)
    assert accepted or not passes, "whatever passes, the authorizer can read"


@pytest.mark.parametrize("wanted", ["true", "false"])
def test_access_logs_have_the_request_but_no_header_and_so_no_token(wanted: str, expanded: dict[str, Any]) -> None:
    condition, setting, otherwise = _stage(expanded)["AccessLogSetting"]["Fn::If"]
    assert holds(MAIN["Conditions"][condition], {"ApiAccessLogs": wanted}) is (wanted == "true")
    assert otherwise == {"Ref": "AWS::NoValue"}
    assert setting["DestinationArn"] == {"Fn::GetAtt": ["Logs", "Outputs.AccessLogsArn"]}
    line = json.loads(setting["Format"])
    assert {"request_id", "ip", "method", "path", "token", "status", "refused"} <= line.keys()
    assert line["token"] == "$context.authorizer.principalId"  # the token's name (entrypoints/authorizer.py)
    assert all(value.startswith("$context.") for value in line.values())
    assert not re.search("header|querystring|body", setting["Format"], re.IGNORECASE)
    group = NESTED["logs"]["Resources"]["AccessLogs"]["Properties"]
    assert group["RetentionInDays"] == {"Ref": "RetentionDays"}
