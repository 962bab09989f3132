"""`minutehand compare`: runs beside another scheduler's log."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from minutehand.domain.run import SkipReason
from tests.support.api_server import ApiServer
from tests.unit.cli.conftest import Cli

CRON = "Nov 20 {} web1 CRON[1]: (root) CMD ({})\n"


@pytest.fixture(autouse=True)
def _jobs(api: ApiServer) -> None:
    api.add_job("shop/report")
    api.add_job("shop/close", labels={"crontab/source": "cron.d/shop"}, payload={"command": "/usr/bin/close"})
    for hour in (5, 6, 7, 8):
        api.add_run("shop/report", f"20261120T0{hour}0000Z")


def log(*lines: tuple[str, str]) -> str:
    Path("cron.log").write_text("".join(CRON.format(*line) for line in lines), encoding="utf-8")
    return "cron.log"


def compared(cli: Cli, *arguments: str, code: int = 0) -> Any:
    result = cli("compare", *arguments, "-n", "shop", "-o", "json")
    assert (result.exit_code, result.stderr) == (code, "")
    return json.loads(result.stdout)


HOURLY = [(f"0{hour}:00:01", "/bin/report") for hour in (5, 6, 7, 8)]


def test_two_that_did_the_same_end_with_0(cli: Cli) -> None:
    result = cli("compare", log(*HOURLY), "-n", "shop", "--map", "/bin/report=report")
    assert (result.exit_code, result.stderr) == (0, "")
    lines = [line.split() for line in result.stdout.splitlines()]
    assert lines[0] == ["from", "2026-11-20", "05:00:01", "to", "2026-11-20", "08:00:01", "UTC"]
    assert lines[2] == ["shop/report", "4", "0", "0", "-588ms", "-588ms"]
    assert lines[-1] == ["1", "job", "compared:", "the", "same"]


def test_what_one_ran_alone_is_named_with_its_place_and_ends_with_6(cli: Cli) -> None:
    file = log(*HOURLY[:2], ("06:30:00", "/bin/report"), HOURLY[3])
    result = cli("compare", file, "-n", "shop", "--map", "/bin/report=report")
    assert result.exit_code == 6
    assert "only here: shop/report 2026-11-20 07:00:00\n" in result.stdout
    assert "only there: shop/report 2026-11-20 06:30:00 (cron.log:3)\n" in result.stdout
    assert result.stdout.endswith("1 job compared: 1 differ\n")


def test_runs_in_shadow_count_and_skipped_ones_are_told_beside_the_old_systems(api: ApiServer, cli: Cli) -> None:
    key = api.add_run(
        "shop/report", "20261120T073000Z", "skipped", skip_reason=SkipReason.SHADOW, lateness=timedelta(0), attempt=1
    )
    api.add_run("shop/report", "20261120T074500Z", "skipped", skip_reason=SkipReason.OVERLAP)
    file = log(*HOURLY[:3], ("07:30:00", "/bin/report"), ("07:45:00", "/bin/report"), HOURLY[3])
    [job] = compared(cli, file, "--map", "/bin/report=report", code=6)["jobs"]
    assert key in api.state.runs
    assert (job["matched"], job["only_here"]["count"]) == (5, 0)
    assert job["only_there"]["first"] == [
        {
            "at": "2026-11-20T07:45:00Z",
            "place": "cron.log:5",
            "here": "skipped: another run of the job was active or waiting",
        }
    ]


def test_triggered_runs_are_left_out(api: ApiServer, cli: Cli) -> None:
    api.add_run("shop/report", "20261120T063000Z~trigger-1")
    assert compared(cli, log(*HOURLY), "--map", "/bin/report=report")["same"] is True


def test_a_job_of_a_crontab_is_found_by_its_command_and_one_that_ran_nowhere_is_not_shown(
    api: ApiServer, cli: Cli
) -> None:
    api.add_run("shop/close", "20261120T060000Z")
    found = compared(cli, log(*HOURLY, ("06:00:00", "/usr/bin/close")), "--map", "/bin/report=report")
    assert [(job["job"], job["names"], job["matched"]) for job in found["jobs"]] == [
        ("shop/close", ["/usr/bin/close"], 1),
        ("shop/report", ["/bin/report"], 4),
    ]


def test_a_job_that_the_log_never_names_is_only_here(api: ApiServer, cli: Cli) -> None:
    api.add_run("shop/close", "20261120T060000Z")
    found = compared(cli, log(*HOURLY), "--map", "/bin/report=report", code=6)
    assert [(job["job"], job["only_here"]["count"]) for job in found["jobs"]] == [("shop/close", 1), ("shop/report", 0)]


def test_an_unknown_name_is_a_difference_unless_it_is_ignored(cli: Cli) -> None:
    file = log(*HOURLY, ("06:17:01", "run-parts /etc/cron.hourly"))
    mapped = ("--map", "/bin/report=report")
    found = compared(cli, file, *mapped, code=6)
    assert found["unknown_names"] == [
        {
            "name": "run-parts /etc/cron.hourly",
            "count": 1,
            "place": "cron.log:5",
            "why": "no job has this name, label or command",
        }
    ]
    assert compared(cli, file, *mapped, "--map", "run-parts*=-")["ignored"] == 1
    Path("map.yaml").write_text("/bin/report: report\nrun-parts*: null\n", encoding="utf-8")
    assert compared(cli, file, "--map-file", "map.yaml")["same"] is True


def test_an_unreadable_line_is_named_and_is_a_difference(cli: Cli) -> None:
    Path("cron.log").write_text(CRON.format("05:00:01", "/bin/report") + CRON.format("25:00:01", "x"), encoding="utf-8")
    result = cli("compare", "cron.log", "-n", "shop", "--map", "/bin/report=report")
    assert result.exit_code == 6
    assert "unreadable: cron.log:2: 'Nov 20 25:00:01' is not a time" in result.stderr


def test_the_span_and_the_tolerance_may_be_given(cli: Cli) -> None:
    file = log(*HOURLY[:3])
    mapped = ("--map", "/bin/report=report")
    assert compared(cli, file, *mapped)["same"] is True
    longer = compared(cli, file, *mapped, "--to", "2026-11-20 08:30", code=6)
    assert (longer["to"], longer["jobs"][0]["only_here"]["first"]) == (
        "2026-11-20T08:30:00Z",
        [{"at": "2026-11-20T08:00:00.412Z"}],
    )
    narrow = compared(cli, log(("05:00:03", "/bin/report"), *HOURLY[1:]), *mapped, "--tolerance", "1s", code=6)
    assert narrow["jobs"][0]["matched"] == 3


def test_a_log_without_a_run_and_one_that_cannot_be_read_are_refused(cli: Cli) -> None:
    Path("empty.log").write_text("Nov 20 08:00:00 web1 sshd[1]: hello\n", encoding="utf-8")
    result = cli("compare", "empty.log", "-n", "shop")
    assert (result.exit_code, "the log has no line about a run: 1 lines are about something else" in result.stderr) == (
        2,
        True,
    )
    assert cli("compare", "gone.log").exit_code == 2
    Path("a.csv").write_text("when,what\n", encoding="utf-8")
    assert "no column with the time" in cli("compare", "a.csv").stderr


@pytest.mark.parametrize("pair", ["report", "=report", "/bin/report="])
def test_a_mapping_without_name_or_job_is_refused(api: ApiServer, cli: Cli, pair: str) -> None:
    result = cli("compare", log(*HOURLY), "--map", pair)
    assert (result.exit_code, api.requests) == (2, [])
    assert "is not NAME=JOB" in result.stderr


def test_a_job_to_which_a_name_is_mapped_must_exist(cli: Cli) -> None:
    assert cli("compare", log(*HOURLY), "-n", "shop", "--map", "/bin/report=gone").exit_code == 3


def test_clock_changes_are_told_beside_the_differences(api: ApiServer, cli: Cli) -> None:
    api.add_job("shop/paris", timezone="Europe/Paris")
    Path("a.csv").write_text("time,name\n2026-10-24T00:00:00Z,paris\n2026-10-25T01:30:00Z,paris\n", encoding="utf-8")
    [job] = compared(cli, "a.csv", code=6)["jobs"]
    assert job["notes"] == [
        "clocks in Europe/Paris go back by 1h at 2026-10-25T01:00:00Z: 1 of 2 differences beside it"
    ]


def test_a_tolerance_that_may_match_neighbours_has_a_note(cli: Cli) -> None:
    mapped = ("--map", "/bin/report=report")
    [job] = compared(cli, log(*HOURLY), *mapped, "--tolerance", "30m")["jobs"]
    assert "the tolerance of 30m is not below half of the 1h between its runs" in job["notes"][0]
    assert compared(cli, log(*HOURLY), *mapped, "--tolerance", "29m")["jobs"][0]["notes"] == []


def test_a_device_is_no_log(cli: Cli) -> None:
    result = cli("compare", "/dev/null", "-n", "shop")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "/dev/null" in result.stderr
    assert "this is a device" in result.stderr
