import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from minutehand.domain.job_key import JobKey
from minutehand.domain.token import Role
from tests.support.api_server import ApiServer
from tests.unit.cli.conftest import Cli, priced

HOURLY = """name: report
namespace: shop
schedule: "0 * * * *"
target: {type: http, url: "https://example.com/"}
"""


@pytest.fixture
def hourly() -> str:
    Path("report.yaml").write_text(HOURLY, encoding="utf-8")
    return "report.yaml"


def test_jobs_in_files_are_priced_without_a_server(api: ApiServer, cli: Cli, hourly: str) -> None:
    result = cli("cost", hourly)
    assert result.exit_code == 0
    lines = [" ".join(line.split()) for line in result.stdout.splitlines()]
    assert lines[0].endswith("a month in us-east-1: 1 job, 730 runs")
    assert lines[2] == "service what a month price dollars"
    assert "DynamoDB write request units 48,180 0.625 a million $0.03" in lines
    assert "job runs a month dollars" in lines
    assert "shop/report 730 $0.01" in lines
    assert lines[-1].startswith("(the stack itself) - $")
    assert "assumed: a call takes 0.3 s, 0% of the attempts fail" in result.stderr
    assert "not counted: free tiers" in result.stderr
    assert api.requests == []


def test_programs_get_every_figure(cli: Cli, hourly: str) -> None:
    found = priced(cli, hourly, "--region", "eu-west-1")
    assert (found["region"], found["month_hours"]) == ("eu-west-1", 730)
    assert found["prices"] == {"as_of": "2026-11-21", "source": "AWS Price List"}
    [job] = found["jobs"]
    assert (job["job"], job["runs"], job["usage"]["dynamodb_write"]) == ("shop/report", 730, 730 * 5)
    write = next(line for line in found["lines"] if line["what"] == "dynamodb_write")
    assert write["dollars"] == pytest.approx((43_800 + 730 + 730 * 5) * 0.705 / 1e6, abs=1e-6)
    assert found["dollars"] == pytest.approx(sum(line["dollars"] for line in found["lines"]), abs=1e-5)
    assert found["dollars"] == pytest.approx(sum(found["services"].values()), abs=1e-5)
    assert [text.partition(":")[0] for text in found["assumed"]] == ["assumed", "assumed", "not counted"]


def test_what_definitions_do_not_say_is_given(cli: Cli, hourly: str) -> None:
    Path(hourly).write_text(HOURLY + "retry: {max_attempts: 2}\n", encoding="utf-8")
    plain, given = priced(cli, hourly), priced(cli, hourly, "--duration", "2s", "--failures", "50", "--answer", "5000")
    usage = given["jobs"][0]["usage"]
    assert usage["lambda_gb_second"] > 5 * plain["jobs"][0]["usage"]["lambda_gb_second"]
    assert usage["dynamodb_write"] == pytest.approx(730 * (5 + 5 + 0.5 * 3 + 0.25))
    assert usage["s3_put"] == 730
    assert priced(cli, hourly, "--duration", "150ms")["assumed"][0].startswith("assumed: a call takes 0.15 s")


def test_only_the_dearest_jobs_are_shown_to_people(cli: Cli) -> None:
    jobs = [HOURLY.replace("report", f"report-{number:02d}") for number in range(25)]
    Path("many.yaml").write_text("---\n".join(jobs), encoding="utf-8")
    shown = cli("cost", "many.yaml").stdout.splitlines()
    assert sum(line.startswith("shop/report-") for line in shown) == 20
    assert any(line.startswith("5 others") for line in shown)
    assert len(priced(cli, "many.yaml")["jobs"]) == 25


