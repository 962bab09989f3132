"""Settings, from environment variables; their defaults are the template's."""

from __future__ import annotations

import dataclasses
from datetime import timedelta
from pathlib import Path

import pytest
import yaml

from minutehand.domain.job import Job
from minutehand.domain.retention import DEFAULT_RETENTION
from minutehand.entrypoints.api.documents.job import JobDocument
from minutehand.entrypoints.api.forms.accept import Terms
from minutehand.entrypoints.api.forms.model import form_of
from minutehand.entrypoints.settings import _VARIABLES, Settings

TEMPLATE = Path(__file__).parents[3] / "template.yaml"
JOBS = {"JOBS_TABLE": "jobs"}
DEFAULT = Settings(jobs_table="jobs")


class _Template(yaml.SafeLoader):
    """Loads a template without resolving its functions (`!Ref`, `!GetAtt`)."""


_Template.add_multi_constructor("!", lambda _loader, _suffix, _node: None)
PARAMETERS = yaml.load(TEMPLATE.read_text(encoding="utf-8"), _Template)["Parameters"]  # noqa: S506 - a SafeLoader


@pytest.mark.parametrize(
    ("parameter", "setting"),
    [
        ("DueShards", DEFAULT.due_shards),
        ("TickShare", DEFAULT.tick_share),
        ("TickFanOut", DEFAULT.tick_fan_out),
        ("LookAheadSeconds", DEFAULT.look_ahead / timedelta(seconds=1)),
        ("RunRetentionDays", DEFAULT.run_retention / timedelta(days=1)),
        ("AuditRetentionDays", DEFAULT.audit_retention / timedelta(days=1)),
        ("AllowedTargets", DEFAULT.allowed_targets),
        ("AllowLoopbackTargets", str(DEFAULT.allow_loopback).lower()),
        ("ShadowMode", str(DEFAULT.shadow).lower()),
    ],
)
def test_a_parameter_of_the_template_has_the_default_of_its_setting(parameter: str, setting: object) -> None:
    assert PARAMETERS[parameter]["Default"] == setting


def test_the_default_retention_is_one_everywhere() -> None:
    [of_a_job] = [each.default for each in dataclasses.fields(Job) if each.name == "retention"]
    of_the_form = form_of(JobDocument).model_fields["retention"].default
    assert {of_a_job, Terms().retention, DEFAULT.run_retention} == {DEFAULT_RETENTION}
    assert of_the_form == "30d"


def test_a_variable_that_is_not_set_leaves_the_default() -> None:
    assert Settings.read(JOBS) == DEFAULT


