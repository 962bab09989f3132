import json
from pathlib import Path
from typing import Any

import pytest

from minutehand.cli.screen.render import Screen
from tests.unit.cli.conftest import Cli
from tests.unit.client.fake.server import Canned, Request
from tests.unit.client.fake_api import FakeApi

URL = ("--url", "https://example.com/run")
TEXT = """MAILTO=ops
CRON_TZ=Europe/Paris
# Back up.
0 3 * * * /usr/bin/backup.sh --full
*/5 * * * * cd /srv && ./sync now
"""


def write(path: str, text: str) -> str:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text, encoding="utf-8")
    return path


def results(cli: Cli, *arguments: str, stdin: str | None = None) -> dict[str, str]:
    result = cli("crontab", "import", *arguments, "-o", "json", stdin=stdin)
    assert (result.exit_code, result.stderr) == (0, "")
    return {item["job"]: item["result"] for item in json.loads(result.stdout)["items"]}


def puts(api: FakeApi) -> list[Request]:
    return [request for request in api.requests if request.method == "PUT" and "dry_run" not in request.query]


def test_each_line_becomes_a_job(api: FakeApi, cli: Cli) -> None:
    write("web", TEXT)
    result = cli("crontab", "import", "web", *URL, "--header", "X-From: cron", "--method", "PUT")
    assert result.exit_code == 0
    assert result.stdout == "created    default/backup.sh  revision 1\ncreated    default/sync  revision 1\n"
    job = api.jobs["default/backup.sh"]
    assert (job["schedule"], job["timezone"], job["dialect"]) == ("0 3 * * *", "Europe/Paris", "vixie")
    assert (job["description"], job["owner"]) == ("Back up.", "ops")
    assert job["target"] == {"type": "http", "url": URL[1], "method": "PUT", "headers": {"X-From": "cron"}}
    assert job["payload"] == {
        "command": "/usr/bin/backup.sh --full",
        "stdin": None,
        "user": None,
        "environment": {"MAILTO": "ops"},
    }
    assert job["labels"]["crontab/source"] == "web"


def test_importing_the_same_again_changes_nothing(api: FakeApi, cli: Cli) -> None:
    write("web", f"{TEXT}@daily ./sync now\n@daily ./sync now\n@daily ./sync then\n")
    first = results(cli, "web", *URL)
    assert (len(first), set(first.values())) == (5, {"created"})
    api.requests.clear()
    assert results(cli, "web", *URL) == dict.fromkeys(first, "unchanged")
    assert puts(api) == []


def test_an_edited_schedule_updates_the_same_job(api: FakeApi, cli: Cli) -> None:
    write("web", TEXT)
    cli("crontab", "import", "web", *URL)
    write("web", TEXT.replace("0 3 *", "0 4 *"))
    assert results(cli, "web", *URL) == {"default/backup.sh": "updated", "default/sync": "unchanged"}
    assert api.jobs["default/backup.sh"]["schedule"] == "0 4 * * *"


def test_a_paused_job_stays_paused(api: FakeApi, cli: Cli) -> None:
    write("web", TEXT)
    cli("crontab", "import", "web", *URL)
    cli("pause", "sync")
    assert set(results(cli, "web", *URL).values()) == {"unchanged"}
    assert api.jobs["default/sync"]["paused"] is True


def test_a_job_whose_line_is_gone_is_told_and_deleted_only_when_asked(api: FakeApi, cli: Cli) -> None:
    write("web", TEXT)
    cli("crontab", "import", "web", *URL)
    api.add_job("default/by-hand")
    api.add_job("default/other", labels={"crontab/source": "web2", "crontab/line": "x"})
    write("web", "CRON_TZ=Europe/Paris\n0 3 * * * /usr/bin/backup.sh --full\n")
    told = cli("crontab", "import", "web", *URL)
    assert "gone       default/sync  revision 1" in told.stdout
    assert "default/sync: its line is gone, but it still runs; --prune deletes what is gone" in told.stderr
    assert "default/sync" in api.jobs
    pruned = cli("crontab", "import", "web", *URL, "--prune")
    assert "deleted    default/sync  revision 1" in pruned.stdout
    assert sorted(api.jobs) == ["default/backup.sh", "default/by-hand", "default/other"]


