"""Each line of a crontab becomes a job, and importing it again saves what has changed."""

import json

from minutehand.domain.errors import Unavailable
from tests.support.api_server import ApiServer
from tests.support.http_server import Request
from tests.unit.cli.conftest import Cli, Unsaved
from tests.unit.cli.crontabs import TEXT, URL, results
from tests.unit.cli.files import write


def saves(api: ApiServer) -> list[Request]:
    return [request for request in api.requests if request.method != "GET" and "dry_run" not in request.query]


def test_each_line_becomes_a_job(api: ApiServer, cli: Cli) -> None:
    write("web", TEXT)
    result = cli("crontab", "import", "web", *URL, "--header", "X-From: cron", "--method", "PUT")
    assert result.exit_code == 0
    assert result.stdout == "created    default/backup.sh  revision 1\ncreated    default/sync  revision 1\n"
    job = api.jobs["default/backup.sh"]
    assert (job["schedule"], job["timezone"], job["dialect"]) == ("0 3 * * *", "Europe/Paris", "vixie")
    assert (job["description"], job["owner"]) == ("Back up.", "ops")
    given = {"type": "http", "url": URL[1], "method": "PUT", "headers": {"X-From": "cron"}}
    assert job["target"] | given == job["target"]
    assert job["payload"] == {
        "command": "/usr/bin/backup.sh --full",
        "stdin": None,
        "user": None,
        "environment": {"MAILTO": "ops"},
    }
    assert job["labels"]["crontab/source"] == "web"


def test_importing_the_same_again_changes_nothing(api: ApiServer, cli: Cli) -> None:
    write("web", f"{TEXT}@daily ./sync now\n@daily ./sync now\n@daily ./sync then\n")
    first = results(cli, "web", *URL)
    assert (len(first), set(first.values())) == (5, {"created"})
    api.requests.clear()
    assert results(cli, "web", *URL) == dict.fromkeys(first, "unchanged")
    assert saves(api) == []


def test_an_edited_schedule_updates_the_same_job(api: ApiServer, cli: Cli) -> None:
    write("web", TEXT)
    cli("crontab", "import", "web", *URL)
    write("web", TEXT.replace("0 3 *", "0 4 *"))
    assert results(cli, "web", *URL) == {"default/backup.sh": "updated", "default/sync": "unchanged"}
    assert api.jobs["default/backup.sh"]["schedule"] == "0 4 * * *"


def test_a_paused_job_stays_paused(api: ApiServer, cli: Cli) -> None:
    write("web", TEXT)
    cli("crontab", "import", "web", *URL)
    cli("pause", "sync")
    assert set(results(cli, "web", *URL).values()) == {"unchanged"}
    assert api.jobs["default/sync"]["paused"] is True


def test_a_job_whose_line_is_gone_is_reported_and_deleted_only_when_asked(api: ApiServer, cli: Cli) -> None:
    write("web", TEXT)
    cli("crontab", "import", "web", *URL)
    api.add_job("default/by-hand")
    api.add_job("default/other", labels={"crontab/source": "web2", "crontab/line": "x"})
    write("web", "CRON_TZ=Europe/Paris\n0 3 * * * /usr/bin/backup.sh --full\n")
    done = cli("crontab", "import", "web", *URL)
    assert "gone       default/sync  revision 1" in done.stdout
    assert "default/sync: its line is gone, but the job still runs; --prune deletes such jobs" in done.stderr
    assert "default/sync" in api.jobs
    pruned = cli("crontab", "import", "web", *URL, "--prune")
    assert "deleted    default/sync  revision 1" in pruned.stdout
    assert sorted(api.jobs) == ["default/backup.sh", "default/by-hand", "default/other"]


def test_an_edited_command_is_another_job_unless_the_old_one_may_go(api: ApiServer, cli: Cli) -> None:
    write("web", "@daily backup --full\n")
    cli("crontab", "import", "web", *URL)
    write("web", "@daily backup --fast\n")
    done = results(cli, "web", *URL, "--dry-run")
    assert sorted(done.values()) == ["created", "gone"]
    assert results(cli, "web", *URL, "--prune") == {"default/backup": "updated"}
    assert api.jobs["default/backup"]["payload"]["command"] == "backup --fast"


def test_a_job_that_did_not_come_from_this_crontab_is_never_overwritten(api: ApiServer, cli: Cli) -> None:
    before = dict(api.add_job("default/backup.sh"))
    write("web", TEXT)
    [name] = [name for name, result in results(cli, "web", *URL).items() if name.startswith("default/backup.sh")]
    assert name.startswith("default/backup.sh-")
    assert api.jobs["default/backup.sh"] == before


def test_dry_run_shows_a_table_and_saves_nothing(api: ApiServer, cli: Cli) -> None:
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
    assert "0 4 * * *    Europe/Paris  2026-11-21 03:00:00  /usr/bin/backup.sh --full" in rows[0]
    assert "nothing was saved: --dry-run" in result.stderr
    assert saves(api) == []
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
        "next_run_at": "2026-11-21T02:00:00Z",
        "command": "/usr/bin/backup.sh --full",
        "warnings": [],
    }


def test_when_saving_fails_in_the_middle_what_was_saved_is_reported_and_nothing_is_deleted(
    api: ApiServer, cli: Cli, unsaved: Unsaved
) -> None:
    write("web", f"{TEXT}@daily gone\n")
    cli("crontab", "import", "web", *URL)
    write("web", TEXT.replace("0 3", "0 4").replace("*/5", "*/6"))
    unsaved("sync", Unavailable("broken"))
    result = cli("crontab", "import", "web", *URL, "--prune")
    assert result.exit_code == 1
    assert "updated    default/backup.sh" in result.stdout
    assert "import again to continue" in result.stderr
    assert "default/gone" in api.jobs
    unsaved("none", Unavailable("broken"))
    assert results(cli, "web", *URL, "--prune")["default/gone"] == "deleted"
