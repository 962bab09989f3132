"""Each action of each role is needed: without it, an effect is missing."""

from __future__ import annotations

import ast
import gzip
from urllib.request import urlopen

import pytest

from minutehand.domain.run import Result, RunState
from minutehand.usecases.completion.report import keep_output
from minutehand.usecases.ports.outputs import whole
from tests.privilege.exercises import EXERCISES
from tests.privilege.functions.api import requester
from tests.privilege.functions.aws_worker import effect_of
from tests.privilege.policy import ROOT, Grant, grants
from tests.privilege.runners import Bench, DeployedRunner, FunctionRunner, InProcessRunner
from tests.privilege.scene import Scene
from tests.privilege.targets import NAMED, TAGGED

pytestmark = pytest.mark.services

WITHOUT: dict[tuple[str, str], dict[str, str]] = {
    ("Tick", "ReadDueTimers"): {"dynamodb:Query": "a due occurrence is claimed"},
    ("Tick", "ReadPackedTimers"): {"dynamodb:Query": "a packed timer is advanced"},
    ("Tick", "ReadJobs"): {"dynamodb:BatchGetItem": "a job under a calendar is claimed"},
    ("Tick", "MoveTimers"): {
        "dynamodb:DeleteItem": "the deadline is deleted",
        "dynamodb:PartiQLUpdate": "the timer is advanced",
        "dynamodb:PutItem": "the tick is recorded",
        "dynamodb:UpdateItem": "a missed range is recorded",
    },
    ("Tick", "ClaimRuns"): {
        "dynamodb:BatchGetItem": "a triggered run without a message is found",
        "dynamodb:PartiQLInsert": "a due occurrence is claimed",
        "dynamodb:PutItem": "a counted occurrence is claimed",
        "dynamodb:Query": "a queued run of a recheck is found",
        "dynamodb:UpdateItem": "a skipped run is reopened",
    },
    ("Tick", "SendRuns"): {"sqs:SendMessage": "a message is sent"},
    ("Tick", "SendSlowRuns"): {"sqs:SendMessage": "a message is sent to the slow lane"},
    ("Tick", "SendAwsRuns"): {"sqs:SendMessage": "a message is sent to the aws worker"},
    ("Tick", "SendSlowAwsRuns"): {"sqs:SendMessage": "a message is sent to the slow lane of the aws worker"},
    ("HttpWorker", "ReadDefinitions"): {"dynamodb:BatchGetItem": "the batch is handled"},
    ("HttpWorker", "UpdateJobs"): {
        "dynamodb:DeleteItem": "its deadline is deleted",
        "dynamodb:PartiQLUpdate": "a fixed delay's timer becomes its watchdog",
        "dynamodb:PutItem": "a run with a late retry has a deadline",
        "dynamodb:UpdateItem": "a backfill continues",
    },
    ("HttpWorker", "StartAndReport"): {
        "dynamodb:BatchGetItem": "the batch is handled",
        "dynamodb:PartiQLInsert": "a backfill continues",
        "dynamodb:GetItem": "a dependent run gets its parent's result",
        "dynamodb:PutItem": "the end of the answer is stored",
        "dynamodb:UpdateItem": "the run is called and reported",
    },
    ("HttpWorker", "StoreLongOutputs"): {"s3:PutObject": "the whole answer is stored"},
    ("HttpWorker", "SendRuns"): {"sqs:SendMessage": "a backfill's next run is sent"},
    ("HttpWorker", "DeleteOldRuns"): {
        "dynamodb:PartiQLDelete": "an old run is deleted",
        "dynamodb:Query": "an old run is deleted",
    },
    ("HttpWorker", "DeleteLongOutputs"): {"s3:DeleteObject": "an old run's output is deleted"},
    ("HttpWorker", "SendSlowRuns"): {"sqs:SendMessage": "a slow job's run is moved to the slow lane"},
    ("HttpWorker", "ReceiveMessages"): {"sqs:ChangeMessageVisibility": "the run is called and reported"},
    ("HttpWorker", "ReceiveSlowMessages"): {"sqs:ChangeMessageVisibility": "a run of the slow lane is called"},
    ("Drain", "ReadDefinitions"): {"dynamodb:BatchGetItem": "the dead letters are handled"},
    ("Drain", "UpdateJobs"): {
        "dynamodb:PutItem": "a cancelled backfill's run is cancelled",
        "dynamodb:PartiQLUpdate": "a fixed delay's timer becomes its watchdog",
        "dynamodb:UpdateItem": "a backfill continues",
    },
    ("Drain", "RecordLostRuns"): {
        "dynamodb:BatchGetItem": "the dead letters are handled",
        "dynamodb:PartiQLInsert": "a backfill continues",
        "dynamodb:UpdateItem": "its resend is counted",
    },
    ("Drain", "DeleteOldRuns"): {
        "dynamodb:PartiQLDelete": "an old run is deleted",
        "dynamodb:Query": "an old run is deleted",
    },
    ("Drain", "DeleteLongOutputs"): {"s3:DeleteObject": "an old run's output is deleted"},
    ("Drain", "ReceiveDeadLetters"): {
        "sqs:DeleteMessage": "the dead letters are deleted",
        "sqs:ReceiveMessage": "the run is sent again",
    },
    ("Drain", "SendRuns"): {"sqs:SendMessage": "the run is sent again"},
    ("Drain", "SendAwsRuns"): {"sqs:SendMessage": "a run is sent to the aws worker again"},
    ("Drain", "ReceiveAwsDeadLetters"): {
        "sqs:DeleteMessage": "the dead letters are deleted",
        "sqs:ReceiveMessage": "a run is sent to the aws worker again",
    },
    ("Sweep", "ReadJobs"): {
        "dynamodb:BatchGetItem": "a timer follows a time zone change",
        "dynamodb:Query": "the sweep succeeds",
    },
    ("Sweep", "ReadRecentRuns"): {"dynamodb:Query": "the sweep succeeds"},
    ("Sweep", "ReadDueTimers"): {"dynamodb:Query": "a timer is moved to its shard"},
    ("Sweep", "MoveTimers"): {
        "dynamodb:PartiQLUpdate": "a timer follows a time zone change",
        "dynamodb:PutItem": "the end of the renewal is recorded",
    },
    ("Sweep", "UnpackAndDropWatchlists"): {"dynamodb:DeleteItem": "a watchlist is dropped"},
    ("Sweep", "LookAtAndMarkRuns"): {
        "dynamodb:BatchGetItem": "the run is marked",
        "dynamodb:Query": "a run of two parents that nobody started is noticed",
        "dynamodb:UpdateItem": "the run is marked",
    },
    ("Sweep", "CountDeadLetters"): {"sqs:GetQueueAttributes": "the drain is started"},
    ("Sweep", "CountAwsDeadLetters"): {"sqs:GetQueueAttributes": "the drain is started"},
    ("Sweep", "SendRuns"): {"sqs:SendMessage": "the run is sent again"},
    ("Sweep", "SendAwsRuns"): {"sqs:SendMessage": "a run is sent to the aws worker again"},
    ("Observer", "ReadJobs"): {
        "dynamodb:BatchGetItem": "a run that has not begun is found",
        "dynamodb:Query": "the observation succeeds",
    },
    ("Observer", "ReadDueTimers"): {"dynamodb:Query": "the observation succeeds"},
    ("Observer", "ReadRecentRuns"): {"dynamodb:Query": "the observation succeeds"},
    ("Observer", "LookAtRuns"): {
        "dynamodb:BatchGetItem": "the observation succeeds",
        "dynamodb:Query": "the observation succeeds",
    },
    ("Api", "ReadJobs"): {
        "dynamodb:BatchGetItem": "a job is shown",
        "dynamodb:Query": "jobs are listed",
    },
    ("Api", "FindOverdueTimers"): {"dynamodb:Query": "overdue timers are found"},
    ("Api", "CountMessages"): {"sqs:GetQueueAttributes": "the queue http is counted"},
    ("Api", "CountSlowMessages"): {"sqs:GetQueueAttributes": "the queue http_slow is counted"},
    ("Api", "CountDeadLetters"): {"sqs:GetQueueAttributes": "the queue http_dead_letter is counted"},
    ("Api", "CountAwsMessages"): {"sqs:GetQueueAttributes": "the queue aws is counted"},
    ("Api", "CountSlowAwsMessages"): {"sqs:GetQueueAttributes": "the queue aws_slow is counted"},
    ("Api", "CountAwsDeadLetters"): {"sqs:GetQueueAttributes": "the queue aws_dead_letter is counted"},
    ("Api", "ReadGraphAndTokens"): {"dynamodb:GetItem": "a chain of dependencies is saved"},
    ("Api", "ManageJobs"): {
        "dynamodb:ConditionCheckItem": "a job without a timer is deleted",
        "dynamodb:DeleteItem": "a job is deleted",
        "dynamodb:PartiQLUpdate": "the timer is advanced",
        "dynamodb:UpdateItem": "an edit records missed runs",
    },
    ("Api", "PutJobsAndRecords"): {"dynamodb:PutItem": "a change is recorded"},
    ("Api", "ReadAndClaimRuns"): {
        "dynamodb:BatchGetItem": "a run is shown",
        "dynamodb:GetItem": "the end of a long answer is shown",
        "dynamodb:PartiQLDelete": "an old run is deleted",
        "dynamodb:PartiQLInsert": "a run within the look-ahead is claimed",
        "dynamodb:PutItem": "a job is triggered",
        "dynamodb:Query": "runs are listed",
        "dynamodb:UpdateItem": "an edit reopens a skipped run",
    },
    ("Api", "ListRunsByTime"): {"dynamodb:Query": "runs of a namespace are listed"},
    ("Api", "ListRunsThatWantAttention"): {"dynamodb:Query": "failed runs are listed"},
    ("Api", "StoreAndReadLongOutputs"): {
        "s3:DeleteObject": "an old run's output is deleted",
        "s3:GetObject": "a long answer is shown whole",
        "s3:PutObject": "a long result is stored whole",
    },
    ("Api", "TellMissingOutputs"): {"s3:ListBucket": "a deleted answer differs from a refused one"},
    ("Api", "SendRuns"): {"sqs:SendMessage": "a message is sent"},
    ("Api", "SendAwsRuns"): {"sqs:SendMessage": "a message is sent to the aws worker"},
    ("Authorizer", "ReadTokens"): {"dynamodb:GetItem": "a known token is accepted"},
    ("Authorizer", "NoteUse"): {"dynamodb:UpdateItem": "the use of a token is noted"},
    ("Access", "ManageTokens"): {
        "dynamodb:BatchGetItem": "tokens are listed",
        "dynamodb:DeleteItem": "a token is revoked",
        "dynamodb:GetItem": "a token is shown",
        "dynamodb:Query": "tokens are listed",
    },
    ("Access", "PutTokensAndRecords"): {"dynamodb:PutItem": "a token is made"},
    ("Seed", "KeepAdminToken"): {
        "ssm:DeleteParameter": "its parameter is deleted",
        "ssm:GetParameter": "the admin token is stored",
        "ssm:PutParameter": "its parameter is made",
    },
    ("Seed", "StoreToken"): {"dynamodb:PutItem": "the admin token is stored"},
    ("Resource", "ReadJobs"): {
        "dynamodb:BatchGetItem": "a job is created",
        "dynamodb:GetItem": "a chain of dependencies is saved",
    },
    ("Resource", "CountJobs"): {"dynamodb:Query": "the jobs of a namespace with a quota are counted"},
    ("Resource", "ManageJobs"): {
        "dynamodb:ConditionCheckItem": "a job without a timer is deleted",
        "dynamodb:DeleteItem": "a job is deleted",
        "dynamodb:PartiQLUpdate": "the timer is advanced",
        "dynamodb:UpdateItem": "an edit records missed runs",
    },
    ("Resource", "PutJobsRecordsAndAnswers"): {"dynamodb:PutItem": "a job is created"},
    ("Resource", "ReadAndClaimRuns"): {
        "dynamodb:BatchGetItem": "an edit reopens a skipped run",
        "dynamodb:PartiQLInsert": "a run within the look-ahead is claimed",
        "dynamodb:PutItem": "a counted occurrence is claimed",
        "dynamodb:Query": "an edit counts the claimed runs",
        "dynamodb:UpdateItem": "an edit reopens a skipped run",
    },
    ("Resource", "SendRuns"): {"sqs:SendMessage": "a message is sent"},
    ("Resource", "SendAwsRuns"): {"sqs:SendMessage": "a message is sent to the aws worker"},
}
"""By role and statement: each action, and an effect that is missing without it."""