def test_an_edited_command_is_another_job_unless_the_old_one_may_go(api: FakeApi, cli: Cli) -> None:
    write("web", "@daily backup --full\n")
    cli("crontab", "import", "web", *URL)
    write("web", "@daily backup --fast\n")
    told = results(cli, "web", *URL, "--dry-run")
    assert sorted(told.values()) == ["created", "gone"]
    assert results(cli, "web", *URL, "--prune") == {"default/backup": "updated"}
    assert api.jobs["default/backup"]["payload"]["command"] == "backup --fast"


def test_a_job_that_did_not_come_from_this_crontab_is_never_overwritten(api: FakeApi, cli: Cli) -> None:
    before = dict(api.add_job("default/backup.sh"))
    write("web", TEXT)
    [name] = [name for name, result in results(cli, "web", *URL).items() if name.startswith("default/backup.sh")]
    assert name.startswith("default/backup.sh-")
    assert api.jobs["default/backup.sh"] == before


def test_dry_run_shows_a_table_and_saves_nothing(api: FakeApi, cli: Cli) -> None:
    write("web", TEXT)
    cli("crontab", "import", "web", *URL)
    api.requests.clear()
    write("web", TEXT.replace("0 3 *", "0 4 *").replace("./sync now", "./other"))
    result = cli("crontab", "import", "web", *URL, "--dry-run")
    heading, *rows = result.stdout.splitlines()
    assert heading.split() == ["job", "would", "schedule", "time", "zone", "next", "run", "(UTC)", "command"]
    assert [row.split()[:2] for row in rows] == [
        ["default/backup.sh", "update"],
        ["default/other", "create"],
        ["default/sync", "gone"],
    ]
    assert "0 4 * * *    Europe/Paris  2026-11-20 09:00:00  /usr/bin/backup.sh --full" in rows[0]
    assert "nothing was saved: --dry-run" in result.stderr
    assert puts(api) == []
    pruning = cli("crontab", "import", "web", *URL, "--dry-run", "--prune").stdout.splitlines()
    assert pruning[-1].split()[:2] == ["default/sync", "delete"]
    assert "default/sync" in api.jobs


def test_json_has_the_schedule_the_next_run_and_the_command(cli: Cli) -> None:
    write("web", TEXT)
    result = cli("crontab", "import", "web", *URL, "-o", "json")
    assert json.loads(result.stdout)["items"][0] == {
        "job": "default/backup.sh",
        "result": "created",
        "revision": 1,
        "schedule": "0 3 * * *",
        "timezone": "Europe/Paris",
        "next_run_at": "2026-11-20T09:00:00Z",
        "command": "/usr/bin/backup.sh --full",
        "warnings": [],
    }


def test_every_line_that_cannot_be_used_is_told_at_once_and_nothing_is_saved(api: FakeApi, cli: Cli) -> None:
    write("web", f"{TEXT}61 * * * * a\n  @reboot\tb\nA='x\n")
    result = cli("crontab", "import", "web", *URL)
    assert (result.exit_code, result.stdout, api.requests) == (2, "", [])
    assert result.stderr.split("\n", 1)[1] == (
        "error: 3 lines of the crontab cannot be used; nothing was saved\n"
        "  web:6:1: minute: 61 is out of range\n"
        "      61 * * * * a\n"
        "      ^\n"
        "    hint: it goes from 0 to 59\n"
        "  web:7:3: @reboot has no meaning here: no machine starts\n"
        "        @reboot b\n"
        "        ^\n"
        "    hint: name times, or let the machine that starts trigger a job: minutehand trigger NAMESPACE/NAME\n"
        "  web:8:3: the quote ' is not closed\n"
        "      A='x\n"
        "        ^\n"
        "    hint: end the value with '\n"
    )
    problem = json.loads(cli("crontab", "import", "web", *URL, "-o", "json").stderr)
    assert [(error["path"], error["column"]) for error in problem["errors"]] == [
        ("web:6:1", 0),
        ("web:7:3", 2),
        ("web:8:3", 2),
    ]