def test_jobs_that_the_api_has_are_priced(api: ApiServer, cli: Cli) -> None:
    api.add_job("shop/a", schedule="*/30 * * * *", overlap="skip")
    api.add_job("shop/b", paused=True)
    api.add_job("ops/c", schedule="@manual")
    found = priced(cli, "-n", "shop", "-n", "ops", "-n", "shop")
    assert {job["job"]: job["runs"] for job in found["jobs"]} == {"shop/a": 1460, "shop/b": 0, "ops/c": 0}
    assert found["jobs"][0]["usage"]["dynamodb_write"] == 1460 * 8
    assert "shop/b is paused, and costs nothing" in found["notes"]
    assert "ops/c runs only when triggered, and is not counted" in found["notes"]


def test_a_limit_of_the_namespace_counts_for_each_of_its_jobs(api: ApiServer, cli: Cli) -> None:
    for name in ("shop/a", "shop/b", "ops/c"):
        api.add_job(name)
    api.add_job("shop/own", max_concurrency=2)
    cli("namespace", "set", "shop", "--max-concurrency", "5")
    api.requests.clear()
    found = priced(cli, "-n", "shop", "-n", "ops", "-n", "shop")
    writes = {job["job"]: job["usage"]["dynamodb_write"] / 730 for job in found["jobs"]}
    saved = 1 - 1 / 3  # the three of one namespace share an entry
    assert writes == pytest.approx({"shop/a": 8 - saved, "shop/b": 8 - saved, "shop/own": 10 - saved, "ops/c": 5})
    assert sum(request.path.endswith("/namespaces/shop") for request in api.requests) == 1
    assert "max_concurrency" not in found["assumed"][2]


def test_a_limit_of_the_namespace_is_not_known_of_jobs_in_files(cli: Cli, hourly: str) -> None:
    assert "a max_concurrency of the namespace" in priced(cli, hourly)["assumed"][2]


def test_what_the_apis_calendars_block_is_not_counted(api: ApiServer, cli: Cli) -> None:
    closed = {"dates": ["2026-12-01..2027-11-30"]}
    api.ask("PUT", "namespaces/shop/calendars/closed", closed)
    api.add_job("shop/a", schedule="0 9 * * *", calendars=["closed"])
    found = priced(cli, "-n", "shop")
    assert found["jobs"][0]["runs"] < 2
    assert not [note for note in found["notes"] if "calendars" in note]
    api.say("/calendars/closed", api.calendars["shop/closed"] | {"dates": ["soon"]})
    wrong = cli("cost", "-n", "shop")
    assert wrong.exit_code == 2
    assert wrong.stderr.splitlines()[:2] == [
        "error: 1 of 1 calendar was invalid",
        "  shop/closed dates[0]: 'soon' is not a date",
    ]


def test_calendars_in_files_are_given_beside_the_jobs(cli: Cli) -> None:
    Path("jobs.yaml").write_text(HOURLY + "calendars: [nights, holidays, away]\n", encoding="utf-8")
    Path("calendars").mkdir()
    Path("calendars/nights.yaml").write_text(
        'name: nights\nnamespace: shop\nweekly: ["MON-SUN 00:00-06:00"]\n', encoding="utf-8"
    )
    found = priced(cli, "jobs.yaml")
    assert found["jobs"][0]["runs"] == 730
    unknown = "are calendars that are not known here, and are counted as if they blocked nothing"
    assert f"shop/away, shop/holidays, shop/nights {unknown}" in found["notes"]
    found = priced(cli, "jobs.yaml", "--calendars", "calendars")
    assert found["jobs"][0]["runs"] == 550
    assert f"shop/away, shop/holidays {unknown}" in found["notes"]
    ics = "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:x\nBEGIN:VEVENT\nUID:a\nDTSTAMP:20260101T000000Z\nDTSTART;VALUE=DATE:20261201\nEND:VEVENT\nEND:VCALENDAR\n"
    Path("holidays.ics").write_text(ics.replace("\n", "\r\n"), encoding="utf-8")
    result = cli(
        "cost", "jobs.yaml", "-n", "shop", "--calendars", "calendars", "--calendars", "holidays.ics", "-o", "json"
    )
    assert json.loads(result.stdout)["jobs"][0]["runs"] == 550 - 18