ACTIONS = {
    "lambda": "lambda:InvokeFunction",
    "sqs": "sqs:SendMessage",
    "sns": "sns:Publish",
    "eventbridge": "events:PutEvents",
    "stepfunctions": "states:StartExecution",
    "ecs": "ecs:RunTask",
}
"""The action that the call of each type of target in AWS needs."""
# Every worker does the same with runs. They differ in what they call, and in the queue of the other.
WITHOUT |= {("AwsWorker", sid): actions for (role, sid), actions in WITHOUT.items() if role == "HttpWorker"}
_OTHER_WORKER = {"sqs:SendMessage": "a run is sent to the worker of its job's new target"}
WITHOUT |= {
    ("HttpWorker", "SendAwsRuns"): _OTHER_WORKER,
    ("HttpWorker", "DiscoverEndpoints"): {"servicediscovery:DiscoverInstances": "an endpoint is found in Cloud Map"},
    ("HttpWorker", "ReadNamedSecrets"): {
        "secretsmanager:GetSecretValue": "a secret is sent",
        "ssm:GetParameter": "a parameter is sent",
    },
    ("HttpWorker", "DecryptNamedSecrets"): {"kms:Decrypt": "a parameter with a key of its own is sent"},
    ("AwsWorker", "SendHttpRuns"): _OTHER_WORKER,
    ("AwsWorker", "CallNamedTargets"): {action: effect_of(kind, NAMED) for kind, action in ACTIONS.items()},
    ("AwsWorker", "CallTaggedTargets"): {action: effect_of(kind, TAGGED) for kind, action in ACTIONS.items()},
    ("AwsWorker", "PassNamedRolesToTasks"): {"iam:PassRole": effect_of("ecs", NAMED)},
    ("AwsWorker", "AssumeNamedRoles"): {"sts:AssumeRole": "a message is sent with a role"},
}

