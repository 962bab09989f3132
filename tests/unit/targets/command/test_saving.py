"""Targets of type `command` that are being saved: their fields, and what they may not say."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from minutehand.adapters.dynamodb.codecs import definition_codec
from minutehand.domain.declaration.conversion import shown
from minutehand.domain.errors import Invalid
from minutehand.domain.secret_prefixes import parse_prefixes
from minutehand.entrypoints.api.forms.accept import Terms, accept
from minutehand.targets.terms import TargetTerms
from minutehand.usecases.definitions.revise import revised
from tests.unit.domain.examples import KEY
from tests.unit.targets.aws.calling import NOW

TERMS = Terms(
    targets=TargetTerms(workers=frozenset({"http", "agents"}), secret_prefixes=parse_prefixes("*=ssm:/shop/"))
)
PLAIN = {"type": "command", "pool": "web", "command": "backup --all"}
DEFAULTS = {
    "type": "command",
    "pool": "web",
    "node": None,
    "tags": {},
    "count": None,
    "min_success": None,
    "max_parallel": None,
    "at_start": False,
    "command": "backup --all",
    "handler": None,
    "shell": "/bin/sh",
    "directory": None,
    "environment": {},
    "user": None,
    "stdin": "payload",
    "success_codes": [0],
    "skipped_codes": [],
    "heartbeat": "3m",
}
FULL = {
    "type": "command",
    "pool": "web",
    "node": None,
    "tags": {"role": "web", "size": ""},
    "count": "all",
    "min_success": 2,
    "max_parallel": 3,
    "at_start": True,
    "command": "set -e\nbackup --all | gzip > out",
    "handler": None,
    "shell": "/bin/bash",
    "directory": "/srv/shop",
    "environment": {"CUSTOMER": "{{payload.customer}}", "DB": "a {{secret:ssm:/shop/db}}", "_x1": ""},
    "user": "deploy",
    "stdin": "none",
    "success_codes": [0, 3],
    "skipped_codes": [75, 255],
    "heartbeat": "30s",
}


def saved(given: Terms = TERMS, *, job: dict[str, Any] | None = None, **fields: Any) -> Any:
    document = {"schedule": "@daily", "target": PLAIN | fields} | (job or {})
    return accept(document, KEY, given, now=NOW)


def problems(given: Terms = TERMS, *, job: dict[str, Any] | None = None, **fields: Any) -> dict[str, str]:
    with pytest.raises(Invalid) as refused:
        saved(given, job=job, **fields)
    return {one.path: f"{one.message} | {one.hint}" for one in refused.value.problems}


def test_a_pool_and_a_command_are_enough() -> None:
    assert shown(saved())["target"] == DEFAULTS


def test_every_field_is_shown_and_stored_as_it_was_given() -> None:
    job = saved(**FULL)
    assert shown(job)["target"] == FULL
    definition = revised(None, job, now=NOW, who="ann")
    assert definition_codec.decode(definition_codec.encode(definition)) == definition


def test_one_node_is_named_or_those_with_tags_are_but_not_both() -> None:
    assert shown(saved(node="web-1.example.com"))["target"] == DEFAULTS | {"node": "web-1.example.com"}
    assert problems(node="web-1", tags={"role": "web"}) == {
        "target.tags": "target.node names one node, web-1, whatever its tags | "
        "leave one of the two out: name the node, or the tags that a node must have"
    }


@pytest.mark.parametrize(("given", "stored"), [(3, "3"), ("3", "3"), ("all", "all"), (1, "1")])
def test_a_number_of_nodes_may_be_written_as_a_number(given: Any, stored: str) -> None:
    assert shown(saved(count=given))["target"]["count"] == stored


@pytest.mark.parametrize(
    ("fields", "path", "words"),
    [
        ({"count": "some"}, "target.count", "write all, or a number, such as 3"),
        ({"count": 0}, "target.count", "write all, or a number, such as 3"),
        ({"count": "03"}, "target.count", "write all, or a number, such as 3"),
        ({"count": 501}, "target.count", "500 is the most"),
        ({"count": 2, "node": "web-1"}, "target.count", "name the node, or say on how many the command runs"),
        ({"min_success": 1}, "target.min_success", "say on how many nodes it runs: target.count, such as all"),
        ({"max_parallel": 1}, "target.max_parallel", "say on how many nodes it runs: target.count, such as all"),
        ({"count": 2, "min_success": 3}, "target.min_success", "3 is more than target.count, which is 2"),
        ({"count": 2, "max_parallel": 3}, "target.max_parallel", "give 1 to 2, or leave it out for all of them"),
    ],
)
def test_what_is_said_of_several_nodes_must_fit_together(fields: dict[str, Any], path: str, words: str) -> None:
    found = problems(**fields)
    assert list(found) == [path]
    assert words in found[path]


def test_a_list_is_a_program_with_its_arguments() -> None:
    command = ["backup", "", "--to=$HOME", "a b"]
    job = saved(command=command)
    assert shown(job)["target"]["command"] == command
    assert job.target.command == tuple(command)
    assert definition_codec.decode(definition_codec.encode(revised(None, job, now=NOW, who="ann"))).job == job


@pytest.mark.parametrize(
    ("field", "value", "path", "words"),
    [
        ("pool", None, "target.pool", "must be text"),
        ("pool", "shop/web", "target.pool", "write the name alone, such as 'web'"),
        ("pool", "Web Servers", "target.pool", "did you mean 'web-servers'"),
        ("node", "Web-1", "target.node", "did you mean 'web-1'"),
        ("tags", {"a b": "x"}, "target.tags.a b", "not a valid label name"),
        ("tags", {"role": "x\ny"}, "target.tags.role", "write one line"),
        ("tags", {f"a{n}": "" for n in range(21)}, "target.tags", "20 is the most"),
        ("command", 5, "target.command", "must be text"),
        ("command", None, "target.command", "or name a Python handler in target.handler"),
        ("command", " \n", "target.command", "the command is empty"),
        ("command", [], "target.command", "names no program"),
        ("command", ["", "--all"], "target.command", "names no program"),
        ("command", ["backup", 5], "target.command[1]", "must be text, not a number"),
        ("command", ["backup", "a\0b"], "target.command[1]", "NUL"),
        ("command", "a\0b", "target.command", "NUL"),
        ("command", "x" * 32_769, "target.command", "32,768 is the most"),
        ("command", ["x" * 32_768, "y"], "target.command", "32,769 characters in all"),
        ("command", ["x"] * 257, "target.command", "257 entries; 256 is the most"),
        ("handler", "reports.nightly", "target.handler", "a command or a handler, not both"),
        ("handler", "Nightly report", "target.handler", "not the name of a handler | write it as @job has it"),
        ("handler", "a/b/c", "target.handler", "not the name of a handler"),
        ("shell", "bash", "target.shell", "begins with /, such as /bin/bash"),
        ("shell", "/bin/bash -e", "target.shell", "options of a shell go into the command"),
        ("directory", "srv", "target.directory", "not an absolute path"),
        ("directory", "/srv/{{payload.shop}}", "target.directory", "a path is no template"),
        ("directory", "/srv\0", "target.directory", "NUL"),
        ("environment", {"MINUTEHAND_JOB": "x"}, "target.environment.MINUTEHAND_JOB", "the run's own values"),
        ("environment", {"MY-NAME": "x"}, "target.environment.MY-NAME", "did you mean 'MY_NAME'"),
        ("environment", {"1A": "x"}, "target.environment.1A", "the first not a digit"),
        ("environment", {"A": 1}, "target.environment.A", "must be text"),
        ("environment", {"A": "a\0"}, "target.environment.A", "NUL"),
        ("environment", {"A": "x" * 32_769}, "target.environment.A", "standard input"),
        ("environment", {f"A{n}": "" for n in range(65)}, "target.environment", "64 is the most"),
        ("environment", {"A": "{{paylod}}"}, "target.environment.A", "did you mean payload"),
        ("environment", {"A": "{{parents.load}}"}, "target.environment.A", "has no parents"),
        ("environment", {"A": "{{secret:ssm:/other/key}}"}, "target.environment.A", "may not use the secret"),
        ("user", "1000", "target.user", "the user's name, not the number"),
        ("user", "a b", "target.user", "not the name of a user"),
        ("stdin", "file", "target.stdin", "write 'payload' or 'none'"),
        ("success_codes", [], "target.success_codes", "no exit code could be a success"),
        ("success_codes", ["0"], "target.success_codes[0]", "a whole number, not text"),
        ("success_codes", [True], "target.success_codes[0]", "a whole number"),
        ("success_codes", [0, 256], "target.success_codes[1]", "256 is not an exit code | give 0 to 255"),
        ("skipped_codes", [-1], "target.skipped_codes[0]", "-1 is not an exit code"),
        ("skipped_codes", [75, 0], "target.skipped_codes", "0 is also one of target.success_codes"),
        ("skipped_codes", 75, "target.skipped_codes", "must be a list"),
        ("heartbeat", "29s", "target.heartbeat", "give 30s to 7d"),
        ("heartbeat", None, "target.heartbeat", "must be text"),
        ("url", "https://a.example", "target.url", "unknown field"),
        ("comand", "x", "target.comand", "did you mean `command`?"),
    ],
)
def test_a_bad_field_is_refused_at_its_place(field: str, value: Any, path: str, words: str) -> None:
    found = problems(**{field: value})
    assert [*found] == [path]
    assert words in found[path]


@pytest.mark.parametrize("field", ["pool", "command"])
def test_what_is_missing_is_asked_for(field: str) -> None:
    target = {name: value for name, value in PLAIN.items() if name != field}
    with pytest.raises(Invalid) as refused:
        accept({"schedule": "@daily", "target": target}, KEY, TERMS, now=NOW)
    [problem] = refused.value.problems
    assert (problem.path, problem.message) == (f"target.{field}", "this is required")
    assert problem.hint


def of_handler(**fields: Any) -> dict[str, Any]:
    return {"command": None, "handler": "shop/reports.nightly"} | fields


def test_a_handler_takes_the_place_of_a_command() -> None:
    job = saved(**of_handler(environment={"DAY": "{{scheduled_for}}"}, user="deploy", directory="/srv"))
    assert (job.target.command, job.target.handler) == (None, "shop/reports.nightly")
    stored = definition_codec.encode(revised(None, job, now=NOW, who="ann"))
    assert definition_codec.decode(stored).job == job
    assert "handlers" in str(stored["needs"]), "an older function sets it aside"


@pytest.mark.parametrize(
    ("field", "value"),
    [("shell", "/bin/bash"), ("stdin", "none"), ("success_codes", [1]), ("skipped_codes", [75])],
)
def test_what_is_for_commands_is_refused_beside_a_handler(field: str, value: Any) -> None:
    found = problems(**of_handler(**{field: value}))
    assert [*found] == [f"target.{field}"]
    assert "this is for commands" in found[f"target.{field}"]


@pytest.mark.parametrize(
    "placeholder",
    [
        "{{payload.x}}",
        "{{ run_id }}",
        "{{payload}}",
        "{{parents[0]}}",
        "{{secret:ssm:/shop/db}}",
        "{{secret:",
        "{{name}}",
    ],
)
def test_a_value_of_the_run_is_refused_in_the_command_itself(placeholder: str) -> None:
    text = problems(command=f"report {placeholder}")["target.command"]
    assert "a command is no template" in text
    assert placeholder.rstrip() in text
    assert "target.environment" in text
    listed = problems(command=["report", "--all", placeholder])
    assert [*listed] == ["target.command[2]"]


@pytest.mark.parametrize(
    "command",
    [
        "docker ps --format '{{.Names}}'",
        "docker inspect -f '{{range .Mounts}}{{.Source}}{{end}}' web",
        "echo {{{{ {{item}} ${{x}}",
        "awk '{print $1}'",
    ],
)
def test_braces_of_other_programs_are_left_alone(command: str) -> None:
    assert saved(command=command).target.command == command
    assert saved(command=["sh", "-c", command]).target.command[2] == command


def test_a_shell_is_refused_for_a_list_unless_it_is_the_default() -> None:
    bash, sh = ({"command": ["backup"], "shell": path} for path in ("/bin/bash", "/bin/sh"))
    assert "without a shell" in problems(**bash)["target.shell"]
    assert saved(**sh).target.command == ("backup",)


def test_the_default_heartbeat_suits_a_job_of_any_length_and_another_must_fit() -> None:
    assert saved(job={"timeout": "10s"}).target.heartbeat == timedelta(minutes=3)
    found = problems(heartbeat="2m", job={"timeout": "2m"})
    assert "not shorter than timeout" in found["target.heartbeat"]


def test_a_command_may_last_longer_than_a_worker() -> None:
    assert saved(job={"timeout": "7d"}).timeout == timedelta(days=7)


def test_a_stack_without_agents_refuses_the_type_and_names_the_parameter() -> None:
    found = problems(Terms(targets=TargetTerms()))
    assert "no worker for targets of type command" in found["target.type"]
    assert "Agents=true" in found["target.type"]