def test_times_of_an_icalendar_file_that_are_in_no_zone_are_given_one(cli: Cli) -> None:
    event = "DTSTART:20261201T000000\nDTEND:20261201T060000\n"
    ics = f"BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:x\nBEGIN:VEVENT\nUID:a\nDTSTAMP:20260101T000000Z\n{event}END:VEVENT\nEND:VCALENDAR\n"
    Path("work.ics").write_text(ics.replace("\n", "\r\n"), encoding="utf-8")
    Path("jobs.yaml").write_text(HOURLY + "calendars: [work]\n", encoding="utf-8")
    refused = cli("cost", "jobs.yaml", "-n", "shop", "--calendars", "work.ics")
    assert refused.exit_code == 2
    assert "--timezone Europe/Paris" in refused.stderr
    result = cli(
        "cost", "jobs.yaml", "-n", "shop", "--calendars", "work.ics", "--timezone", "Europe/Paris", "-o", "json"
    )
    assert json.loads(result.stdout)["jobs"][0]["runs"] == 730 - 6


def test_a_calendar_in_a_file_that_is_not_understood_is_reported_with_its_place(cli: Cli, hourly: str) -> None:
    Path("wrong.yaml").write_text("name: wrong\nweekly: [SATURDAY]\n", encoding="utf-8")
    result = cli("cost", hourly, "--calendars", "wrong.yaml")
    assert result.exit_code == 2
    assert result.stderr.splitlines()[:2] == [
        "error: 1 of 1 calendar was invalid",
        "  wrong.yaml:1 default/wrong weekly[0]: 'SATURDAY' is not a day of the week",
    ]
    Path("wrong.yaml").write_text("dates: []\n", encoding="utf-8")
    assert "error: invalid files; no estimate was made" in cli("cost", hourly, "--calendars", "wrong.yaml").stderr


def test_a_job_counts_in_the_part_of_the_month_in_which_it_runs(cli: Cli) -> None:
    limits = {
        "all": "",
        "ahead": "start_at: 2027-06-01T00:00:00Z\n",
        "over": "end_at: 2026-11-20T08:00:00Z\n",
        "soon-over": "end_at: 2026-11-20T18:30:00Z\n",
        "soon": "paused: {until: 2026-12-20T08:30:00Z}\n",
        "counted": "max_runs: 5\nstatus: {runs_left: 2}\n",
    }
    jobs = [HOURLY.replace("report", name) + limit for name, limit in limits.items()]
    Path("many.yaml").write_text("---\n".join(jobs), encoding="utf-8")
    found = priced(cli, "many.yaml")
    assert [job["runs"] for job in found["jobs"]] == [730, 0, 0, 10, 10, 5]
    assert "shop/ahead, shop/over are not due in the month to come, and cost nothing" in found["notes"]
    assert (
        "shop/soon-over, shop/soon are due in only a part of the month, and are counted for that part" in found["notes"]
    )


def test_the_runs_that_max_runs_has_left_are_counted(api: ApiServer, cli: Cli) -> None:
    for name, left in (("a", 2), ("b", 0)):
        api.add_job(f"default/{name}", max_runs=9)
        key = JobKey("default", name)
        api.state.timers[key] = replace(api.state.timers[key], runs_left=left)
    found = priced(cli)
    assert [job["runs"] for job in found["jobs"]] == [2, 0]
    assert "default/b is not due in the month to come, and costs nothing" in found["notes"]


def test_without_jobs_it_is_the_stack_that_costs(cli: Cli) -> None:
    result = cli("cost")
    assert "0 jobs, 0 runs" in result.stdout
    assert "(the stack itself)" in result.stdout


