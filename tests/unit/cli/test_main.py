import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from minutehand.cli.command import Session
from minutehand.cli.main import COMMANDS, app
from minutehand.client import Client
from tests.support.api_server import TOKEN, ApiServer
from tests.support.http_server import Canned, closed_port
from tests.unit.cli.conftest import Cli

MINUTEHAND = str(Path(sys.executable).parent / "minutehand")


def plain(*arguments: str, env: dict[str, str] | None = None) -> Result:
    """As a user runs it: configured by the environment and the folder alone."""
    return CliRunner().invoke(app, arguments, env=env)


@pytest.mark.parametrize(
    ("status", "code"), [(400, 2), (413, 2), (422, 2), (404, 3), (409, 4), (401, 5), (403, 5), (405, 1), (500, 1)]
)
def test_each_status_has_its_exit_code_and_its_problem_on_stderr(
    api: ApiServer, cli: Cli, status: int, code: int
) -> None:
    problem = {"type": "about:blank", "title": "no", "status": status, "detail": "it will not do", "instance": "/x"}
    api.canned.append(Canned(status=status, body=json.dumps(problem).encode()))
    result = cli("show", "demo/beat", "-o", "json")
    assert (result.exit_code, result.stdout) == (code, "")
    assert problem.items() <= json.loads(result.stderr).items()


def test_a_problem_for_people_has_every_field_and_the_hint(api: ApiServer, cli: Cli) -> None:
    problem = {
        "title": "no",
        "detail": "it will not do",
        "hint": "do not",
        "errors": [{"path": "a.b", "message": "is \x1bwrong"}],
    }
    api.canned.append(Canned(status=422, body=json.dumps(problem).encode()))
    assert cli("show", "demo/beat").stderr == "error: it will not do\n  a.b: is \\x1bwrong\nhint: do not\n"


def test_a_field_that_the_detail_repeats_is_reported_once(api: ApiServer, cli: Cli) -> None:
    problem = {"title": "Invalid fields", "detail": "a: is wrong", "errors": [{"path": "a", "message": "is wrong"}]}
    api.canned.append(Canned(status=422, body=json.dumps(problem).encode()))
    assert cli("show", "demo/beat").stderr == "error: Invalid fields\n  a: is wrong\n"


def test_an_internal_error_is_reported_with_its_request_id(api: ApiServer, cli: Cli) -> None:
    problem = {"title": "Internal error", "detail": "something went wrong", "request_id": "r-17"}
    api.canned.append(Canned(status=500, body=json.dumps(problem).encode()))
    assert cli("show", "demo/beat").stderr == "error: something went wrong (request id r-17)\n"


def test_an_unknown_token_is_reported_with_what_to_check_and_not_shown(api: ApiServer) -> None:
    result = plain("list", env={"MINUTEHAND_URL": api.url, "MINUTEHAND_TOKEN": "mh_wrong"})
    assert result.exit_code == 5
    assert "MINUTEHAND_TOKEN" in result.stderr
    assert "mh_wrong" not in result.output


def test_an_api_that_is_away_fails_with_its_address_and_what_to_check() -> None:
    url = f"http://127.0.0.1:{closed_port()}"
    session = Session(connect_without_token=lambda: Client(url, None, backoff=0, origin="MINUTEHAND_URL"))
    result = CliRunner().invoke(app, ["health"], obj=session)
    assert result.exit_code == 1
    assert url in result.stderr
    assert "make up" in result.stderr


def test_a_proxy_s_page_is_no_answer(api: ApiServer, cli: Cli) -> None:
    api.canned.extend([Canned(status=502, body=b"<h1>Bad Gateway</h1>", headers={"Content-Type": "text/html"})] * 4)
    result = cli("list", "-o", "json")
    assert result.exit_code == 1
    assert "HTTP 502" in json.loads(result.stderr)["detail"]


def test_nothing_configured_is_reported_with_how_to() -> None:
    result = plain("list")
    assert result.exit_code == 2
    assert "make up" in result.stderr


def test_the_local_stack_s_file_is_enough(api: ApiServer) -> None:
    Path(".minutehand").mkdir()
    Path(".minutehand/local.json").write_text(json.dumps({"url": api.url, "token": TOKEN}), encoding="utf-8")
    api.add_job("demo/beat")
    assert plain("show", "demo/beat").exit_code == 0


def test_health_shows_version_and_address(api: ApiServer, cli: Cli) -> None:
    assert cli("health").stdout == f"ok  version 0.1.0  {api.url}\n"
    assert json.loads(cli("health", "-o", "json").stdout) == {"status": "ok", "version": "0.1.0"}