def test_what_the_api_refuses_is_told_with_the_line_and_nothing_is_saved(api: FakeApi, cli: Cli) -> None:
    write("web", TEXT)
    write("t.yaml", "colour: red\n")
    result = cli("crontab", "import", "web", *URL, "--template", "t.yaml")
    assert (result.exit_code, api.jobs) == (2, {})
    assert "web:4 default/backup.sh colour: there is no such field" in result.stderr
    assert "web:5 default/sync colour: there is no such field" in result.stderr


def test_when_saving_fails_in_the_middle_what_was_saved_is_told_and_nothing_is_deleted(api: FakeApi, cli: Cli) -> None:
    write("web", f"{TEXT}@daily gone\n")
    cli("crontab", "import", "web", *URL)
    write("web", TEXT.replace("0 3", "0 4").replace("*/5", "*/6"))

    def refuse(request: Request) -> Canned | None:
        saves = request.method == "PUT" and "dry_run" not in request.query
        return Canned(status=500, body=b'{"title": "broken"}') if saves and request.path.endswith("sync") else None

    api.instead = refuse
    result = cli("crontab", "import", "web", *URL, "--prune")
    assert result.exit_code == 1
    assert "updated    default/backup.sh" in result.stdout
    assert "importing again goes on from there" in result.stderr
    assert "default/gone" in api.jobs
    api.instead = lambda request: None
    assert results(cli, "web", *URL, "--prune")["default/gone"] == "deleted"


@pytest.mark.parametrize("text", ["", "# nothing\n", "A=1\n"])
def test_a_crontab_without_lines_is_refused_even_when_pruning(api: FakeApi, cli: Cli, text: str) -> None:
    api.add_job("default/a", labels={"crontab/source": "web"})
    result = cli("crontab", "import", "-", "--source", "web", *URL, "--prune", stdin=text)
    assert (result.exit_code, list(api.jobs)) == (2, ["default/a"])
    assert "minutehand crontab clear --source web" in result.stderr


def test_stdin_needs_a_source(api: FakeApi, cli: Cli) -> None:
    result = cli("crontab", "import", "-", *URL, stdin=TEXT)
    assert result.exit_code == 2
    assert "--source" in result.stderr
    assert set(results(cli, "-", "--source", "web-1", *URL, stdin=TEXT).values()) == {"created"}
    assert api.jobs["default/sync"]["labels"]["crontab/source"] == "web-1"


@pytest.mark.parametrize(
    ("path", "source", "user", "owner"),
    [
        ("etc/crontab", "crontab", "root", None),
        ("etc/cron.d/php", "cron.d/php", "root", None),
        ("var/spool/cron/crontabs/alice", "alice", "alice", "alice"),
        ("var/spool/cron/bob", "bob", "bob", "bob"),
        ("var/spool/cron/tabs/eve", "eve", "eve", "eve"),
    ],
)
def test_a_file_s_place_says_what_it_is(
    api: FakeApi, cli: Cli, path: str, source: str, user: str, owner: str | None
) -> None:
    write(path, f"@daily {'' if owner else 'root '}run me\n")
    result = cli("crontab", "import", path, *URL)
    kind = "a user's crontab" if owner else "a system crontab"
    assert f"{path} is read as {kind}" in result.stderr
    job = api.jobs["default/run"]
    assert (job["payload"]["user"], job["labels"]["crontab/user"]) == (user, user)
    assert (job["payload"]["command"], job["labels"]["crontab/source"]) == ("run me", source)


