import json
from pathlib import Path

import pytest

from tests.support.api_server import ApiServer
from tests.unit.cli.conftest import Cli
from tests.unit.cli.crontabs import URL


@pytest.fixture
def imported(api: ApiServer, cli: Cli) -> ApiServer:
    """Two crontabs as jobs, and one job that came from nowhere."""
    Path("cron.d").mkdir()
    Path("cron.d/web").write_text("MAILTO=ops\n# Back up.\n0 3 * * * root backup +\\%F%in\n", encoding="utf-8")
    Path("cron.d/db").write_text("CRON_TZ=Asia/Tokyo\n@daily postgres vacuum\n", encoding="utf-8")
    assert cli("crontab", "import", "cron.d", *URL).exit_code == 0
    api.add_job("default/by-hand", schedule="@every 10s")
    return api


def test_list_shows_the_jobs_that_came_from_crontabs(imported: ApiServer, cli: Cli) -> None:
    lines = cli("crontab", "list").stdout.splitlines()
    assert [line.split()[:3] for line in lines] == [
        ["job", "source", "user"],
        ["default/backup", "cron.d/web", "root"],
        ["default/vacuum", "cron.d/db", "postgres"],
    ]
    assert "0 3 * * *  UTC         2026-11-21 03:00:00" in lines[1]


@pytest.mark.parametrize(
    ("source", "names"), [("cron.d", ["backup", "vacuum"]), ("cron.d/db", ["vacuum"]), ("cron", []), ("x", [])]
)
def test_a_source_is_one_crontab_or_a_folder_of_them(
    imported: ApiServer, cli: Cli, source: str, names: list[str]
) -> None:
    found = json.loads(cli("crontab", "list", "--source", source, "-o", "json").stdout)
    assert [job["name"] for job in found["items"]] == names
    cleared = json.loads(cli("crontab", "clear", "--source", source, "--yes", "-o", "json").stdout)
    assert cleared == {"items": [{"job": f"default/{name}", "result": "deleted"} for name in names]}
    assert len(imported.jobs) == 3 - len(names)


def test_an_empty_list_is_no_error(cli: Cli) -> None:
    for command in ("list", "clear"):
        result = cli("crontab", command, "--source", "x", *(["--yes"] if command == "clear" else []))
        assert (result.exit_code, result.stdout) == (0, "")
        assert "namespace default has no jobs from the crontab x" in result.stderr


def test_importing_what_was_exported_changes_nothing(imported: ApiServer, cli: Cli) -> None:
    for source in ("cron.d/web", "cron.d/db"):
        exported = cli("crontab", "export", "--source", source)
        assert (exported.exit_code, exported.stderr) == (0, "")
        again = cli("crontab", "import", "-", "--source", source, *URL, "--prune", "-o", "json", stdin=exported.stdout)
        assert [item["result"] for item in json.loads(again.stdout)["items"]] == ["unchanged"]


def test_export_is_a_crontab_in_which_what_it_cannot_say_is_a_comment(imported: ApiServer, cli: Cli) -> None:
    result = cli("crontab", "export")
    assert "\n# Back up.\n0 3 * * * root backup +\\%F%in\n" in result.stdout
    assert "\nCRON_TZ=Asia/Tokyo\n\n@daily postgres vacuum\n" in result.stdout
    assert "# default/by-hand is not here: its payload has no command\n" in result.stdout
    assert "1 of 3 jobs is only a comment in the crontab, with the reason" in result.stderr
    found = json.loads(cli("crontab", "export", "-o", "json").stdout)
    assert found["crontab"] == result.stdout
    assert found["left_out"] == [{"job": "default/by-hand", "reason": "its payload has no command"}]


def test_export_without_users_is_a_user_s_crontab(imported: ApiServer, cli: Cli) -> None:
    text = cli("crontab", "export", "--source", "cron.d/db", "--no-system").stdout
    assert "\n@daily vacuum\n" in text
    out = cli("crontab", "import", "-", "--source", "cron.d/db", "--user", "postgres", *URL, stdin=text).stdout
    assert out.startswith("unchanged  default/vacuum")


def test_clear_asks_first(imported: ApiServer, cli: Cli) -> None:
    for answer in ("n\n", ""):
        result = cli("crontab", "clear", stdin=answer, attended=True)
        assert (result.exit_code, len(imported.jobs)) == (1, 3)
        assert "Delete 2 jobs (default/backup, default/vacuum)?" in result.stderr
    result = cli("crontab", "clear", stdin="y\n", attended=True)
    assert result.stdout == "deleted  default/backup\ndeleted  default/vacuum\n"
    assert list(imported.jobs) == ["default/by-hand"]


@pytest.mark.parametrize(("attended", "more"), [(False, ()), (True, ("-o", "json"))])
def test_clear_does_nothing_where_there_is_no_one_to_ask(
    imported: ApiServer, cli: Cli, attended: bool, more: tuple[str, ...]
) -> None:
    result = cli("crontab", "clear", *more, attended=attended)
    assert (result.exit_code, len(imported.jobs)) == (2, 3)
    assert "confirm with --yes" in result.stderr


def test_a_job_that_somebody_else_deleted_meanwhile_is_as_it_should_be(imported: ApiServer, cli: Cli) -> None:
    def before(request: object) -> None:
        if "default/backup" in imported.jobs:
            imported.ask("DELETE", "namespaces/default/jobs/backup")

    imported.before = lambda request: before(request) if request.method == "DELETE" else None
    assert cli("crontab", "clear", "--yes").exit_code == 0


def test_the_group_without_a_command_shows_its_help(cli: Cli) -> None:
    result = cli("crontab")
    assert result.exit_code == 2
    for name in ("import", "export", "list", "clear"):
        assert name in result.output


def test_bad_usage_of_a_command_of_the_group_is_a_problem_in_json(cli: Cli) -> None:
    result = cli("crontab", "import", "-o", "json")
    assert result.exit_code == 2
    assert json.loads(result.stderr)["title"] == "bad usage"
