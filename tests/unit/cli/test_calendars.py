import json
import re
from pathlib import Path

import pytest
import yaml

from minutehand.domain.calendar import MOST_SPANS, MOST_WEEKLY, CalendarKey
from minutehand.entrypoints.api.forms.accept import accept_calendar
from tests.support.api_server import ApiServer
from tests.support.http_server import Canned
from tests.unit.cli.conftest import Cli
from tests.unit.cli.files import write

GUIDE = (Path(__file__).parents[3] / "docs" / "how-to" / "calendars.md").read_text(encoding="utf-8")
[QUIET, _JOB] = re.findall(r"```yaml\n(.+?)```", GUIDE, re.DOTALL)
[HOLIDAYS] = re.findall(r"```text\n(.+?)```", GUIDE, re.DOTALL)


def without_hints(text: str) -> str:
    return "".join(line for line in text.splitlines(keepends=True) if not line.lstrip().startswith("hint:"))


def test_the_examples_of_the_guide_print_what_the_page_says(cli: Cli) -> None:
    write("quiet.yaml", QUIET)
    write("holidays.ics", HOLIDAYS)
    consoles = re.findall(r"```console\n(.+?)```", GUIDE, re.DOTALL)
    assert len(consoles) == 2
    for console in consoles:
        shown = ""
        for line in re.findall(r"^\$ minutehand (.+)$", console, re.MULTILINE):
            result = cli(*line.split())
            shown += f"$ minutehand {line}\n{result.stderr}{result.stdout}"
        assert shown == console


def test_the_calendars_of_the_guide_are_such_as_the_api_takes(api: ApiServer, cli: Cli) -> None:
    write("holidays.ics", HOLIDAYS)
    cli("calendar", "apply", "holidays.ics", "-n", "shop")
    content = accept_calendar(api.calendars["shop/holidays"], CalendarKey("shop", "holidays"))
    assert (len(content.dates), len(content.periods)) == (10, 1)
    quiet = yaml.load(QUIET, yaml.BaseLoader)  # noqa: S506 - a loader of texts alone
    assert len(accept_calendar(quiet, CalendarKey("shop", "quiet")).weekly) == 3


@pytest.mark.parametrize("limit", [MOST_SPANS, MOST_WEEKLY])
def test_the_guide_shows_the_limits(limit: int) -> None:
    assert f"{limit:,} " in GUIDE


def test_what_becomes_of_each_calendar_is_reported(api: ApiServer, cli: Cli) -> None:
    write("all.yaml", "name: one\n---\nname: two\nnamespace: shop\ndates: [2026-12-25]\n")
    assert (
        cli("calendar", "apply", "all.yaml").stdout
        == "created    default/one  revision 1\ncreated    shop/two  revision 1\n"
    )
    write("all.yaml", "name: one\n---\nname: two\nnamespace: shop\n")
    result = cli("calendar", "apply", "all.yaml", "-o", "json")
    assert json.loads(result.stdout) == {
        "items": [
            {"calendar": "default/one", "result": "unchanged", "revision": 1},
            {"calendar": "shop/two", "result": "updated", "revision": 2},
        ]
    }
    assert result.stderr == ""


def test_a_dry_run_saves_nothing(api: ApiServer, cli: Cli) -> None:
    write("quiet.yaml", QUIET)
    result = cli("calendar", "apply", "quiet.yaml", "--dry-run")
    assert result.stdout == "would create  shop/quiet  revision 1\n"
    assert "nothing was saved" in result.stderr
    assert api.calendars == {}


def test_a_folder_is_read_with_its_icalendar_files(api: ApiServer, cli: Cli) -> None:
    write("calendars/quiet.yaml", QUIET)
    write("calendars/Public Holidays.ics", HOLIDAYS)
    assert cli("calendar", "apply", "calendars", "-n", "shop").exit_code == 0
    assert sorted(api.calendars) == ["shop/public-holidays", "shop/quiet"]