def test_a_folder_is_read_as_cron_d_each_file_by_itself(api: FakeApi, cli: Cli) -> None:
    write("etc/cron.d/one", "A=1\n@daily root one\n")
    write("etc/cron.d/two", "@daily www-data two\n")
    for name in ("old.bak", ".placeholder", "sub/three"):
        write(f"etc/cron.d/{name}", "@daily root never\n")
    result = cli("crontab", "import", "etc/cron.d", *URL)
    assert sorted(api.jobs) == ["default/one", "default/two"]
    assert "etc/cron.d/old.bak is left out: cron reads only files whose names are letters, digits, _ and -" in (
        result.stderr
    )
    assert ".placeholder" not in result.stderr
    assert api.jobs["default/two"]["labels"]["crontab/source"] == "cron.d/two"
    assert api.jobs["default/two"]["payload"]["environment"] == {}
    Path("etc/cron.d/two").unlink()
    assert results(cli, "etc/cron.d", *URL) == {"default/one": "unchanged", "default/two": "gone"}
    assert results(cli, "etc/cron.d/one", *URL) == {"default/one": "unchanged"}


def test_a_spool_is_a_folder_of_users_crontabs(api: FakeApi, cli: Cli) -> None:
    write("var/spool/cron/crontabs/alice", "@daily run\n")
    write("var/spool/cron/crontabs/bob.b", "@daily run\n")
    assert len(results(cli, "var/spool/cron/crontabs", *URL)) == 2
    assert sorted(job["payload"]["user"] for job in api.jobs.values()) == ["alice", "bob.b"]


def test_the_options_say_otherwise(api: FakeApi, cli: Cli) -> None:
    write("etc/crontab", "@daily run\n")
    assert cli("crontab", "import", "etc/crontab", "--no-system", "--user", "me", "--source", "x", *URL).exit_code == 0
    assert api.jobs["default/run"]["payload"]["user"] == "me"
    write("mine", "@daily root run\n")
    assert "--system" in cli("crontab", "import", "mine", *URL).stderr
    assert cli("crontab", "import", "mine", "--system", *URL).exit_code == 0
    assert cli("crontab", "import", "mine", "--system", "--user", "me", *URL).exit_code == 2


@pytest.mark.parametrize(
    ("arguments", "text", "zone", "noted"),
    [
        ((), "@daily a", "UTC", True),
        (("--timezone", "Asia/Tokyo"), "@daily a", "Asia/Tokyo", False),
        (("--template", "t.yaml"), "@daily a", "Africa/Cairo", False),
        (("--template", "t.yaml", "--timezone", "Asia/Tokyo"), "@daily a", "Asia/Tokyo", False),
        (("--timezone", "Asia/Tokyo"), "CRON_TZ=Europe/Paris\n@daily a", "Europe/Paris", False),
    ],
)
def test_the_time_zone_is_the_crontab_s_then_the_option_s_then_the_template_s(
    api: FakeApi, cli: Cli, arguments: tuple[str, ...], text: str, zone: str, noted: bool
) -> None:
    write("web", text)
    write("t.yaml", "timezone: Africa/Cairo\n")
    result = cli("crontab", "import", "web", *URL, *arguments)
    assert api.jobs["default/a"]["timezone"] == zone
    assert ("read in UTC; this machine's own zone is Europe/Rome: --timezone Europe/Rome" in result.stderr) is noted


def test_tz_is_taken_and_that_is_said(api: FakeApi, cli: Cli) -> None:
    write("web", "TZ=Asia/Tokyo\n@daily a\n")
    result = cli("crontab", "import", "web", *URL)
    assert "web:1: TZ is taken as the time zone" in result.stderr
    assert api.jobs["default/a"]["timezone"] == "Asia/Tokyo"


