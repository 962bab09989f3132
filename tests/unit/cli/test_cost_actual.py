from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from minutehand.domain.run import Result, RunError
from minutehand.usecases.metering.usage import Usage
from tests.support.api_server import ApiServer
from tests.unit.cli.conftest import Cli, priced


def test_real_runs_are_counted(api: ApiServer, cli: Cli) -> None:
    api.add_job("default/a", schedule="@every 1h")
    for hour in range(8):
        api.add_run("default/a", f"20261120T0{hour}0000Z", took=timedelta(seconds=2))
    api.claim_ahead("default/a", "20261120T093000Z")
    api.add_run("default/a", "20261118T090000Z", took=timedelta(seconds=90))
    found = priced(cli, "--actual", "--days", "1")
    assert found["jobs"][0]["runs"] == pytest.approx(8 * 730 / 24)
    assert found["assumed"][0].startswith("assumed: a month goes on like the last day,")
    assert found["jobs"][0]["usage"]["lambda_gb_second"] > 8 * 730 / 24


def test_what_runs_have_noted_themselves_counts(api: ApiServer, cli: Cli) -> None:
    api.add_job("default/a", schedule="@every 1h")
    api.add_job("default/b", schedule="@every 1h")
    units = Usage(write=11.0, read=3.0, calls=4.0, messages=4.0, worker_ms=112)
    api.add_run("default/a", "20261120T080000Z", units=units)
    found = priced(cli, "--actual", "--days", "1")
    assert found["jobs"][0]["usage"]["dynamodb_write"] == pytest.approx(11 * 730 / 24)
    noted = "jobs whose runs recorded their usage (record_units): 1 of 2; that of the others is computed"
    assert noted in found["notes"]


@pytest.mark.parametrize(
    "seen",
    [
        {"state": "succeeded", "result": Result(type="callback", status=0, body="{}")},
        {"state": "cancelled", "result": Result(type="http", status=202, body="")},
        {"state": "timed_out", "error": RunError(type="HeartbeatMissed", message="…")},
        {"state": "timed_out", "error": RunError(type="AnswerMissed", message="…")},
    ],
)
def test_a_run_that_waited_for_its_answer_kept_no_worker(api: ApiServer, cli: Cli, seen: dict[str, Any]) -> None:
    api.add_job("default/a", schedule="@every 1h")
    api.add_run("default/a", "20261120T080000Z", **seen, took=timedelta(minutes=10))
    found = priced(cli, "--actual", "--days", "1")
    assert found["jobs"][0]["usage"]["lambda_gb_second"] < 30


@pytest.mark.thorough
def test_of_a_job_with_very_many_runs_the_newest_are_looked_at(api: ApiServer, cli: Cli) -> None:
    api.add_job("default/a", schedule="@every 10s")
    for minute in range(60):
        for second in range(0, 60, 6):
            api.add_run("default/a", f"20261120T07{minute:02d}{second:02d}Z")
    found = priced(cli, "--actual")
    pages = [request for request in api.requests if request.path.endswith("/runs")]
    assert len(pages) == 10
    assert found["jobs"][0]["runs"] == pytest.approx(500 * 730 * 60 / 80), "500 since 07:10, 80 minutes ago"


@pytest.mark.parametrize(("kept", "hours"), [(10, 24), (40, 40)])
def test_what_retention_count_has_removed_is_no_time_without_runs(
    api: ApiServer, cli: Cli, kept: int, hours: int
) -> None:
    """As many as may be kept are all that there are; what is a day old at most is there in any case."""
    api.add_job("default/a", schedule="@every 1h", retention_count=kept)
    for number in range(kept):
        at = datetime(2026, 11, 20, 8, tzinfo=UTC) - timedelta(hours=number)
        api.add_run("default/a", f"{at:%Y%m%dT%H%M%SZ}")
    found = priced(cli, "--actual")
    assert found["jobs"][0]["runs"] == pytest.approx(kept * 730 / hours, rel=0.02)