def test_every_setting_is_read_from_its_variable() -> None:
    texts = {
        "RUNS_TABLE": "runs",
        "OUTPUT_BUCKET": "outputs",
        "DUE_SHARDS": "16",
        "TICK_SHARE": "500",
        "TICK_FAN_OUT": "4",
        "LOOK_AHEAD_SECONDS": "60",
        "ALLOW_LOOPBACK": "True",
        "ALLOWED_TARGETS": "10.0.0.0/8",
        "AWS_TARGET_ARNS": "arn:aws:sqs:*",
        "AWS_TARGET_ROLES": "arn:aws:iam::*",
        "AWS_TAGGED_TARGETS": "true",
        "CLOUD_MAP_NAMESPACES": "shop.*",
        "SECRET_PREFIXES": "*=ssm:/jobs/",
        "API_URL": "https://cron.example.com/",
        "RUN_RETENTION_DAYS": "7",
        "AUDIT_RETENTION_DAYS": "90",
        "SHADOW": "true",
        "DRAIN_FUNCTION": "drain",
        "TOKEN_RATE": "20",
        "TOKEN_BURST": "40",
        "RESOURCE_NAMESPACES": "shop,ops",
        "OIDC_ISSUER": "https://login.example.com",
        "OIDC_AUDIENCE": "cli,web",
        "OIDC_ROLES": "platform=admin:*",
        "OIDC_ROLES_CLAIM": "roles",
        "OIDC_NAME_CLAIM": "upn",
        "OIDC_CLOCK_SKEW_SECONDS": "5",
        "IAM_ROLES": "arn:aws:iam::111122223333:role/deploy=admin:shop",
        "AGENT_QUEUES": "minutehand-agents",
        "AGENT_QUEUE_KEY": "arn:aws:kms:eu-west-1:111122223333:key/1a2b",
        "AGENT_ROLE": "arn:aws:iam::111122223333:role/agent",
        "DEAD_LETTERS_ARN": "arn:aws:sqs:eu-west-1:111122223333:dead",
        "ADMIN_TOKEN": "parameter",
        "ADMIN_TOKEN_KEY": "key",
        "WATCHED_QUEUES": "http=https://sqs/a http_slow=https://sqs/b?c=d",
        "WORKER": "http",
        "AWS_REGION": "eu-west-1",
    }
    assert set(texts) == {variable for variable, _ in _VARIABLES.values()}
    assert Settings.read(JOBS | texts) == Settings(
        jobs_table="jobs",
        watched_queues={"http": "https://sqs/a", "http_slow": "https://sqs/b?c=d"},
        runs_table="runs",
        output_bucket="outputs",
        due_shards=16,
        tick_share=500,
        tick_fan_out=4,
        look_ahead=timedelta(seconds=60),
        allow_loopback=True,
        allowed_targets="10.0.0.0/8",
        aws_target_arns="arn:aws:sqs:*",
        aws_target_roles="arn:aws:iam::*",
        aws_tagged_targets=True,
        cloud_map_namespaces="shop.*",
        secret_prefixes="*=ssm:/jobs/",
        api_url="https://cron.example.com",
        run_retention=timedelta(days=7),
        audit_retention=timedelta(days=90),
        shadow=True,
        drain_function="drain",
        token_rate=20,
        token_burst=40,
        resource_namespaces=("shop", "ops"),
        oidc_issuer="https://login.example.com",
        oidc_audiences=("cli", "web"),
        oidc_roles="platform=admin:*",
        oidc_roles_claim="roles",
        oidc_name_claim="upn",
        oidc_clock_skew=timedelta(seconds=5),
        iam_roles="arn:aws:iam::111122223333:role/deploy=admin:shop",
        agent_queues="minutehand-agents",
        agent_queue_key="arn:aws:kms:eu-west-1:111122223333:key/1a2b",
        agent_role="arn:aws:iam::111122223333:role/agent",
        dead_letters_arn="arn:aws:sqs:eu-west-1:111122223333:dead",
        admin_token="parameter",
        admin_token_key="key",
        worker="http",
        region="eu-west-1",
    )


def test_each_worker_has_a_queue_by_its_name() -> None:
    urls = {"HTTP_QUEUE_URL": "https://sqs/http", "ECHO_QUEUE_URL": "https://sqs/echo"}
    assert Settings.read(JOBS | urls).queue_urls == {"http": "https://sqs/http", "echo": "https://sqs/echo"}


def test_the_workers_of_a_stack_are_those_whose_quick_lanes_are_known() -> None:
    names = ("HTTP", "HTTP_SLOW", "HTTP_DEAD_LETTER", "AWS", "AWS_DEAD_LETTER")
    settings = Settings.read(JOBS | {f"{name}_QUEUE_URL": name for name in names})
    assert settings.workers == {"http", "aws"}


@pytest.mark.parametrize(("reserved", "fan_out"), [("0", 8), ("1", 1), ("2", 1), ("5", 4), ("100", 8)])
def test_of_the_ticks_reserved_concurrency_one_invocation_stays_free(reserved: str, fan_out: int) -> None:
    assert Settings.read(JOBS | {"TICK_RESERVED": reserved}).tick_fan_out == fan_out


@pytest.mark.parametrize("seconds", ["0", "-1", "901"])
def test_a_look_ahead_that_no_message_can_be_delayed_by_is_refused(seconds: str) -> None:
    with pytest.raises(ValueError, match=f"LOOK_AHEAD_SECONDS is {seconds}; give 1 to 900"):
        Settings.read(JOBS | {"LOOK_AHEAD_SECONDS": seconds})