_TO_AGENTS = {"sqs:SendMessage": "a run is sent to the agents worker"}
WITHOUT |= {
    ("HttpWorker", "SendAgentsRuns"): _TO_AGENTS,
    ("AwsWorker", "SendAgentsRuns"): _TO_AGENTS,
    ("Tick", "SendAgentsRuns"): {"sqs:SendMessage": "a message is sent to the agents worker"},
    ("Drain", "SendAgentsRuns"): {"sqs:SendMessage": "a run is sent to the agents worker again"},
    ("Drain", "ReceiveAgentsDeadLetters"): {
        "sqs:DeleteMessage": "the dead letters are deleted",
        "sqs:ReceiveMessage": "a run is sent to the agents worker again",
    },
    ("Sweep", "SendAgentsRuns"): {"sqs:SendMessage": "a run is sent to the agents worker again"},
    ("Sweep", "CountAgentsDeadLetters"): {"sqs:GetQueueAttributes": "the drain is started"},
    ("Api", "SendAgentsRuns"): {"sqs:SendMessage": "a message is sent to the agents worker"},
    ("Api", "CountAgentsMessages"): {"sqs:GetQueueAttributes": "the queue agents is counted"},
    ("Api", "CountAgentsDeadLetters"): {"sqs:GetQueueAttributes": "the queue agents_dead_letter is counted"},
    ("Resource", "SendAgentsRuns"): {"sqs:SendMessage": "a message is sent to the agents worker"},
    ("Agents", "ReadDefinitions"): {"dynamodb:BatchGetItem": "the batch is handled"},
    ("Agents", "ReadTokens"): {"dynamodb:GetItem": "an agent registers"},
    ("Agents", "ListNodesPoolsAndJobs"): {"dynamodb:Query": "a silent node is removed"},
    ("Agents", "UpdateJobs"): {
        "dynamodb:DeleteItem": "its deadline is deleted",
        "dynamodb:PartiQLUpdate": "a fixed delay's timer becomes its watchdog",
        "dynamodb:PutItem": "an agent registers",
        "dynamodb:UpdateItem": "a backfill continues",
    },
    ("Agents", "StartAndReport"): {
        "dynamodb:BatchGetItem": "the batch is handled",
        "dynamodb:GetItem": "a dependent run gets its parent's result",
        "dynamodb:PartiQLInsert": "a backfill continues",
        "dynamodb:PutItem": "the end of the answer is stored",
        "dynamodb:UpdateItem": "a run is started",
    },
    ("Agents", "StoreLongOutputs"): {"s3:PutObject": "the whole answer is stored"},
    ("Agents", "DeleteOldRuns"): WITHOUT["HttpWorker", "DeleteOldRuns"],
    ("Agents", "DeleteLongOutputs"): WITHOUT["HttpWorker", "DeleteLongOutputs"],
    ("Agents", "SendRuns"): {"sqs:SendMessage": "a backfill's next run is sent"},
    ("Agents", "SendHttpRuns"): _OTHER_WORKER,
    ("Agents", "SendAwsRuns"): {"sqs:SendMessage": "a run is sent to the aws worker"},
    ("Agents", "ReceiveMessages"): {"sqs:ChangeMessageVisibility": "the batch is handled"},
    ("Agents", "ManagePoolQueues"): {
        "sqs:CreateQueue": "an agent registers",
        "sqs:DeleteQueue": "a silent pool is removed",
        "sqs:GetQueueAttributes": "a silent pool is removed",
        "sqs:SendMessage": "a run is forwarded to its pool",
        "sqs:SetQueueAttributes": "the queue of a pool that an earlier version made is changed",
        "sqs:TagQueue": "an agent registers",
    },
    ("Agents", "ManageInboxes"): {
        "sqs:CreateQueue": "an agent registers",
        "sqs:DeleteQueue": "a silent node is removed",
        "sqs:SendMessage": "a run is forwarded to its node",
        "sqs:SetQueueAttributes": "an inbox that an earlier version made is changed",
        "sqs:TagQueue": "an agent registers",
    },
    ("Agents", "ReadNamedSecrets"): {
        "secretsmanager:GetSecretValue": "a secret is in an order",
        "ssm:GetParameter": "a parameter is in an order",
    },
    ("Agents", "DecryptNamedSecrets"): {"kms:Decrypt": "a parameter with a key of its own is in an order"},
    **{
        ("Agent", sid): {
            "sqs:ChangeMessageVisibility": f"a message of the {queue} is hidden",
            "sqs:DeleteMessage": f"a message of the {queue} is deleted",
            "sqs:ReceiveMessage": f"a message of the {queue} is received",
        }
        for sid, queue in (("TakeFromPoolQueues", "pool"), ("TakeFromInboxes", "node"))
    },
}

