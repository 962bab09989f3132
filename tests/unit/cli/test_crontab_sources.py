"""Where a crontab is, its options and a template say how it is read."""

from pathlib import Path

import pytest

from tests.support.api_server import ApiServer
from tests.unit.cli.conftest import Cli
from tests.unit.cli.crontabs import TEXT, URL, results
from tests.unit.cli.files import write


def test_stdin_needs_a_source(api: ApiServer, cli: Cli) -> None:
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
    api: ApiServer, cli: Cli, path: str, source: str, user: str, owner: str | None
) -> None:
    write(path, f"@daily {'' if owner else 'root '}run me\n")
    result = cli("crontab", "import", path, *URL)
    kind = "a user's crontab" if owner else "a system crontab"
    assert f"{path} is read as {kind}" in result.stderr
    job = api.jobs["default/run"]
    assert (job["payload"]["user"], job["labels"]["crontab/user"]) == (user, user)
    assert (job["payload"]["command"], job["labels"]["crontab/source"]) == ("run me", source)


def test_a_folder_is_read_as_cron_d_each_file_by_itself(api: ApiServer, cli: Cli) -> None:
    write("etc/cron.d/one", "A=1\n@daily root one\n")
    write("etc/cron.d/two", "@daily www-data two\n")
    for name in ("old.bak", ".placeholder", "sub/three"):
        write(f"etc/cron.d/{name}", "@daily root never\n")
    result = cli("crontab", "import", "etc/cron.d", *URL)
    assert sorted(api.jobs) == ["default/one", "default/two"]
    assert "etc/cron.d/old.bak is skipped: cron reads only files whose names are letters, digits, _ and -" in (
        result.stderr
    )
    assert ".placeholder" not in result.stderr
    assert api.jobs["default/two"]["labels"]["crontab/source"] == "cron.d/two"
    assert api.jobs["default/two"]["payload"]["environment"] == {}
    Path("etc/cron.d/two").unlink()
    assert results(cli, "etc/cron.d", *URL) == {"default/one": "unchanged", "default/two": "gone"}
    assert results(cli, "etc/cron.d/one", *URL) == {"default/one": "unchanged"}


def test_a_spool_is_a_folder_of_users_crontabs(api: ApiServer, cli: Cli) -> None:
    write("var/spool/cron/crontabs/alice", "@daily run\n")
    write("var/spool/cron/crontabs/bob.b", "@daily run\n")
    assert len(results(cli, "var/spool/cron/crontabs", *URL)) == 2
    assert sorted(job["payload"]["user"] for job in api.jobs.values()) == ["alice", "bob.b"]


def test_the_options_say_otherwise(api: ApiServer, cli: Cli) -> None:
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
@pytest.mark.thorough
def test_the_time_zone_is_the_crontab_s_then_the_option_s_then_the_template_s(
    api: ApiServer, cli: Cli, arguments: tuple[str, ...], text: str, zone: str, noted: bool
) -> None:
    write("web", text)
    write("t.yaml", "timezone: Africa/Cairo\n")
    result = cli("crontab", "import", "web", *URL, *arguments)
    assert api.jobs["default/a"]["timezone"] == zone
    assert ("in UTC; this machine's time zone is Europe/Rome: --timezone Europe/Rome" in result.stderr) is noted


def test_tz_is_taken_and_says_so(api: ApiServer, cli: Cli) -> None:
    write("web", "TZ=Asia/Tokyo\n@daily a\n")
    result = cli("crontab", "import", "web", *URL)
    assert "web:1: TZ is used as the time zone" in result.stderr
    assert api.jobs["default/a"]["timezone"] == "Asia/Tokyo"


def test_the_template_s_fields_are_the_defaults(api: ApiServer, cli: Cli) -> None:
    write("web", "@daily a\n")
    write("t.json", '{"namespace": "ops", "timeout": "5m", "target": {"url": "https://x/{name}"}}')
    assert cli("crontab", "import", "web", "--template", "t.json").exit_code == 0
    job = api.jobs["ops/a"]
    assert (job["timeout"], job["target"]["url"]) == ("5m", "https://x/a")
    assert cli("crontab", "import", "web", "--template", "t.json", "-n", "other").exit_code == 2
