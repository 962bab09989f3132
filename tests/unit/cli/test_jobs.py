import json
import re
from dataclasses import replace
from typing import Any

import pytest

from minutehand.cli.screen.job_text import MOST_SHOWN
from minutehand.domain.job_key import JobKey
from tests.support.api_server import ApiServer
from tests.unit.cli.conftest import Cli


def test_list_shows_each_job_with_its_next_run_or_why_it_is_idle(api: ApiServer, cli: Cli) -> None:
    api.add_job("demo/beat", timezone="Asia/Tokyo")
    api.add_job("demo/rest", paused=True)
    api.add_job("other/beat")
    lines = cli("list", "-n", "demo").stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["job", "demo/beat", "demo/rest"]
    assert "2026-11-20 09:00:00" in lines[1]
    assert "idle: paused" in lines[2]


@pytest.mark.thorough
def test_list_reads_all_pages_and_json_is_the_page_of_the_api(api: ApiServer, cli: Cli) -> None:
    for n in range(120):
        api.add_job(f"default/job-{n:03}")
    page = json.loads(cli("list", "-o", "json").stdout)
    assert [job["name"] for job in page["items"]] == [f"job-{n:03}" for n in range(120)]
    assert page["next"] is None
    assert page["items"][0]["target_type"] == "http"


@pytest.mark.thorough
def test_a_limited_list_can_be_gone_on_with(api: ApiServer, cli: Cli) -> None:
    for n in range(120):
        api.add_job(f"default/job-{n:03}")
    first = json.loads(cli("list", "--limit", "70", "-o", "json").stdout)
    rest = json.loads(cli("list", "--cursor", first["next"], "-o", "json").stdout)
    assert (len(first["items"]), len(rest["items"])) == (70, 50)
    assert f"--cursor {first['next']}" in cli("list", "--limit", "70").stderr


def test_an_empty_list_is_no_error_and_leaves_stdout_empty(cli: Cli) -> None:
    result = cli("list")
    assert (result.exit_code, result.stdout) == (0, "")
    assert "namespace default has no jobs" in result.stderr


def test_show_shows_the_next_run_in_the_job_s_zone_and_in_utc(api: ApiServer, cli: Cli) -> None:
    api.add_job("demo/beat", timezone="Asia/Tokyo", owner="team-a", labels={"tier": "1"}, payload={"k": "ü"})
    shown = cli("show", "demo/beat").stdout
    assert "next run        Fri 2026-11-20 18:00:00 +09:00 (Asia/Tokyo) = 2026-11-20 09:00:00 UTC" in shown
    for text in ("team-a", "tier=1", '{"k": "ü"}', "http POST https://example.com/hook", "5m", "by admin"):
        assert text in shown


def test_show_shows_what_limits_a_job(api: ApiServer, cli: Cli) -> None:
    for name in ("holidays", "inventory"):
        api.ask("PUT", f"namespaces/demo/calendars/{name}", {})
    api.add_job(
        "demo/beat",
        schedule=["0 9 * * MON-FRI", "0 12 * * SAT"],
        timezone="Asia/Tokyo",
        dialect="robfig",
        calendars=["holidays", "inventory"],
        on_blocked="next_day",
        start_at="2026-11-21T00:00:00Z",
        end_at="2027-11-21T00:00:00Z",
        max_runs=12,
        jitter="1m30s",
    )
    key = JobKey("demo", "beat")
    api.state.timers[key] = replace(api.state.timers[key], runs_left=7)
    lines = [line.strip() for line in cli("show", "demo/beat").stdout.splitlines()]
    for line in (
        "schedule        0 9 * * MON-FRI; 0 12 * * SAT (Asia/Tokyo, robfig)",
        "calendars       holidays, inventory (when blocked: next day)",
        "starts          2026-11-21 00:00:00 UTC",
        "ends            2027-11-21 00:00:00 UTC",
        "max runs        12, 7 left",
        "jitter          up to 1m30s",
    ):
        assert line in lines


@pytest.mark.parametrize(
    ("fields", "overlap"),
    [
        ({"schedule": "@hourly"}, "allow"),
        ({"schedule": "@after 5m"}, "skip, since a fixed delay has one run at a time"),
        ({"schedule": ["CRON_TZ=UTC @after 5m"]}, "skip, since a fixed delay has one run at a time"),
        ({"schedule": "@after 5m", "overlap": "replace"}, "replace"),
    ],
)
def test_show_shows_the_overlap_policy_that_applies(
    api: ApiServer, cli: Cli, fields: dict[str, Any], overlap: str
) -> None:
    api.add_job("demo/beat", **fields)
    assert f"overlap         {overlap}\n" in cli("show", "demo/beat").stdout


