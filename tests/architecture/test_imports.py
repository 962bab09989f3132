"""What a function must not load: each Lambda imports only what it runs."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from types import MappingProxyType

import pytest

from minutehand.targets import TYPES

NOT_FOR_THE_HOT_PATH = (
    "croniter",
    "cron_descriptor",
    "pydantic",
    "click",
    "rich",
    "yaml",
    "minutehand.schedule.parser",
    "minutehand.schedule.crontab_parser",
    "minutehand.domain.backfill",
    "minutehand.domain.calendar_filter",
    "minutehand.domain.calendar",
    "minutehand.domain.calendar_text",
    "minutehand.domain.dependencies",
    "minutehand.usecases.queries.explanation",
    "minutehand.domain.revision_history",
    "minutehand.domain.namespace",
    "minutehand.domain.actor",
    "minutehand.domain.audit",
    "minutehand.domain.difference",
    "minutehand.domain.precondition",
    "minutehand.adapters.dynamodb.audits",
    "minutehand.adapters.dynamodb.codecs.audit_codec",
    "minutehand.usecases.metering.usage",
    "minutehand.adapters.dynamodb.codecs.calendar_codec",
    "minutehand.adapters.dynamodb.save_transaction",
    "minutehand.domain.secret_prefixes",
    "minutehand.domain.secret_reference",
    "minutehand.adapters.secret_cache",
    "minutehand.adapters.secret_stores",
    "minutehand.targets.secret_uses",
    "minutehand.targets.secrets",
    "minutehand.usecases.definitions.manage",
    "minutehand.usecases.operations.backfill",
    "minutehand.usecases.ports.job_change",
    "minutehand.usecases.completion.child_runs",
    "minutehand.usecases.queries.explain",
    "minutehand.usecases.dispatching.fixed_delay",
    "minutehand.usecases.metering.usage_notes",
    "minutehand.usecases.dispatching.replay",
    "minutehand.usecases.metering.usage_notes",
    "minutehand.usecases.metering.usage",
    "minutehand.adapters.dynamodb.calls.metering",
    "minutehand.entrypoints.api",
    "minutehand.agent",
    "minutehand.cli",
    "minutehand.client",
    "minutehand.handlers",
    "minutehand.tools",
)


def _loaded_by(module: str, **environment: str) -> set[str]:
    program = f"import json, sys; import {module}; print(json.dumps(sorted(sys.modules)))"
    return set(json.loads(_printed_by(program, environment)))


def _printed_by(program: str, besides: Mapping[str, str] = MappingProxyType({})) -> str:
    environment = {
        "AWS_DEFAULT_REGION": "us-east-1",
        "POWERTOOLS_SERVICE_NAME": "test",
        "PYTHONPATH": os.pathsep.join(sys.path),  # the packages that are tested here
        **besides,
    }
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment)
    return done.stdout


@pytest.mark.parametrize("function", ["tick", "worker"])
@pytest.mark.thorough
def test_the_hot_functions_load_neither_parser_nor_validation_nor_api(function: str) -> None:
    loaded = _loaded_by(f"minutehand.entrypoints.{function}")
    assert not [name for name in NOT_FOR_THE_HOT_PATH if name in loaded]


@pytest.mark.parametrize("function", ["tick", "sweep", "drain", "observer"])
@pytest.mark.thorough
def test_a_function_that_calls_no_target_loads_at_most_the_fields_of_targets(function: str) -> None:
    # The codec of definitions is what reads them; not every function loads it before its first call.
    loaded = _loaded_by(f"minutehand.entrypoints.{function}, minutehand.adapters.dynamodb.codecs.definition_codec")
    registry = {f"minutehand.targets.{name}" for name in ("target_type", "aws", "command", "http")}
    of_types = {name for name in loaded if name.startswith("minutehand.targets.")} - registry
    of_types -= {f"minutehand.targets.http.{name}" for name in ("fields", "endpoint_fields", "texts")}
    assert not of_types, "the fields of other types wait for a job of theirs"


@pytest.mark.parametrize("function", ["api", "resource"])
@pytest.mark.thorough
def test_what_saves_jobs_loads_no_caller_of_targets(function: str) -> None:
    loaded = _loaded_by(f"minutehand.entrypoints.{function}")
    assert "minutehand.targets" in loaded
    assert not [name for name in loaded if re.fullmatch(r"minutehand\.targets\.(.+\.)?callers?", name)]


@pytest.mark.thorough
def test_the_http_worker_loads_nothing_for_jobs_with_several_endpoints_before_it_meets_one() -> None:
    loaded = _loaded_by("minutehand.entrypoints.worker")
    for module in ("targets.http.endpoints", "adapters.cloud_map", "adapters.dynamodb.balances", "domain.balance"):
        assert not [name for name in loaded if name.startswith(f"minutehand.{module}")]


@pytest.mark.thorough
def test_the_http_worker_loads_nothing_of_other_types_of_targets() -> None:
    loaded = _loaded_by("minutehand.entrypoints.worker")
    assert {name for name in loaded if name.startswith("minutehand.targets.aws")} == {"minutehand.targets.aws"}


@pytest.mark.thorough
def test_the_aws_worker_loads_its_own_callers_and_not_that_of_http() -> None:
    loaded = _loaded_by("minutehand.entrypoints.worker", WORKER="aws")
    callers = {name for name in loaded if re.fullmatch(r"minutehand\.targets\.(.+\.)?caller", name)}
    kinds = [kind for kind in TYPES.values() if kind.worker == "aws"]
    assert len(callers) == len(kinds) + 1, "one for each type, and what they share"
    assert not [name for name in callers if name.startswith("minutehand.targets.http")]


@pytest.mark.thorough
def test_the_tick_does_not_load_what_decides_about_runs() -> None:
    loaded = _loaded_by("minutehand.entrypoints.tick")
    assert not loaded & {
        "minutehand.domain.run_decisions",
        "minutehand.domain.overlap_lock",
        "minutehand.usecases.running.execute",
    }


@pytest.mark.thorough
def test_the_worker_does_not_load_what_reads_schedules() -> None:
    loaded = _loaded_by("minutehand.entrypoints.worker")
    assert not [name for name in loaded if name.startswith(("minutehand.schedule", "tzdata"))]
    assert not loaded & {"minutehand.domain.planning", "minutehand.usecases.dispatching.dispatch"}


@pytest.mark.parametrize("function", ["authorizer", "seed"])
@pytest.mark.thorough
def test_what_asks_for_tokens_alone_loads_neither_jobs_nor_runs(function: str) -> None:
    loaded = _loaded_by(f"minutehand.entrypoints.{function}")
    assert not [name for name in loaded if name.startswith("minutehand.schedule")]
    assert not loaded & {
        "minutehand.domain.job",
        "minutehand.domain.run",
        "minutehand.domain.declaration.conversion",
        "minutehand.entrypoints.bootstrap",
    }


@pytest.mark.parametrize(
    "function", ["access", "api", "authorizer", "drain", "observer", "resource", "seed", "sweep", "tick", "worker"]
)
@pytest.mark.thorough
def test_garbage_is_collected_again_once_a_function_is_loaded(function: str) -> None:
    program = (
        f"import gc; import minutehand.entrypoints.{function}; print(gc.isenabled(), gc.get_freeze_count() > 10_000)"
    )
    assert _printed_by(program).split() == ["True", "True"]


def test_the_schedule_library_stands_alone() -> None:
    loaded = {name for name in _loaded_by("minutehand.schedule") if name.startswith("minutehand.")}
    assert all(name.startswith("minutehand.schedule") for name in loaded)


def test_the_sdk_needs_neither_aws_nor_the_command_line() -> None:
    loaded = _loaded_by("minutehand.client")
    assert not loaded & {"boto3", "botocore", "click", "rich", "pydantic", "croniter"}


def test_an_agent_starts_with_its_own_extra_and_without_boto3_which_it_loads_once_it_is_registered() -> None:
    loaded = _loaded_by("minutehand.cli.main, minutehand.cli.commands.agent")
    assert not loaded & {"boto3", "botocore", "rich", "yaml", "pydantic", "croniter", "minutehand.agent.sqs"}


def test_no_other_command_loads_the_agent() -> None:
    loaded = _loaded_by("minutehand.cli.main, minutehand.cli.commands.runs")
    assert not [name for name in loaded if name.startswith("minutehand.agent")]


def test_handlers_run_with_the_wheel_and_what_it_requires_alone() -> None:
    program = """