def test_when_one_is_refused_none_is_saved_and_everything_wrong_is_reported_with_its_place(
    api: ApiServer, cli: Cli
) -> None:
    write("all.yaml", "name: good\n---\nname: bad\ndates: [2026-12-25, 2026-02-30, 2027-02-30]\n")
    result = cli("calendar", "apply", "all.yaml")
    assert (result.exit_code, result.stdout, api.calendars) == (2, "", {})
    assert without_hints(result.stderr) == (
        "error: 1 of 2 calendars was refused; nothing was saved\n"
        "  all.yaml:4:21 default/bad dates[1]: 2026-02-30 is not a date: day is out of range for month\n      2026-02-30\n      ^\n"
        "  all.yaml:4:33 default/bad dates[2]: 2027-02-30 is not a date: day is out of range for month\n      2027-02-30\n      ^\n"
    )
    refused = json.loads(cli("calendar", "apply", "all.yaml", "-o", "json").stderr)
    assert [(error["file"], error["calendar"], error["path"]) for error in refused["errors"]] == [
        ("all.yaml:4:21", "default/bad", "dates[1]"),
        ("all.yaml:4:33", "default/bad", "dates[2]"),
    ]


def test_what_was_saved_is_reported_when_the_api_goes_away_in_the_middle(api: ApiServer, cli: Cli) -> None:
    write("all.yaml", "name: one\n---\nname: two\n")
    fifth = [None] * 6 + [Canned(status=500, body=b'{"title": "Internal error", "detail": "oh"}')]
    api.canned.extend(fifth)
    result = cli("calendar", "apply", "all.yaml")
    assert (result.exit_code, result.stdout) == (1, "created    default/one  revision 1\n")
    assert "1 of 2 calendars saved as in the files" in result.stderr


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("dates: [2026-12-25]\n", "this calendar has no name"),
        ("- one\n", "not a mapping"),
        ("name: a\n---\nname: a\n", "default/a is a duplicate"),
        ("# nothing\n", "it contains no calendar"),
        ("name: [", "x.yaml:1"),
    ],
)
def test_a_document_that_cannot_be_one_is_refused_before_the_api_is_asked(
    api: ApiServer, cli: Cli, text: str, said: str
) -> None:
    write("x.yaml", text)
    result = cli("calendar", "apply", "x.yaml")
    assert result.exit_code == 2
    assert said in result.stderr
    assert api.requests == []


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["x.yaml", "--name", "y"], "--name is for iCalendar files"),
        (["x.yaml", "--timezone", "UTC"], "--timezone is for iCalendar files"),
        (["x.ics", "x.yaml", "--name", "y"], "apply them one by one"),
        (["x.ics", "--timezone", "Paris"], "'Paris' is not an IANA time zone"),
    ],
)
def test_options_that_fit_no_file_are_refused(cli: Cli, options: list[str], said: str) -> None:
    write("x.yaml", "name: x\n")
    write("x.ics", HOLIDAYS)
    result = cli("calendar", "apply", *options)
    assert result.exit_code == 2
    assert said in result.stderr


def test_a_list_shows_entries_and_jobs_and_goes_on_by_its_cursor(api: ApiServer, cli: Cli) -> None:
    assert "has no calendars" in cli("calendar", "list", "-n", "shop").stderr
    write("all.yaml", QUIET + "\n---\nname: other\nnamespace: shop\n")
    cli("calendar", "apply", "all.yaml")
    for name in ("a", "b", "c"):
        api.add_job(f"shop/{name}", calendars=["quiet"])
    result = cli("calendar", "list", "-n", "shop")
    assert result.stdout == (
        "calendar    dates  weekly  periods  jobs  changed (UTC)        description\n"
        "shop/other  0      0       0        0     2026-11-20 08:30:00\n"
        "shop/quiet  2      3       1        3     2026-11-20 08:30:00  The warehouse moves\n"
    )
    page = json.loads(cli("calendar", "list", "-n", "shop", "--limit", "1", "-o", "json").stdout)
    assert [item["name"] for item in page["items"]] == ["other"]
    rest = cli("calendar", "list", "-n", "shop", "--cursor", page["next"])
    assert "shop/quiet" in rest.stdout
    assert "shop/other" not in rest.stdout
    assert f"--cursor {page['next']}" in cli("calendar", "list", "-n", "shop", "--limit", "1").stderr