def test_the_template_s_fields_are_the_defaults(api: FakeApi, cli: Cli) -> None:
    write("web", "@daily a\n")
    write("t.json", '{"namespace": "ops", "timeout": "5m", "target": {"url": "https://x/{name}"}}')
    assert cli("crontab", "import", "web", "--template", "t.json").exit_code == 0
    job = api.jobs["ops/a"]
    assert (job["timeout"], job["target"]["url"]) == ("5m", "https://x/a")
    assert cli("crontab", "import", "web", "--template", "t.json", "-n", "other").exit_code == 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("web",), "give --url, or a --template with a target"),
        (("web", *URL, "--timezone", "Mars"), "no time zone 'Mars'"),
        (("web", *URL, "--header", "none"), "is not a header"),
        (("web", *URL, "--source", " x"), "--source is a name"),
        (("web", "--url", "https://{nope}"), "there is no {nope} to fill in"),
        (("web", "--url", "https://x/{user}"), "say it with --user"),
        (("web", "--template", "missing.yaml"), "cannot be read"),
        (("web", "--template", "list.yaml"), "a template is one mapping"),
        (("web", "--template", "named.yaml"), "a template has no name"),
        (("-", "--template", "-"), "cannot both be stdin"),
        (("missing", *URL), "cannot be read"),
        (("latin", *URL), "latin:2: it is not UTF-8"),
        (("empty", *URL), "no crontab is in this folder"),
    ],
)
def test_bad_usage_is_told_and_nothing_is_saved(api: FakeApi, cli: Cli, arguments: tuple[str, ...], words: str) -> None:
    write("web", "@daily a\n")
    write("list.yaml", "- a\n")
    write("named.yaml", "name: a\n")
    Path("latin").write_bytes(b"@daily a\n# caf\xe9\n")
    Path("empty").mkdir()
    result = cli("crontab", "import", *arguments, stdin="")
    assert (result.exit_code, result.stdout, api.jobs) == (2, "", {})
    assert words in result.stderr


def test_what_a_hostile_crontab_holds_does_not_steer_the_terminal(api: FakeApi, cli: Cli) -> None:
    write("web", "* * * * * echo \x1b[31m\n")
    shown: Any = cli("crontab", "import", "web", *URL, "--dry-run").stdout
    assert "\x1b" not in shown
    assert "echo \\x1b[31m" in shown


def test_what_may_surprise_is_told_with_its_line(api: FakeApi, cli: Cli) -> None:
    write("web", "0 9 13 * FRI /usr/bin/backup.sh\n")
    warning = {"path": "schedule", "message": "day-of-month: either is enough", "hint": "join two", "column": 4}
    api.warnings["default/backup.sh"] = [warning]
    told = ["    0 9 13 * FRI", "        ^", "  hint: join two"]
    for more in (["--dry-run"], []):
        lines = cli("crontab", "import", "web", *URL, *more).stderr.splitlines()
        at = lines.index(told[0])
        assert lines[at - 1].startswith("warning: web:1")
        assert lines[at - 1].endswith("default/backup.sh schedule: day-of-month: either is enough")
        assert lines[at : at + 3] == told
    [item] = json.loads(cli("crontab", "import", "web", *URL, "-o", "json").stdout)["items"]
    assert item["warnings"] == [warning]


def test_what_is_wrong_with_the_url_of_all_is_told_once(api: FakeApi, cli: Cli) -> None:
    write("web", "0 1 * * * a\n0 2 * * * b\n")
    wrong = {"path": "target.url", "message": "ftp is no scheme", "hint": "http or https"}
    problem = {"title": "Invalid job", "status": 400, "detail": "invalid", "errors": [wrong]}
    api.instead = lambda request: (
        Canned(status=400, body=json.dumps(problem).encode(), headers={"Content-Type": "application/problem+json"})
        if request.method == "PUT"
        else None
    )
    result = cli("crontab", "import", "web", "--url", "ftp://x")
    assert result.exit_code == 2
    assert result.stderr[result.stderr.index("error:") :] == (
        "error: 2 of 2 jobs were refused; nothing was saved\n  target.url: ftp is no scheme\n    hint: http or https\n"
    )


def test_warnings_come_below_the_results(api: FakeApi, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    write("web", "0 9 13 * FRI /usr/bin/backup.sh\n")
    api.warnings["default/backup.sh"] = [{"path": "schedule", "message": "either is enough", "hint": None}]
    told: list[str] = []
    monkeypatch.setattr(Screen, "line", lambda self, *cells: told.append(str(cells[0]).strip()))
    monkeypatch.setattr(Screen, "note", lambda self, text: told.append(text.partition(":")[0]))
    cli("crontab", "import", "web", *URL)
    assert told[-2:] == ["created", "warning"]
