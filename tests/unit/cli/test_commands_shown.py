"""Jobs whose target is a command, as `minutehand show` prints them."""

from __future__ import annotations

from typing import Any

import pytest

from minutehand.cli.screen.job_text import MOST_SHOWN, job_fields

PLAIN = {
    "type": "command",
    "pool": "web",
    "node": None,
    "command": "backup --all",
    "shell": "/bin/sh",
    "directory": None,
    "environment": {},
    "user": None,
    "stdin": "payload",
    "success_codes": [0],
    "skipped_codes": [],
    "heartbeat": "3m",
}


def shown(**fields: Any) -> dict[str, str]:
    """The lines about the target."""
    status: Any = {"revision": 1, "next_run_at": None}
    job: Any = {"namespace": "shop", "name": "backup", "schedule": "@daily", "target": PLAIN | fields, "status": status}
    about = {"job", "idle", "schedule", "paused", "revision"}
    return {name: text for name, text in job_fields(job) if name not in about}


def test_a_command_says_where_and_how_it_runs() -> None:
    assert shown() == {
        "target": "command on any node of pool web",
        "command": "backup --all",
        "shell": "/bin/sh",
        "heartbeat": "3m",
    }


def test_a_list_is_shown_as_one_would_type_it_and_has_no_shell() -> None:
    found = shown(command=["backup", "--to", "a b", "$HOME"])
    assert found["command"] == "backup --to 'a b' '$HOME'"
    assert "shell" not in found


@pytest.mark.parametrize(
    ("field", "value", "name", "text"),
    [
        ("node", "web-1", "target", "command on node web-1 of pool web"),
        ("directory", "/srv", "directory", "/srv"),
        ("user", "deploy", "user", "deploy"),
        ("environment", {"A": "{{run_id}}", "B": "2"}, "environment", "A={{run_id}}, B=2"),
        ("stdin", "none", "stdin", "nothing"),
        ("success_codes", [0, 3], "succeeds with", "exit code 0 or 3"),
        ("skipped_codes", [75], "is skipped with", "exit code 75"),
    ],
)
def test_each_field_that_is_set_has_a_line(field: str, value: Any, name: str, text: str) -> None:
    assert shown(**{field: value})[name] == text


def test_a_handler_has_neither_command_nor_shell() -> None:
    assert shown(command=None, handler="reports.nightly") == {
        "target": "handler on any node of pool web",
        "handler": "reports.nightly",
        "heartbeat": "3m",
    }


def test_a_job_that_runs_when_a_machine_starts_says_so() -> None:
    assert shown(at_start=True)["also runs"] == "when a machine starts"


def test_a_long_script_is_cut() -> None:
    assert f"({MOST_SHOWN:,} of 5,000 characters" in shown(command="x" * 5_000)["command"]