@pytest.mark.thorough
def test_show_cuts_a_long_payload_and_says_how_to_see_all_of_it(api: ApiServer, cli: Cli) -> None:
    api.add_job("demo/beat", payload="x" * (MOST_SHOWN - 2))
    assert f'payload         "{"x" * (MOST_SHOWN - 2)}"\n' in cli("show", "demo/beat").stdout
    api.add_job("demo/long", payload="x" * 200_000)
    (line,) = [each for each in cli("show", "demo/long").stdout.splitlines() if each.startswith("payload")]
    assert line.endswith("xxx… (1,000 of 200,002 characters; --output json shows all)")
    assert len(json.loads(cli("show", "demo/long", "-o", "json").stdout)["payload"]) == 200_000


def test_show_says_nothing_of_limits_that_a_job_does_not_have(api: ApiServer, cli: Cli) -> None:
    api.add_job("demo/beat")
    shown = cli("show", "demo/beat").stdout
    assert "schedule        @hourly (UTC, vixie)" in shown
    for word in ("calendars", "blocked", "starts", "ends", "max runs", "jitter", "None", "null"):
        assert word not in shown


def test_show_survives_an_api_that_knows_no_limits_yet(api: ApiServer, cli: Cli) -> None:
    job = api.add_job("demo/beat")
    for name in ("calendars", "on_blocked", "start_at", "end_at", "max_runs", "jitter", "dialect"):
        del job[name]
    api.say("/jobs/beat", job)
    assert "schedule        @hourly (UTC, vixie)" in cli("show", "demo/beat").stdout


def test_list_shows_schedules_that_are_joined(api: ApiServer, cli: Cli) -> None:
    api.add_job("demo/beat", schedule=["@hourly", "30 9 * * *"])
    assert "@hourly; 30 9 * * *" in cli("list", "-n", "demo").stdout


def test_show_shows_what_the_schedule_means_by_the_clocks_and_the_rules_it_goes_by(api: ApiServer, cli: Cli) -> None:
    api.add_job("demo/beat", schedule="CRON_TZ=Asia/Tokyo 0 9 * * *", dialect=None)
    shown = dict(re.split(r" {2,}", line, maxsplit=1) for line in cli("show", "demo/beat").stdout.splitlines())
    assert shown["schedule"] == "CRON_TZ=Asia/Tokyo 0 9 * * * (Asia/Tokyo, vixie)"
    assert shown["meaning"] == "At 09:00 every day, Tokyo time"
    assert "09:00:00 +09:00 (Asia/Tokyo)" in shown["next run"]


def test_show_shows_why_a_job_is_idle(api: ApiServer, cli: Cli) -> None:
    api.add_job("demo/beat", paused=True)
    assert re.search("^idle +paused .+$", cli("show", "demo/beat").stdout, re.MULTILINE)


def test_show_names_the_pause_that_comes_before_the_next_run(api: ApiServer, cli: Cli) -> None:
    api.add_job("demo/beat")
    api.ask("POST", "namespaces/demo/pause", {"until": "2026-11-20T12:00:00Z"})
    shown = dict(re.split(" {2,}", line, maxsplit=1) for line in cli("show", "demo/beat").stdout.splitlines())
    assert shown["next run"] == "2026-11-20 12:00:00 UTC"
    assert shown["until then"].startswith("the namespace demo is paused until 2026-11-20T12:00:00Z (by admin at ")


def test_show_in_json_is_the_job_as_the_api_has_it(api: ApiServer, cli: Cli) -> None:
    job = api.add_job("demo/beat")
    assert json.loads(cli("show", "demo/beat", "--output", "json").stdout) == job


def test_show_survives_a_zone_and_an_instant_that_it_does_not_know(api: ApiServer, cli: Cli) -> None:
    job = api.add_job("demo/beat")
    job["status"]["timezone"] = "Mars/Olympus"
    api.say("/jobs/beat", job)
    assert "Mars/Olympus" in cli("show", "demo/beat").stdout
    job["status"]["next_run_at"] = "soon"
    api.say("/jobs/beat", job)
    assert "soon" in cli("show", "demo/beat").stdout


def test_pause_and_resume_say_what_holds_now(api: ApiServer, cli: Cli) -> None:
    api.add_job("demo/beat")
    assert cli("pause", "demo/beat").stdout.startswith("paused  demo/beat  idle: paused ")
    assert cli("pause", "demo/beat").exit_code == 0
    assert cli("resume", "demo/beat").stdout == "resumed  demo/beat  next run: 2026-11-20 09:00:00 UTC\n"
    assert json.loads(cli("pause", "demo/beat", "-ojson").stdout)["paused"] is True