def test_a_calendar_is_shown_whole(cli: Cli) -> None:
    write("quiet.yaml", QUIET)
    cli("calendar", "apply", "quiet.yaml")
    assert cli("calendar", "show", "shop/quiet").stdout == (
        "calendar     shop/quiet\n"
        "description  The warehouse moves\n"
        "dates        2026-10-03\n"
        "             2026-12-24..2027-01-02\n"
        "weekly       SAT,SUN\n"
        "             MON-FRI 00:00-06:00\n"
        "             FRI 18:00-24:00\n"
        "periods      2026-12-01T10:00:00Z..2026-12-01T12:00:00Z\n"
        "used by      0 jobs\n"
        "revision     1, 2026-11-20 08:30:00 UTC by admin\n"
    )


def test_what_is_shown_in_json_can_be_applied_again(api: ApiServer, cli: Cli) -> None:
    write("quiet.yaml", QUIET)
    cli("calendar", "apply", "quiet.yaml")
    shown = cli("calendar", "show", "quiet", "-n", "shop", "-o", "json").stdout
    assert cli("calendar", "apply", "-", stdin=shown).stdout == "unchanged  shop/quiet  revision 1\n"


def test_an_empty_calendar_says_that_it_blocks_nothing(cli: Cli) -> None:
    write("x.yaml", "name: x\n")
    cli("calendar", "apply", "x.yaml")
    assert "blocks    nothing" in cli("calendar", "show", "x").stdout


def test_a_calendar_is_deleted_when_somebody_agrees(api: ApiServer, cli: Cli) -> None:
    write("x.yaml", "name: x\n")
    cli("calendar", "apply", "x.yaml")
    assert cli("calendar", "delete", "x").exit_code == 2
    refused = cli("calendar", "delete", "x", stdin="n\n", attended=True)
    assert (refused.exit_code, list(api.calendars)) == (1, ["default/x"])
    assert cli("calendar", "delete", "x", stdin="y\n", attended=True).stdout == "deleted  default/x\n"
    assert api.calendars == {}


def test_a_delete_in_json_and_of_what_is_not_there(api: ApiServer, cli: Cli) -> None:
    write("x.yaml", "name: x\n")
    cli("calendar", "apply", "x.yaml")
    result = cli("calendar", "delete", "x", "--yes", "-o", "json")
    assert json.loads(result.stdout) == {"calendar": "default/x", "result": "deleted"}
    assert cli("calendar", "delete", "x", "--yes").exit_code == 3


def test_a_calendar_in_use_is_a_conflict(api: ApiServer, cli: Cli) -> None:
    write("x.yaml", "name: x\n")
    cli("calendar", "apply", "x.yaml")
    for name in ("a", "b"):
        api.add_job(f"default/{name}", calendars=["x"])
    result = cli("calendar", "delete", "x", "--yes")
    assert result.exit_code == 4
    assert "2 jobs name" in result.stderr


@pytest.mark.parametrize("wrong", [["show", "a/b/c"], ["show", "a/x", "-n", "b"], ["delete"], ["apply"], ["lisst"]])
def test_bad_usage_is_reported_in_either_form(cli: Cli, wrong: list[str]) -> None:
    assert cli("calendar", *wrong).exit_code == 2
    assert json.loads(cli("calendar", *wrong, "-o", "json").stderr)["title"] == "bad usage"


def test_a_calendar_that_has_no_name_is_called_a_calendar(cli: Cli) -> None:
    assert "is not the name of a calendar" in cli("calendar", "show", "a/b/c").stderr
    assert "CALENDAR is in namespace 'a'" in cli("calendar", "show", "a/x", "-n", "b").stderr