RENAMED_BY_EMULATOR = ("dynamodb:PartiQL", "sqs:", "s3:ListBucket", "iam:PassRole", "kms:Decrypt")
"""Actions that the emulator cannot test: it authorizes them under other names (localstack/workarounds.py), or, for a missing object of a
bucket that may not be listed, answers NoSuchKey. It checks neither iam:PassRole nor the keys of secrets."""

NOT_ON_THE_EMULATOR = {
    "an endpoint is found in Cloud Map",
    *(effect_of(kind, TAGGED) for kind in ("ecs", "eventbridge", "stepfunctions")),
}
"""Effects that the emulator never allows: when it judges a call, it knows neither the condition keys of Cloud Map nor the tags of these
resources."""

NOT_DEPLOYED = ("Observer",)
"""Roles whose functions the local stack lacks: its alarms tell nobody, so that it has no observer."""

ROWS = [(role, sid, action, effect) for (role, sid), rows in WITHOUT.items() for action, effect in rows.items()]
NAMES = [f"{role}-{sid}-{action.partition(':')[2]}" for role, sid, action, _ in ROWS]


def _grant(role: str, sid: str, action: str) -> Grant:
    [grant] = [one for one in grants() if (one.role, one.sid, one.action) == (role, sid, action)]
    return grant


