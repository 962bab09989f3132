"""`export` writes a backup, and `restore` saves it in another stack."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from minutehand.client import Client, bulk
from minutehand.domain.errors import Unavailable
from tests.support.api_server import TARGET, TOKEN, ApiServer
from tests.support.http_server import Canned
from tests.unit.cli.conftest import Cli, Unsaved

BACKUP = "backup.jsonl"


@pytest.fixture
def full(api: ApiServer) -> ApiServer:
    """A stack with jobs, a calendar and settings."""
    api.ask("PUT", "namespaces/shop/calendars/holidays", {"dates": ["2026-12-25"]})
    api.ask("PUT", "namespaces/shop", {"max_concurrency": 4})
    for n in range(3):
        api.ask("PUT", f"namespaces/shop/jobs/j{n}", {"schedule": f"@every {n + 7}m", "target": TARGET})
    parents = [{"job": "shop/j0"}]
    api.ask("PUT", "namespaces/lab/jobs/child", {"depends_on": parents, "target": TARGET, "paused": True})
    api.ask("PUT", "namespaces/shop/jobs/blocked", {"schedule": "@daily", "calendars": ["holidays"], "target": TARGET})
    return api


def test_a_backup_is_restored_into_an_empty_stack(full: ApiServer, cli: Cli) -> None:
    result = cli("export", "--to", BACKUP)
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == "exported 5 jobs, 1 calendar, 1 namespace to backup.jsonl\n"
    nexts = {name: cli("next", name).stdout for name in full.jobs}
    before, now = dict(full.jobs), full.now
    full.forget()
    full.now = now
    restored = cli("restore", BACKUP)
    assert (restored.exit_code, restored.stderr) == (0, "7 created\n")
    assert {line.split()[0] for line in restored.stdout.splitlines()} == {"created"}
    assert full.jobs == before
    assert {name: cli("next", name).stdout for name in full.jobs} == nexts
    again = cli("restore", BACKUP, "--quiet")
    assert (again.exit_code, again.stdout, again.stderr) == (0, "", "7 unchanged\n")


def test_a_backup_goes_through_a_pipe_and_into_a_folder(full: ApiServer, cli: Cli) -> None:
    text = cli("export", "-n", "shop").stdout
    assert json.loads(text.splitlines()[0])["namespace"] == "shop"
    assert json.loads(text.splitlines()[-1]) == {"items": 6}
    assert json.loads(cli("restore", "-", "-o", "json", stdin=text).stdout)["items"][0]["result"] == "unchanged"
    Path("all/deep").mkdir(parents=True)
    cli("export", "-n", "shop", "--to", "all/deep/shop.jsonl")
    cli("export", "-n", "lab", "--to", "all/lab.jsonl")
    assert cli("restore", "all").stderr == "7 unchanged\n"


def test_what_is_refused_is_listed_and_everything_else_is_saved(full: ApiServer, cli: Cli) -> None:
    text = cli("export", "-n", "shop").stdout.replace("@every 8m", "@every 8 parsecs")
    full.forget()
    result = cli("restore", "-", "--quiet", stdin=text)
    assert result.exit_code == 1
    assert any(line.startswith("refused    job        shop/j1  schedule: ") for line in result.stdout.splitlines())
    assert result.stderr == "5 created, 1 refused\n"
    assert set(full.jobs) == {"shop/j0", "shop/j2", "shop/blocked"}


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (lambda text: text[: text.rindex("{")], "the end of the backup is missing"),
        (lambda text: text.partition("\n")[2], "this is not the heading of a backup"),
        (lambda text: "", "this is not the heading of a backup"),
        (lambda text: text.replace('{"kind"', '{"kin"', 1), "this is neither a job, a calendar nor a namespace"),
        (lambda text: text.replace('"name":"j1"', '"name":"\\ud800"'), "\\ud800 is half of a character"),
        (lambda text: text.replace('"name":"j1"', f'"name":{"9" * 5000}'), "a number has too many digits"),
        (lambda text: text.replace('"name":"j1"', f'"name":{"[" * 90_000}'), "values are nested too deeply"),
        (lambda text: text + "[1]\n", "this is not a JSON object"),
        (lambda text: text[:-5], "this is not JSON"),
        (lambda text: "name: a\nschedule: '@daily'\n", "this is not JSON"),
    ],
)
def test_a_damaged_backup_saves_nothing(full: ApiServer, cli: Cli, change: Callable[[str], str], error: str) -> None:
    text = change(cli("export").stdout)
    full.forget()
    result = cli("restore", "-", stdin=text)
    assert (result.exit_code, result.stdout, full.requests) == (2, "", [])
    assert error in result.stderr


def test_every_bad_line_is_named_with_how_to_leave_it_out(full: ApiServer, cli: Cli) -> None:
    lines = cli("export", "-n", "shop").stdout.splitlines()
    lines[3], lines[5] = "{", '{"kind":"token"}'
    full.forget()
    result = cli("restore", "-", stdin="\n".join(lines))
    assert (result.exit_code, result.stdout, full.requests) == (2, "", [])
    last = 'delete these lines, and let the last line be {"items": 4}'
    assert result.stderr.splitlines() == [
        "error: 2 of 8 lines are no item of a backup; nothing was saved",
        "  <stdin>:4: this is not JSON: Expecting property name enclosed in double quotes, at column 2",
        "  <stdin>:6: this is neither a job, a calendar nor a namespace",
        f"hint: to save the others, {last}; or write it again with `minutehand export`",
    ]
    del lines[5], lines[3]
    left = cli("restore", "-", stdin="\n".join(lines))
    assert "the last line counts 6 items, but there are 4 before it" in left.stderr
    assert 'hint: if you left lines out, write {"items": 4}; else write it again' in left.stderr
    lines[-1] = '{"items": 4}'
    assert cli("restore", "-", stdin="\n".join(lines)).stderr.startswith("4 created")


def test_a_failed_export_leaves_the_earlier_backup_as_it_was(full: ApiServer, cli: Cli) -> None:
    Path(BACKUP).write_text("before")
    full.instead = lambda request: Canned(status=500, body=b'{"title": "broken"}')
    assert cli("export", "--to", BACKUP).exit_code == 1
    assert Path(BACKUP).read_text() == "before"
    assert [*Path().iterdir()] == [Path(BACKUP)]


def test_two_exports_to_one_file_at_once_both_write_a_whole_backup(
    full: ApiServer, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    export, codes = Client.export, list[int]()

    def with_another_between(client: Client, namespace: str | None = None) -> Iterator[Any]:
        items = export(client, namespace)
        yield next(items)
        if namespace is None:
            codes.append(cli("export", "-n", "lab", "--to", BACKUP).exit_code)
        yield from items

    monkeypatch.setattr(Client, "export", with_another_between)
    codes.append(cli("export", "--to", BACKUP).exit_code)
    assert codes == [0, 0]
    assert cli("restore", BACKUP).stderr == "7 unchanged\n"
    assert [*Path().iterdir()] == [Path(BACKUP)]


def test_only_its_user_can_read_a_backup_and_no_planted_link_is_followed(full: ApiServer, cli: Cli) -> None:
    Path("victim").write_text("precious")
    Path(f".{BACKUP}.part").symlink_to("victim")
    assert cli("export", "--to", BACKUP).exit_code == 0
    assert Path("victim").read_text() == "precious"
    assert Path(BACKUP).stat().st_mode & 0o777 == 0o600


def test_a_backup_is_no_export_of_another_scheduler(cli: Cli) -> None:
    result = cli("import", "minutehand", BACKUP)
    assert result.exit_code == 2
    assert "is saved with `minutehand restore FILE`" in result.stderr


def test_a_restore_is_continued_by_another_one(
    full: ApiServer, cli: Cli, unsaved: Unsaved, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bulk, "JOBS_A_CALL", 1)
    text = cli("export").stdout
    full.forget()
    unsaved("j1", Unavailable("the store did not answer"))
    assert "6 created, 1 refused" in cli("restore", "-", stdin=text).stderr
    unsaved("none", Unavailable("the store did not answer"))
    assert cli("restore", "-", stdin=text).stderr == "1 created, 6 unchanged\n"


@pytest.mark.thorough
def test_a_terminal_sees_how_far_it_is(full: ApiServer, cli: Cli) -> None:
    env = {"MINUTEHAND_URL": full.url, "MINUTEHAND_TOKEN": TOKEN, "PATH": "", "TERM": "xterm"}
    ours, theirs = os.openpty()
    program = str(Path(sys.executable).parent / "minutehand")
    subprocess.run([program, "export", "--to", BACKUP], env=env, stderr=theirs, check=True, timeout=60)
    subprocess.run([program, "restore", BACKUP], env=env, stdout=subprocess.PIPE, stderr=theirs, check=True, timeout=60)
    os.close(theirs)
    seen = os.read(ours, 10_000).decode()
    os.close(ours)
    assert "exporting 7" in seen
    assert "restoring 7 of 7" in seen
