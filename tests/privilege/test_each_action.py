"""Take one action from one role, and see what no longer works; give it back, and everything does."""

from __future__ import annotations

import ast
import gzip
from urllib.request import urlopen

import pytest

from minutehand.domain.run import Result, RunState
from minutehand.usecases.completion.keep_output import keep_output
from minutehand.usecases.ports.outputs import whole
from tests.privilege.exercises import EXERCISES
from tests.privilege.functions.api import asking
from tests.privilege.lab import Bench, Deployed, InProcess, Lab
from tests.privilege.policy import ROOT, Grant, grants
from tests.privilege.scene import Scene

pytestmark = pytest.mark.services

WITHOUT: dict[tuple[str, str], dict[str, str]] = {
    ("Tick", "ReadDueTimers"): {"dynamodb:Query": "a due occurrence is claimed"},
    ("Tick", "MoveTimers"): {
        "dynamodb:BatchGetItem": "a job under a calendar is claimed",
        "dynamodb:DeleteItem": "the deadline is removed",
        "dynamodb:PartiQLUpdate": "the timer is advanced",
        "dynamodb:PutItem": "the minute's row is there",
        "dynamodb:UpdateItem": "a missed stretch is recorded",
    },
    ("Tick", "ClaimRuns"): {
        "dynamodb:BatchGetItem": "a triggered run without a message is found",
        "dynamodb:PartiQLInsert": "a due occurrence is claimed",
        "dynamodb:PutItem": "a counted occurrence is claimed",
        "dynamodb:Query": "a queued run of a recheck is found",
        "dynamodb:UpdateItem": "a skipped run is opened again",
    },
    ("Tick", "SendRuns"): {"sqs:SendMessage": "a message is sent"},
    ("HttpWorker", "ReadDefinitions"): {"dynamodb:BatchGetItem": "the batch is handled"},
    ("HttpWorker", "UpdateJobs"): {
        "dynamodb:DeleteItem": "its deadline is removed",
        "dynamodb:PartiQLUpdate": "the timer of a fixed delay is its watchdog",
        "dynamodb:PutItem": "a run that is retried much later has a deadline",
        "dynamodb:UpdateItem": "a backfill goes on",
    },
    ("HttpWorker", "StartAndReport"): {
        "dynamodb:BatchGetItem": "the batch is handled",
        "dynamodb:PartiQLInsert": "a backfill goes on",
        "dynamodb:GetItem": "a run that follows from another is told of its answer",
        "dynamodb:PutItem": "the end of the answer is kept",
        "dynamodb:UpdateItem": "the run is called and reported",
    },
    ("HttpWorker", "StoreLongOutputs"): {"s3:PutObject": "the whole answer is kept"},
    ("HttpWorker", "SendRuns"): {"sqs:SendMessage": "a backfill's next run is sent"},
    ("HttpWorker", "DeleteOldRuns"): {
        "dynamodb:PartiQLDelete": "an old run is removed",
        "dynamodb:Query": "an old run is removed",
    },
    ("HttpWorker", "DeleteLongOutputs"): {"s3:DeleteObject": "what an old run left is removed"},
    ("HttpWorker", "ReceiveMessages"): {"sqs:ChangeMessageVisibility": "the run is called and reported"},
    ("Drain", "ReadDefinitions"): {"dynamodb:BatchGetItem": "the dead letter is dealt with"},
    ("Drain", "UpdateJobs"): {
        "dynamodb:PutItem": "another that was cancelled does not",
        "dynamodb:PartiQLUpdate": "the timer of a fixed delay is its watchdog",
        "dynamodb:UpdateItem": "a backfill goes on",
    },
    ("Drain", "RecordLostRuns"): {
        "dynamodb:BatchGetItem": "the dead letter is dealt with",
        "dynamodb:PartiQLInsert": "a backfill goes on",
        "dynamodb:UpdateItem": "its return is counted",
    },
    ("Drain", "DeleteOldRuns"): {
        "dynamodb:PartiQLDelete": "an old run is removed",
        "dynamodb:Query": "an old run is removed",
    },
    ("Drain", "DeleteLongOutputs"): {"s3:DeleteObject": "what an old run left is removed"},
    ("Drain", "SendRuns"): {"sqs:SendMessage": "the run is sent again"},
    ("Sweep", "ReadNamespaces"): {"dynamodb:Query": "the sweep ends well"},
    ("Sweep", "ReadRecentRuns"): {"dynamodb:Query": "the sweep ends well"},
    ("Sweep", "ReadDueTimers"): {"dynamodb:Query": "a timer is moved to its shard"},
    ("Sweep", "MoveTimers"): {
        "dynamodb:BatchGetItem": "a timer follows its clocks",
        "dynamodb:PartiQLUpdate": "a timer follows its clocks",
        "dynamodb:PutItem": "the end of the renewal is recorded",
    },
    ("Sweep", "MarkResentRuns"): {
        "dynamodb:BatchGetItem": "the run is marked",
        "dynamodb:UpdateItem": "the run is marked",
    },
    ("Sweep", "SendRuns"): {"sqs:SendMessage": "the run is sent again"},
    ("Api", "ManageJobs"): {
        "dynamodb:BatchGetItem": "a job is shown",
        "dynamodb:ConditionCheckItem": "a job without a timer is deleted",
        "dynamodb:DeleteItem": "a job is deleted",
        "dynamodb:GetItem": "a chain is saved",
        "dynamodb:PartiQLUpdate": "the timer is advanced",
        "dynamodb:PutItem": "a job is created",
        "dynamodb:Query": "jobs are listed",
        "dynamodb:UpdateItem": "an edit records what was missed",
    },
    ("Api", "ReadAndClaimRuns"): {
        "dynamodb:BatchGetItem": "a run is shown",
        "dynamodb:GetItem": "the end of a long answer is shown",
        "dynamodb:PartiQLDelete": "an old run is removed",
        "dynamodb:PartiQLInsert": "what is due soon is claimed",
        "dynamodb:PutItem": "a job is triggered",
        "dynamodb:Query": "runs are listed",
        "dynamodb:UpdateItem": "an edit opens a skipped run again",
    },
    ("Api", "StoreAndReadLongOutputs"): {
        "s3:DeleteObject": "what an old run left is removed",
        "s3:GetObject": "a long answer is shown whole",
        "s3:PutObject": "a long result is kept whole",
    },
    ("Api", "SendRuns"): {"sqs:SendMessage": "a message is sent"},
    ("Authorizer", "ReadTokens"): {"dynamodb:GetItem": "a token is known"},
    ("Seed", "ReadAdminToken"): {"secretsmanager:GetSecretValue": "the admin token is stored"},
    ("Seed", "StoreToken"): {"dynamodb:PutItem": "the admin token is stored"},
}
"""By role and statement: the action, and an effect that is not there without it."""