def test_prices_of_ones_own_are_taken(cli: Cli, hourly: str) -> None:
    own = {"as_of": "2026-01-02", "source": "my contract", "regions": {"moon-1": {"dynamodb_write": 1}}}
    Path("own.json").write_text(json.dumps(own), encoding="utf-8")
    found = priced(cli, hourly, "--prices", "own.json", "--region", "moon-1")
    assert found["dollars"] == pytest.approx((43_800 + 730 + 730 * 5) / 1e6, abs=1e-6)
    assert found["notes"][0].startswith("prices as of 2026-01-02 (my contract)")
    assert "no price is known in moon-1 for: DynamoDB read request units" in found["notes"][1]
    shown = cli("cost", hourly, "--prices", "own.json", "--region", "moon-1")
    assert "unknown" in shown.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--region", "mars-1"], "there are no prices for the region 'mars-1'"),
        (["--prices", "away.json"], "away.json: it cannot be read"),
        (["--prices", "report.yaml"], "report.yaml: it is not JSON"),
        (["report.yaml", "--actual"], "leave FILE out"),
        (["report.yaml", "-n", "a", "-n", "b"], "give --namespace once"),
        (["--calendars", "a.yaml"], "leave --calendars out"),
        (["report.yaml", "--calendars", "-"], "--calendars must be files"),
        (["report.yaml", "--calendars", "away.yaml"], "away.yaml: it cannot be read"),
        (["report.yaml", "--timezone", "Europe/Paris"], "--timezone goes with --calendars"),
        (["--days", "3"], "--days goes with --actual"),
        (["--actual", "--duration", "1s"], "leave --duration out"),
        (["--actual", "--failures", "1"], "leave --failures out"),
        (["report.yaml", "--duration", "soon"], "'soon' is not a duration"),
        *(
            (
                ["report.yaml", "--failures", given],
                f"'--failures': '{given}' is not a percentage; write a number from 0 to 100",
            )
            for given in ("101", "abc", "5%", "nan", "-1")
        ),
        (["report.yaml", "--answer", "big"], "'--answer': 'big' is not a whole number of 0 or more"),
        (["--actual", "--days", "366"], "'--days': '366' is not a whole number from 1 to 365"),
        (["away.yaml"], "error: invalid files; no estimate was made away.yaml: it cannot be read"),
    ],
)
def test_what_is_wrong_is_reported_with_exit_code_2(cli: Cli, hourly: str, arguments: list[str], message: str) -> None:
    result = cli("cost", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in " ".join(result.stderr.split())


def test_every_job_that_is_not_understood_is_reported_with_its_place(cli: Cli) -> None:
    wrong = HOURLY.replace("0 * * * *", "61 * * * *") + "---\n" + HOURLY.replace("report", "other") + "timeout: soon\n"
    Path("wrong.yaml").write_text(wrong, encoding="utf-8")
    result = cli("cost", "wrong.yaml")
    assert result.exit_code == 2
    assert result.stderr.splitlines() == [
        "error: 2 of 2 jobs were invalid",
        "  wrong.yaml:1 shop/report schedule: minute: 61 is out of range",
        "      61 * * * *",
        "      ^",
        "    hint: it goes from 0 to 59",
        "  wrong.yaml:6 shop/other timeout: 'soon' is not a duration",
        "    hint: write numbers with units, such as 90s, 1h30m or 7d",
    ]


def test_the_page_shows_what_is_printed(cli: Cli) -> None:
    page = (Path(__file__).parents[3] / "docs" / "reference" / "cli.md").read_text(encoding="utf-8")
    found = re.search(
        r"in `shop.yaml`:\n\n```yaml\n(.*?)```\n\n```console\n\$ minutehand (cost .*?)\n(.*?)```", page, re.DOTALL
    )
    assert found is not None
    Path("shop.yaml").write_text(found[1], encoding="utf-8")
    result = cli(*found[2].split())
    printed = "".join(f"{line.rstrip()}\n" for line in (result.stdout + result.stderr).splitlines())
    assert re.fullmatch(re.escape(found[3]).replace("…\\\n", "(?:.+\\n)*"), printed)


def test_an_api_that_does_not_answer_as_it_should_is_reported(api: ApiServer, cli: Cli) -> None:
    api.add_job("default/a")
    api.allow(Role.ADMIN, "elsewhere")
    assert cli("cost").exit_code == 5