@pytest.mark.parametrize("asking", [["-o", "json"], ["--output", "json"], ["--output=json"], ["-ojson"]])
@pytest.mark.parametrize(
    "wrong", [["lisst"], ["show"], ["list", "--colour"], ["runs", "x", "--limit", "0"], ["show", "a/b/c"]]
)
def test_bad_usage_is_a_problem_too_when_json_is_asked_for(cli: Cli, wrong: list[str], asking: list[str]) -> None:
    result = cli(*wrong, *asking)
    assert result.exit_code == 2
    assert json.loads(result.stderr)["title"] == "bad usage"


def test_bad_usage_for_people_shows_how_the_command_is_used(cli: Cli) -> None:
    result = cli("runs", "a/b/c")
    assert "Usage: minutehand runs" in result.stderr


@pytest.mark.thorough
def test_a_terminal_without_unicode_gets_escapes(api: ApiServer) -> None:
    api.say("/jobs/beat", api.add_job("demo/beat") | {"description": "早上好 \ud800"})
    env = {"MINUTEHAND_URL": api.url, "MINUTEHAND_TOKEN": TOKEN, "PYTHONIOENCODING": "ascii", "PATH": ""}
    for arguments in (["show", "demo/beat"], ["show", "demo/beat", "-o", "json"]):
        done = subprocess.run([MINUTEHAND, *arguments], env=env, capture_output=True, check=False, timeout=60)
        assert (done.returncode, done.stderr) == (0, b"")
        assert b"\\u65e9" in done.stdout


@pytest.mark.thorough
def test_a_reader_that_goes_away_early_is_no_traceback(api: ApiServer) -> None:
    for n in range(300):
        api.add_job(f"default/job-{n:03}", description="x" * 1000)
    env = {"MINUTEHAND_URL": api.url, "MINUTEHAND_TOKEN": TOKEN, "PATH": ""}
    for form in ("table", "json"):
        with subprocess.Popen(
            [MINUTEHAND, "list", "-o", form], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as process:
            assert process.stdout is not None
            assert process.stderr is not None
            process.stdout.close()
            assert process.stderr.read() == b""
            assert process.wait(timeout=60) == 1


def test_help_loads_no_library_that_only_a_command_needs() -> None:
    code = "import sys\nfrom minutehand.cli.main import app\ntry: app.main(['--help'])\nexcept SystemExit: pass\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    loaded = set(done.stdout.splitlines()[-1].split())
    assert "click" in loaded
    assert loaded.isdisjoint({"urllib3", "yaml", "rich", "croniter", "tzdata", "minutehand.client", "boto3"})


OF_SCHEDULES = {"diff-schedule", "cost", "crontab", "compare"}
"""Commands that compute schedules or read time zones themselves."""
OF_HANDLERS = {"sync", "run-handler", "import"}
"""Commands that load the SDK of handlers, or read schedules of other systems."""


@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in OF_SCHEDULES | OF_HANDLERS])
@pytest.mark.thorough
def test_a_command_loads_what_calls_prints_and_parses_only_when_it_does_so(name: str) -> None:
    code = f"import sys\nfrom minutehand.cli.main import app\napp.get_command(None, {name!r})\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    loaded = set(done.stdout.split())
    assert "click" in loaded
    slow = {"urllib3", "yaml", "rich", "tzdata", "difflib", "importlib.metadata", "concurrent.futures"}
    assert loaded.isdisjoint(slow | {"minutehand.schedule", "minutehand.handlers", "boto3"})


@pytest.mark.parametrize("name", COMMANDS)
def test_each_name_in_the_help_is_a_command_with_a_help_of_its_own(name: str) -> None:
    command = app.get_command(click.Context(app), name)
    assert command is not None
    assert command.name == name
    assert command.help


def test_version_is_reported(cli: Callable[..., Result]) -> None:
    assert cli("--version").stdout == "minutehand 0.1.0\n"


def test_without_a_command_the_help_is_shown(cli: Cli) -> None:
    result = cli()
    assert result.exit_code == 2
    assert "Usage: minutehand" in result.output


def test_ctrl_c_is_a_problem_too_when_json_is_asked_for(api: ApiServer, cli: Cli) -> None:
    api.add_job("demo/beat")
    result = cli("trigger", "demo/beat", "--wait", "-o", "json")
    assert result.exit_code == 130
    assert json.loads(result.stderr) == {"title": "interrupted"}