def test_delete_asks_first(api: ApiServer, cli: Cli) -> None:
    api.add_job("demo/beat")
    for answer in ("n\n", ""):
        result = cli("delete", "demo/beat", stdin=answer, attended=True)
        assert (result.exit_code, result.stdout) == (1, "")
        assert "nothing was deleted" in result.stderr
    assert "demo/beat" in api.jobs
    assert cli("delete", "demo/beat", stdin="y\n", attended=True).stdout == "deleted  demo/beat\n"
    assert api.jobs == {}


CHILDREN = "2 jobs depend on it: demo/load, demo/mail."


def with_children(api: ApiServer) -> None:
    """A job that two others depend on."""
    api.add_job("demo/beat")
    for name in ("demo/load", "demo/mail"):
        api.add_job(name, depends_on=[{"job": "beat", "on": "success"}])


def test_delete_says_before_and_after_which_jobs_depend_on_it(api: ApiServer, cli: Cli) -> None:
    with_children(api)
    refused = cli("delete", "demo/beat", stdin="n\n", attended=True)
    assert f"{CHILDREN} Delete demo/beat? [y/N]" in refused.stderr
    agreed = cli("delete", "demo/beat", stdin="y\n", attended=True)
    assert agreed.stdout == "deleted  demo/beat\n"
    assert CHILDREN in agreed.stderr.splitlines()


def test_delete_shows_programs_which_jobs_depend_on_it(api: ApiServer, cli: Cli) -> None:
    with_children(api)
    answered = json.loads(cli("delete", "demo/beat", "--yes", "-o", "json").stdout)
    assert answered["children"] == ["demo/load", "demo/mail"]


def test_delete_of_one_that_one_job_depends_on_says_so(api: ApiServer, cli: Cli) -> None:
    api.add_job("demo/beat")
    api.add_job("demo/load", depends_on=[{"job": "demo/beat", "on": "end"}])
    assert "1 job depends on it: demo/load." in cli("delete", "demo/beat", "--yes").stderr.splitlines()


def test_show_shows_which_jobs_depend_on_it(api: ApiServer, cli: Cli) -> None:
    with_children(api)
    (line,) = [each for each in cli("show", "demo/beat").stdout.splitlines() if each.startswith("children")]
    assert line.split(maxsplit=1)[1] == "demo/load, demo/mail"


def test_delete_with_yes_does_not_ask(api: ApiServer, cli: Cli) -> None:
    api.add_job("demo/beat")
    assert json.loads(cli("delete", "demo/beat", "--yes", "-o", "json").stdout) == {
        "job": "demo/beat",
        "result": "deleted",
        "children": [],
    }


@pytest.mark.parametrize("arguments", [["beat", "-n", "demo"], ["demo/beat"], ["demo/beat", "-n", "demo"]])
def test_a_job_may_be_named_either_way(api: ApiServer, cli: Cli, arguments: list[str]) -> None:
    api.add_job("demo/beat")
    assert cli("show", *arguments).exit_code == 0


def test_a_job_without_a_namespace_is_in_the_default_one(api: ApiServer, cli: Cli) -> None:
    api.add_job("default/beat")
    assert cli("show", "beat").exit_code == 0


@pytest.mark.parametrize("job", ["a/b/c", "/beat", "demo/", ""])
def test_what_names_no_job_is_bad_usage(api: ApiServer, cli: Cli, job: str) -> None:
    result = cli("show", job)
    assert result.exit_code == 2
    assert "NAMESPACE/NAME" in result.stderr
    assert api.requests == []


def test_two_different_namespaces_are_bad_usage(cli: Cli) -> None:
    result = cli("show", "demo/beat", "-n", "other")
    assert result.exit_code == 2
    assert "'demo'" in result.stderr
    assert "'other'" in result.stderr


@pytest.mark.parametrize(("attended", "more"), [(True, ["-o", "json"]), (False, [])])
def test_delete_does_not_ask_a_program_or_no_one_but_names_the_option(
    api: ApiServer, cli: Cli, attended: bool, more: list[str]
) -> None:
    api.add_job("demo/beat")
    result = cli("delete", "demo/beat", *more, stdin="y\n", attended=attended)
    answered = json.loads(result.stderr)["detail"] if more else result.stderr
    assert (result.exit_code, result.stdout, "--yes" in answered) == (2, "", True)
    assert "demo/beat" in api.jobs
