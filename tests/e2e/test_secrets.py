"""Jobs with secrets on the deployed stack: what their targets receive, and that nothing which the stack keeps or answers has a secret."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Iterator
from typing import Any

import pytest
from localstack.clients import Clients
from localstack.echo import EchoServer
from standardwebhooks import Webhook

from minutehand.client import Invalid
from tests.e2e.conftest import Stack, eventually
from tests.e2e.test_aws_targets import ended
from tests.e2e.test_command_line import _minutehand

pytestmark = pytest.mark.services

TOKEN, PASSWORD = 'par4meter/+"quoted" t0ken', "correct-horse&battery=staple"
NEW, OLD = (f"whsec_{base64.b64encode(bytes([n]) * 32).decode()}" for n in (3, 4))
HIDDEN = ("par4meter", "t0ken", "horse", "battery", NEW[6:20], OLD[6:20])
"""Parts of the secrets, as every encoding but base64 writes them."""


@pytest.fixture
def secrets(stack: Stack, namespace: str) -> Iterator[str]:
    """The folder of a namespace's secrets, below which it may use them."""
    ssm, manager = (
        stack.session.client(name, endpoint_url=stack.record.endpoint_url) for name in ("ssm", "secretsmanager")
    )
    folder = f"minutehand/{namespace}"
    ssm.put_parameter(Name=f"/{folder}/token", Value=TOKEN, Type="SecureString")
    ssm.put_parameter(Name=f"/{folder}/keys", Value=f"{NEW}\n{OLD}\n", Type="SecureString")
    manager.create_secret(Name=f"{folder}/db", SecretString=json.dumps({"user": "report", "password": PASSWORD}))
    yield folder
    for client in (ssm, manager):
        client.close()


def document(namespace: str, folder: str, url: str, **fields: Any) -> dict[str, Any]:
    target = {
        "type": "http",
        "url": url,
        "headers": {"Authorization": f"Bearer {{{{secret:ssm:/{folder}/token}}}}"},
        "query": {"p": f"{{{{secret:secretsmanager:{folder}/db#password}}}}"},
        "body": {"json": {"db": f"{{{{secret:secretsmanager:{folder}/db}}}}", "filling": "{{payload}}"}},
        "signing_key": f"ssm:/{folder}/keys",
    }
    return {
        "namespace": namespace,
        "name": "job",
        "schedule": "@manual",
        "target": target | fields.pop("target", {}),
    } | fields


def test_a_target_that_answers_with_all_it_got_leaves_no_secret_anywhere(
    stack: Stack, namespace: str, secrets: str, target: EchoServer
) -> None:
    job, runs = f"{namespace}/job", []
    for path, payload in (("/", "x"), ("/", "long " * 2000), ("/fail", "x")):
        stack.client.apply_job(document(namespace, secrets, target.url + path, payload=payload))
        runs.append(ended(stack, job, stack.client.trigger(job)["run_id"]))
    assert [run["state"] for run in runs] == ["succeeded", "succeeded", "failed"]
    for call in target.calls:
        assert call["headers"]["Authorization"] == f"Bearer {TOKEN}"
        assert call["query"] == {"p": [PASSWORD]}
        assert json.loads(json.loads(call["body"])["db"])["password"] == PASSWORD
        for key in (NEW, OLD):
            Webhook(key).verify(call["body"], call["headers"], json_parse=False)
    tokens = [call["headers"]["Minutehand-Token"] for call in target.calls]
    assert len(tokens) == 3
    kept = everything(stack, job, [run["run_id"] for run in runs])
    assert "****" in kept["answers"]
    assert "****" in kept["outputs"]
    for place, text in kept.items():
        assert text, place
        found = [part for part in (*HIDDEN, *tokens) if part in text]
        assert not found, (place, found)