def _worker_of(role: str) -> str:
    """The worker of the targets of the jobs in a role's exercise."""
    return {"AwsWorker": "aws", "Agents": "agents", "Agent": "agents"}.get(role, "http")


def _missing(role: str, bench: Bench, runner: FunctionRunner) -> set[str]:
    scene = Scene(bench, runner, _worker_of(role))
    effects = EXERCISES[role](scene)
    scene.clear()
    return {effect for effect, occurred in effects.items() if not occurred}


@pytest.mark.parametrize("role", [role for role in EXERCISES if role not in NOT_DEPLOYED])
def test_with_its_whole_role_a_deployed_function_has_all_effects(
    role: str, bench: Bench, emulator: DeployedRunner
) -> None:
    assert _missing(role, bench, emulator) <= NOT_ON_THE_EMULATOR


@pytest.mark.parametrize("role", EXERCISES)
def test_aws_refuses_no_call_of_a_function(role: str, bench: Bench, documentation: InProcessRunner) -> None:
    assert _missing(role, bench, documentation) == set()


@pytest.mark.parametrize(("role", "sid", "action", "effect"), ROWS, ids=NAMES)
def test_by_the_documentation_every_action_is_needed(
    role: str, sid: str, action: str, effect: str, bench: Bench, documentation: InProcessRunner
) -> None:
    with documentation.without(_grant(role, sid, action)):
        assert effect in _missing(role, bench, documentation)


