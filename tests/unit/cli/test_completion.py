"""What a shell completes."""

import json
import subprocess
from shutil import which

import pytest

from tests.support.api_server import ApiServer
from tests.support.http_server import Canned
from tests.unit.cli.conftest import Cli


def completed(cli: Cli, typed: str) -> list[str]:
    """The completions of the last word of a command line, as bash asks for them."""
    words = typed.split(" ")
    env = {"COMP_WORDS": typed, "COMP_CWORD": str(len(words) - 1), "_MINUTEHAND_COMPLETE": "bash_complete"}
    result = cli(env=env)
    assert (result.exit_code, result.stderr) == (0, "")
    return [line.partition(",")[2] for line in result.stdout.split()]


def test_commands_and_options_are_completed(cli: Cli) -> None:
    assert completed(cli, "minutehand ex") == ["explain", "export"]
    assert completed(cli, "minutehand backfill s") == ["show", "start"]
    assert completed(cli, "minutehand runs --fo") == ["--follow"]
    assert "failed" in completed(cli, "minutehand runs --state ")


@pytest.mark.parametrize(
    ("typed", "names"),
    [
        ("minutehand show demo/b", ["demo/beat", "demo/bell"]),
        ("minutehand run -n demo be", ["beat", "bell"]),
        ("minutehand pause r", ["report"]),
        ("minutehand pause other/", []),
    ],
)
def test_names_of_jobs_are_completed(api: ApiServer, cli: Cli, typed: str, names: list[str]) -> None:
    for job in ("demo/beat", "demo/bell", "demo/car", "default/report"):
        api.add_job(job)
    assert completed(cli, typed) == names


def test_an_api_that_refuses_completes_nothing(api: ApiServer, cli: Cli) -> None:
    api.canned.append(Canned(status=403, body=b'{"title": "no"}'))
    assert completed(cli, "minutehand show demo/b") == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_has_a_script_that_it_can_read(cli: Cli, shell: str) -> None:
    script = cli("completion", shell).stdout
    assert f"_MINUTEHAND_COMPLETE={shell}_complete" in script
    assert json.loads(cli("completion", shell, "-o", "json").stdout) == {"shell": shell, "script": script}
    if program := which(shell):
        subprocess.run([program, "-n"], input=script, text=True, check=True, timeout=60)