def everything(stack: Stack, job: str, run_ids: list[str]) -> dict[str, str]:
    """All that the stack keeps and answers about runs, as texts."""
    record, client = stack.record, stack.client
    tables = {
        name: json.dumps(stack.dynamodb.scan(TableName=table)["Items"], default=repr)
        for name, table in (("jobs", record.jobs_table), ("runs", record.runs_table))
    }
    s3, bucket = Clients(record.endpoint_url).s3, record.outputs["OutputBucket"]
    objects = [one["Key"] for one in s3.list_objects_v2(Bucket=bucket).get("Contents", ()) if job in one["Key"]]
    stored = [gzip.decompress(s3.get_object(Bucket=bucket, Key=key)["Body"].read()).decode() for key in objects]
    assert stored, "one answer is so long that it is in the bucket"
    outputs = [client.output(job, run_id) for run_id in run_ids]
    answers = [
        client.get_job(job),
        *(client.run(job, run_id) for run_id in run_ids),
        *client.runs(job),
        client.explain(job),
    ]
    screens = [_minutehand(stack, "run", job, run_id) for run_id in run_ids]
    screens += [_minutehand(stack, "output", job, run_id) for run_id in run_ids]
    screens += [_minutehand(stack, "show", job), _minutehand(stack, "explain", job)]
    return {
        **tables,
        "outputs": json.dumps(outputs) + "".join(stored),
        "answers": json.dumps(answers),
        "screens": "".join(screens),
        "logs": _logs(stack, job),
    }


def _logs(stack: Stack, job: str) -> str:
    """The log lines of all functions, once those of the job's runs are there."""
    logs = Clients(stack.record.endpoint_url).logs

    def look() -> str | None:
        groups = [group["logGroupName"] for group in logs.describe_log_groups()["logGroups"]]
        events = [event for group in groups for event in logs.filter_log_events(logGroupName=group)["events"]]
        text = "\n".join(event["message"] for event in events)
        return text if text.count(job) >= 3 else None

    return eventually(look, seconds=60, what="the log lines of the runs")


def test_what_a_run_fills_in_is_never_read_as_a_reference(
    stack: Stack, namespace: str, secrets: str, target: EchoServer
) -> None:
    payload = {"note": f"{{{{secret:ssm:/{secrets}/token}}}}"}
    stack.client.apply_job(document(namespace, secrets, target.url, payload=payload))
    run = ended(stack, f"{namespace}/job", stack.client.trigger(f"{namespace}/job")["run_id"])
    assert run["state"] == "succeeded"
    assert json.loads(target.calls[-1]["body"])["filling"] == payload


@pytest.mark.parametrize(
    ("reference", "said"),
    [
        ("ssm:/minutehand/other/token", "may not use the secret ssm:/minutehand/other/token"),
        ("ssm:/minutehand/minutehand/admin-token", "holds the first token of a stack"),
        ("ssm:/minutehand/{namespace}/../other/token", "'..' is no part of a name"),
    ],
)
def test_a_secret_of_others_is_refused_when_the_job_is_saved(
    stack: Stack, namespace: str, target: EchoServer, reference: str, said: str
) -> None:
    given = {"headers": {"X-A": f"{{{{secret:{reference.format(namespace=namespace)}}}}}"}}
    with pytest.raises(Invalid, match=said):
        stack.client.apply_job(document(namespace, f"minutehand/{namespace}", target.url, target=given))


def test_a_secret_that_does_not_exist_fails_the_run_with_the_reason(
    stack: Stack, namespace: str, target: EchoServer
) -> None:
    stack.client.apply_job(document(namespace, f"minutehand/{namespace}", target.url, retry={"max_attempts": 3}))
    run = ended(stack, f"{namespace}/job", stack.client.trigger(f"{namespace}/job")["run_id"])
    assert (run["state"], run["attempt"], run["error"]["type"]) == ("failed", 1, "SecretNotFound")
    assert f"minutehand/{namespace}/" in run["error"]["message"]
    assert not target.calls
