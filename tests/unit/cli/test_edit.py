"""`minutehand edit`: a job in the user's own editor, which here is a script."""

import json
import re
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from minutehand.cli.documents.job_yaml import definition_of, edited, without_empty
from minutehand.cli.documents.written_jobs import job_text
from tests.support.api_server import ApiServer
from tests.unit.cli.conftest import Cli

Edit = Callable[..., Result]
EDITOR = """\
import json, sys
from pathlib import Path
edits = Path("edits.json")
first, *rest = json.loads(edits.read_text())
edits.write_text(json.dumps(rest))
file = Path(sys.argv[1])
seen = Path("seen.json")
seen.write_text(json.dumps([*(json.loads(seen.read_text()) if seen.exists() else []), file.read_text()]))
for old, new in first:
    assert old in file.read_text(), (old, file.read_text())
    file.write_text(file.read_text().replace(old, new))
"""


@pytest.fixture
def edit(cli: Cli, job: str) -> Edit:
    """Edit the job; each time the editor opens, it makes the next of the replacements."""

    def run(*edits: list[tuple[str, str]], options: tuple[str, ...] = ()) -> Result:
        Path("editor.py").write_text(EDITOR, encoding="utf-8")
        Path("edits.json").write_text(json.dumps(edits), encoding="utf-8")
        return cli("edit", job, *options, env={"EDITOR": shlex.join([sys.executable, "editor.py"]), "VISUAL": ""})

    return run


def seen() -> list[str]:
    """The texts that the editor got."""
    texts: list[str] = json.loads(Path("seen.json").read_text(encoding="utf-8"))
    return texts


DAILY = ("'@hourly'", "'@daily'")


def test_a_changed_text_is_saved(api: ApiServer, edit: Edit) -> None:
    result = edit([DAILY])
    assert (result.exit_code, result.stdout) == (0, "updated    demo/beat  revision 2\n")
    assert api.jobs["demo/beat"]["schedule"] == "@daily"
    [text] = seen()
    assert text.startswith(
        "#! demo/beat, revision 1, 2026-11-13 08:30:00 UTC by admin\n#! next run: 2026-11-20 09:00:00"
    )
    assert "\n# not set: description, owner, labels, " in text
    assert "owner:" not in text


@pytest.mark.parametrize("edits", [[], [("demo", "demo ")], [("schedule:", "# a comment\nschedule:")]])
def test_an_unchanged_text_saves_nothing(api: ApiServer, edit: Edit, edits: list[tuple[str, str]]) -> None:
    result = edit(edits)
    assert (result.exit_code, result.stderr) == (0, "demo/beat was not changed\n")
    assert api.jobs["demo/beat"]["status"]["revision"] == 1


def test_a_refused_text_opens_again_with_its_errors(api: ApiServer, edit: Edit) -> None:
    result = edit([("'@hourly'", "'61 * * * *'")], [("61 ", "16 ")])
    assert result.exit_code == 0
    assert api.jobs["demo/beat"]["schedule"] == "16 * * * *"
    _, again = seen()
    lines = again.splitlines()
    assert lines[0] == "#! error: 1 of 1 job was refused; nothing was saved"
    assert "schedule: minute: 61 is out of range" in lines[1]
    assert lines[4].strip() == "#!     hint: it goes from 0 to 59"
    assert "schedule: 61 * * * *\n" in again or "schedule: '61 * * * *'\n" in again


def test_a_text_that_is_no_yaml_opens_again_too(api: ApiServer, edit: Edit) -> None:
    assert edit([("schedule: ", "schedule: [")], [("schedule: [", "schedule: "), DAILY]).exit_code == 0
    assert seen()[1].startswith("#! error: line ")
    assert api.jobs["demo/beat"]["schedule"] == "@daily"


@pytest.mark.parametrize("wrong", ["61 * * * *", "[unfinished"])
def test_an_error_names_the_line_as_the_editor_shows_it(edit: Edit, wrong: str) -> None:
    edit([("'@hourly'", wrong), ("name: beat\n", "# of the heart\nname: beat\n")], [])
    lines = seen()[1].splitlines()
    place = lines.index(f"schedule: {wrong}") + 1
    notes = "\n".join(line for line in lines if line.startswith("#!"))
    named = [int(number) for number in re.findall(r"(?:\.yaml:|line )([0-9]+)", notes)]
    assert named == [place if wrong.startswith("61") else place + 1]


def test_a_refused_text_that_is_left_so_stays_in_its_file(api: ApiServer, edit: Edit) -> None:
    result = edit([("'@hourly'", "'61 * * * *'")], [])
    assert result.exit_code == 2
    assert "61 is out of range" in result.stderr
    [kept] = [line.split()[4].rstrip(";") for line in result.stderr.splitlines() if line.startswith("your text is in")]
    assert "61 * * * *" in Path(kept).read_text(encoding="utf-8")
    assert api.jobs["demo/beat"]["schedule"] == "@hourly"
    Path(kept).unlink()


def test_another_edit_meanwhile_is_a_conflict_and_keeps_the_text(api: ApiServer, edit: Edit) -> None:
    def elsewhere(request: object) -> None:
        if getattr(request, "method", "") == "PUT" and Path("seen.json").exists():
            api.before = lambda _: None
            api.ask("POST", "namespaces/demo/jobs/beat/pause")

    api.before = elsewhere
    result = edit([DAILY])
    assert result.exit_code == 4
    assert "someone else changed demo/beat meanwhile" in result.stderr
    assert "your text is in" in result.stderr
    assert api.jobs["demo/beat"]["schedule"] == "@hourly"


def test_an_edit_renames_no_job(api: ApiServer, edit: Edit) -> None:
    assert edit([("name: beat", "name: heart")], []).exit_code == 2
    assert "this is demo/heart, not demo/beat" in seen()[1]
    assert list(api.jobs) == ["demo/beat"]


def test_without_an_editor_or_a_terminal_it_is_bad_usage(cli: Cli, job: str) -> None:
    result = cli("edit", job, env={"EDITOR": "", "VISUAL": ""})
    assert (result.exit_code, "set EDITOR" in result.stderr) == (2, True)


def test_the_yaml_reads_back_as_the_job(api: ApiServer) -> None:
    odd = ["yes", "no", "1:30", "2026-11-20", "1e3", "~", "", " x", "# y", "a: b", "ä", "two\nlines\n", "t\tb", "\x07"]
    job = api.add_job("demo/odd", payload={"texts": odd, "empty": {}, "none": None, "number": 1.5})
    whole = definition_of(job)
    assert edited(job_text(whole)) == (1, whole)
    assert without_empty(whole)["payload"] == job["payload"]


def test_a_warning_names_the_job_and_not_the_file_that_is_gone(edit: Edit) -> None:
    result = edit([("'@hourly'", "'@every 10s'")])
    assert result.exit_code == 0
    assert result.stderr.startswith("warning: demo/beat schedule: this runs 6 times a minute\n    @every 10s\n    ^\n")
