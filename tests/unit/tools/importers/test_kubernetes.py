"""CronJobs of Kubernetes become jobs, option by option."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
import yaml

from minutehand.tools.importers.completion import make_completion
from tests.unit.tools.importers.imports import changed, from_json, from_yaml, lost, only, refused


def cron_job(
    spec: dict[str, Any] | None = None, job: dict[str, Any] | None = None, pod: dict[str, Any] | None = None
) -> dict[str, Any]:
    """An object that `kubectl get cronjobs -o json` prints, with the defaults that Kubernetes adds."""
    container = {
        "name": "main",
        "image": "shop/report:7",
        "imagePullPolicy": "IfNotPresent",
        "command": ["/report"],
        "args": ["--day", "yesterday"],
        "env": [{"name": "MODE", "value": "fast"}],
        "resources": {},
        "terminationMessagePath": "/dev/termination-log",
        "terminationMessagePolicy": "File",
    }
    template = {
        "containers": [container],
        "dnsPolicy": "ClusterFirst",
        "restartPolicy": "Never",
        "schedulerName": "default-scheduler",
        "securityContext": {},
        "terminationGracePeriodSeconds": 30,
    } | (pod or {})
    return {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {
            "name": "report",
            "namespace": "shop",
            "uid": "1",
            "resourceVersion": "2",
            "creationTimestamp": "2026-01-01T00:00:00Z",
            "labels": {"app.kubernetes.io/name": "report"},
        },
        "spec": {
            "schedule": "30 4 * * 1-5",
            "timeZone": "Europe/Paris",
            "concurrencyPolicy": "Allow",
            "suspend": False,
            "startingDeadlineSeconds": 200,
            "jobTemplate": {
                "metadata": {"creationTimestamp": None},
                "spec": {
                    "backoffLimit": 2,
                    "activeDeadlineSeconds": 3600,
                    "template": {"metadata": {"creationTimestamp": None}, "spec": template},
                }
                | (job or {}),
            },
        }
        | (spec or {}),
        "status": {"lastScheduleTime": "2026-11-20T03:30:00Z"},
    }


def draft_of(**parts: dict[str, Any]) -> Any:
    return only(from_json("kubernetes", json.dumps({"kind": "List", "items": [cron_job(**parts)]})))


def test_a_cron_job_becomes_a_job_with_a_task_to_complete() -> None:
    draft = draft_of()
    assert draft.document == {
        "namespace": "shop",
        "name": "report",
        "labels": {
            "imported/from": "kubernetes",
            "imported/name": "shop/report",
            "app.kubernetes.io/name": "report",
        },
        "schedule": "30 4 * * 1-5",
        "timezone": "Europe/Paris",
        "dialect": "robfig",
        "target": {
            "type": "ecs",
            "cluster": "to-be-completed",
            "task_definition": "to-be-completed",
            "container": "main",
            "mode": "wait",
            "command": ["/report", "--day", "yesterday"],
            "environment": {"MODE": "fast"},
        },
        "misfire_grace": "3m20s",
        "catch_up": "latest",
        "catchup_window": "3m20s",
        "overlap": "allow",
        "timeout": "1h",
        "run_timeout": "1h",
        "retry": {"max_attempts": 3, "backoff": {"initial": "10s", "factor": 2, "max": "6m"}},
    }
    assert lost(draft) == {"pod.containers[].image"}
    assert draft.to_complete() == ["target.cluster", "target.task_definition"]


def test_yaml_is_read_as_json_is() -> None:
    several = [cron_job(), cron_job() | {"metadata": {"name": "second"}}]
    listed = from_yaml("kubernetes", yaml.safe_dump({"apiVersion": "v1", "kind": "List", "items": several}))
    documents = from_yaml("kubernetes", yaml.safe_dump_all(several))
    assert [d.document for d in listed.kept] == [d.document for d in documents.kept]
    assert listed.kept[1].document["namespace"] == "default"


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ({"spec": {"concurrencyPolicy": "Forbid"}}, {"overlap": "skip"}),
        ({"spec": {"concurrencyPolicy": "Replace"}}, {"overlap": "replace"}),
        ({"spec": {"suspend": True}}, {"paused": True}),
        ({"spec": {"startingDeadlineSeconds": None}}, {"catch_up": "latest", "catchup_window": "3650d"}),
        ({"spec": {"startingDeadlineSeconds": 5}}, {"misfire_grace": "5s", "catchup_window": "5s"}),
        ({"spec": {"successfulJobsHistoryLimit": 3, "failedJobsHistoryLimit": 1}}, {"retention_count": 4}),
        ({"spec": {"schedule": "@hourly"}}, {"schedule": "@hourly"}),
        ({"job": {"backoffLimit": 0}}, {"retry": {"max_attempts": 1}}),
        ({"job": {"backoffLimit": None, "activeDeadlineSeconds": None}}, {"timeout": "1d"}),
        ({"job": {"activeDeadlineSeconds": 40 * 86_400}}, {"timeout": "7d", "run_timeout": "40d", "retention": "41d"}),
    ],
    ids=str,
)
def test_each_option_has_its_field(parts: dict[str, Any], expected: dict[str, Any]) -> None:
    found = draft_of(**parts).document
    assert {name: found.get(name) for name in expected} == expected


def test_what_changes_is_told() -> None:
    draft = draft_of(
        spec={"concurrencyPolicy": "Forbid", "timeZone": None, "schedule": "@every 1h"},
        job={"backoffLimit": 30},
        pod={"restartPolicy": "OnFailure"},
    )
    assert changed(draft) >= {
        "spec.concurrencyPolicy: Forbid",
        "spec.schedule",
        "spec.startingDeadlineSeconds",
        "job.backoffLimit",
        "pod.restartPolicy: OnFailure",
        "pod.containers",
    }


def test_what_no_task_can_have_is_named_field_by_field() -> None:
    container = copy.deepcopy(cron_job()["spec"]["jobTemplate"]["spec"]["template"]["spec"]["containers"][0])
    secret = {"name": "TOKEN", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}
    container |= {"env": [secret, {"name": "not-plain", "value": "1"}], "resources": {"limits": {"cpu": 1}}, "new": 1}
    draft = draft_of(
        spec={"colour": "red"},
        job={"parallelism": 3, "completions": 1, "ttlSecondsAfterFinished": 60},
        pod={"containers": [container, {"name": "side", "image": "x"}], "nodeSelector": {"a": "b"}},
    )
    assert lost(draft) == {
        "spec.colour",
        "job.parallelism",
        "job.ttlSecondsAfterFinished",
        "pod.containers",
        "pod.containers[].env",
        "pod.containers[].image",
        "pod.containers[].new",
        "pod.containers[].resources",
        "pod.nodeSelector",
    }
    assert "environment" not in draft.document["target"]


def test_a_namespace_given_wins() -> None:
    done = from_json("kubernetes", json.dumps(cron_job()), namespace="moved")
    assert only(done).document["namespace"] == "moved"


def test_a_task_is_completed_from_a_file_and_keeps_its_command() -> None:
    ecs = {"type": "ecs", "cluster": "arn:c", "task_definition": "arn:t", "subnets": ["subnet-1"]}
    completion = make_completion({"shop/report": ecs}, url=None, headers=())
    draft = only(from_json("kubernetes", json.dumps(cron_job()), completion=completion))
    assert draft.document["target"] == ecs | {
        "container": "main",
        "mode": "wait",
        "command": ["/report", "--day", "yesterday"],
        "environment": {"MODE": "fast"},
    }


def test_a_url_gets_what_the_container_was_to_run() -> None:
    completion = make_completion({}, url="https://run.example.com/{namespace}/{name}/{task}", headers=[("X-A", "b")])
    draft = only(from_json("kubernetes", json.dumps(cron_job()), completion=completion))
    assert not [found for found in draft.findings if "ECS" in found.reason and found.into.startswith("target.")]
    found = draft.document
    assert found["target"] == {
        "type": "http",
        "method": "POST",
        "url": "https://run.example.com/shop/report/main",
        "headers": {"X-A": "b"},
    }
    assert found["payload"] == {
        "container": "main",
        "command": ["/report", "--day", "yesterday"],
        "environment": {"MODE": "fast"},
    }


def test_other_objects_and_pods_without_containers_are_left_out() -> None:
    assert "is no CronJob" in refused(from_json("kubernetes", '{"kind": "Deployment", "metadata": {"name": "x"}}'))
    assert "no container" in refused(from_json("kubernetes", json.dumps(cron_job(pod={"containers": []}))))