NAMED_OTHERWISE = ("dynamodb:PartiQL", "sqs:")
"""What the emulator asks for by names of its own, see localstack/workarounds.py: it cannot judge these."""

ROWS = [(role, sid, action, effect) for (role, sid), rows in WITHOUT.items() for action, effect in rows.items()]
NAMES = [f"{role}-{sid}-{action.partition(':')[2]}" for role, sid, action, _ in ROWS]


def _grant(role: str, sid: str, action: str) -> Grant:
    [grant] = [one for one in grants() if (one.role, one.sid, one.action) == (role, sid, action)]
    return grant


def _missing(role: str, bench: Bench, lab: Lab) -> set[str]:
    scene = Scene(bench, lab)
    effects = EXERCISES[role](scene)
    scene.clear()
    return {effect for effect, there in effects.items() if not there}


@pytest.mark.parametrize("role", EXERCISES)
def test_with_all_of_its_role_a_deployed_function_does_all_it_is_for(
    role: str, bench: Bench, emulator: Deployed
) -> None:
    assert _missing(role, bench, emulator) == set()


@pytest.mark.parametrize("role", EXERCISES)
def test_aws_refuses_nothing_that_a_function_asks_for(role: str, bench: Bench, documentation: InProcess) -> None:
    assert _missing(role, bench, documentation) == set()


@pytest.mark.parametrize(("role", "sid", "action", "effect"), ROWS, ids=NAMES)
def test_by_the_documentation_no_action_can_be_spared(
    role: str, sid: str, action: str, effect: str, bench: Bench, documentation: InProcess
) -> None:
    with documentation.without(_grant(role, sid, action)):
        assert effect in _missing(role, bench, documentation)


@pytest.mark.parametrize(
    ("role", "sid", "action", "effect"),
    [
        pytest.param(*row, id=name)
        for row, name in zip(ROWS, NAMES, strict=True)
        if not row[2].startswith(NAMED_OTHERWISE)
    ],
)
def test_where_it_is_deployed_no_action_can_be_spared(
    role: str, sid: str, action: str, effect: str, bench: Bench, emulator: Deployed
) -> None:
    with emulator.without(_grant(role, sid, action)):
        assert effect in _missing(role, bench, emulator)


def test_the_link_to_a_long_output_works_for_whoever_has_it(bench: Bench, emulator: Deployed) -> None:
    scene = Scene(bench, emulator)
    run = scene.run(scene.job("long"), scene.now, state=RunState.SUCCEEDED, attempt=1, detailed=True)
    text = "größe\n" * 100_000
    left = whole(Result(type="http", status=200, body=text), None, run.expires_at)
    keep_output(bench.ports.outputs, run.key, 1, left, scene.now)
    path = f"/v1/namespaces/{scene.namespace}/jobs/long/runs/{run.key.run_id}/output"
    status, answer = asking(scene)("GET", path)
    assert (status, answer["text"], answer["bytes"]) == (200, None, 800_000)
    with urlopen(answer["url"]) as fetched:  # noqa: S310 - the emulator's
        assert gzip.decompress(fetched.read()).decode() == text


def test_every_call_that_the_adapters_can_make_was_made(bench: Bench, documentation: InProcess) -> None:
    for exercise in EXERCISES.values():
        exercise(Scene(bench, documentation))
    made = {operation for _, _, operation in documentation.asked}
    assert {operation.replace("_", "") for operation in _written()} == {operation.lower() for operation in made}


def _written() -> set[str]:
    """The operations that the code of the functions calls on a client of AWS."""
    found = set()
    package = ROOT / "functions" / "minutehand"
    for path in [*(package / "adapters").rglob("*.py"), *(package / "entrypoints").rglob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                owner = ast.unparse(node.func.value)
                if owner.endswith(("client", "_client")) or owner.startswith("boto3.client("):
                    found.add(node.func.attr)
    return found