@pytest.mark.parametrize(
    ("role", "sid", "action", "effect"),
    [
        pytest.param(*row, id=name)
        for row, name in zip(ROWS, NAMES, strict=True)
        if row[0] not in NOT_DEPLOYED
        and not row[2].startswith(RENAMED_BY_EMULATOR)
        and row[3] not in NOT_ON_THE_EMULATOR
    ],
)
def test_on_the_emulator_every_action_is_needed(
    role: str, sid: str, action: str, effect: str, bench: Bench, emulator: DeployedRunner
) -> None:
    with emulator.without(_grant(role, sid, action)):
        assert effect in _missing(role, bench, emulator)


def test_the_link_to_a_long_output_needs_no_credentials(bench: Bench, emulator: DeployedRunner) -> None:
    scene = Scene(bench, emulator)
    run = scene.run(scene.job("long"), scene.now, state=RunState.SUCCEEDED, attempt=1, detailed=True)
    text = "größe\n" * 100_000
    left = whole(Result(type="http", status=200, body=text), None, run.expires_at)
    keep_output(bench.ports.outputs, run.key, 1, left, scene.now)
    path = f"/v1/namespaces/{scene.namespace}/jobs/long/runs/{run.key.run_id}/output"
    status, answer = requester(scene)("GET", path)
    assert (status, answer["text"], answer["bytes"]) == (200, None, 800_000)
    with urlopen(answer["url"]) as fetched:  # noqa: S310 - the emulator's
        assert gzip.decompress(fetched.read()).decode() == text


def test_the_exercises_make_every_call_of_the_adapters(bench: Bench, documentation: InProcessRunner) -> None:
    for role, exercise in EXERCISES.items():
        exercise(Scene(bench, documentation, _worker_of(role)))
    made = {operation for role, _, operation in documentation.calls if role != "Agent"}
    assert {operation.replace("_", "") for operation in _written()} == {operation.lower() for operation in made}


def _written() -> set[str]:
    """The AWS operations in the functions' source code."""
    found = set()
    package = ROOT / "functions" / "minutehand"
    for path in [
        path for part in ("adapters", "entrypoints", "targets/aws") for path in (package / part).rglob("*.py")
    ]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                owner = ast.unparse(node.func.value)
                if owner.endswith(("client", "_client()")) or owner.startswith("boto3.client("):
                    found.add(node.func.attr)
    return found