import sys

class Alone:
    def find_spec(self, name, path=None, target=None):
        root = name.partition(".")[0]
        if root not in sys.stdlib_module_names and root not in ("minutehand", "urllib3", "__main__"):
            raise ModuleNotFoundError(f"{name} is not in the wheel", name=name)

sys.meta_path.insert(0, Alone())
from minutehand import App, Context, job, lambda_handler

@job("add", schedule="@daily")
def add(context: Context, a: int, b: int) -> int:
    return a + b

event = {"job": "demo/add", "run_id": "20261120T020000Z", "payload": {"a": 3, "b": 4}}
print(lambda_handler(App("__main__"))(event, None))
print([name for name in sys.modules if name.startswith("minutehand.") and name.split(".")[1] not in ("client", "handlers")])
"""
    assert _printed_by(program).splitlines() == ["7", "[]"]


def test_the_functions_load_no_handlers_with_the_package_s_root() -> None:
    loaded = _loaded_by("minutehand")
    assert not [name for name in loaded if name.startswith("minutehand.")]


@pytest.mark.parametrize("function", ["access", "api", "authorizer"])
@pytest.mark.thorough
def test_what_identifies_callers_loads_no_library_of_signatures_before_the_first_jwt(function: str) -> None:
    issuer = {"OIDC_ISSUER": "https://login.example.com", "OIDC_AUDIENCE": "cli", "JOBS_TABLE": "jobs"}
    loaded = _loaded_by(f"minutehand.entrypoints.{function}", **issuer)
    assert "minutehand.entrypoints.people" in loaded
    assert not loaded & {"jwt", "cryptography", "minutehand.adapters.oidc.people", "minutehand.domain.oidc"}


@pytest.mark.parametrize("function", ["tick", "worker", "sweep", "drain", "observer", "seed"])
@pytest.mark.thorough
def test_what_has_no_callers_loads_nothing_about_them(function: str) -> None:
    loaded = _loaded_by(f"minutehand.entrypoints.{function}")
    assert not loaded & {"jwt", "minutehand.domain.role_map", "minutehand.entrypoints.people"}


def test_the_sdk_loads_botocore_only_to_sign() -> None:
    loaded = _loaded_by("minutehand.client.api, minutehand.client.transport")
    assert not loaded & {"botocore", "minutehand.client.signing"}
