from datetime import timedelta
from typing import Any

import pytest

from minutehand.tools.costs import model
from minutehand.tools.costs.batch_shares import Share
from minutehand.tools.costs.estimate import estimate
from minutehand.tools.costs.forecast import ActualRun, Assumed, actual_month, forecast, unknown_parents
from minutehand.tools.costs.model import Month
from minutehand.tools.costs.prices import PriceList, shipped_prices
from minutehand.tools.costs.units import GB, Unit
from tests.unit.tools.costs.jobs import NOW, job

PRICES = shipped_prices().region("us-east-1")
PLAIN = Month(scheduled=1000)


def writes(month: Month = PLAIN, **fields: Any) -> float:
    """Write units a run."""
    return model.usage(job(**fields), month).of(Unit.DYNAMODB_WRITE) / 1000


@pytest.mark.parametrize(
    ("units", "fields"),
    [
        (5, {}),
        (5, {"retry": {"max_attempts": 5}, "jitter": "1m", "takeovers": 5}),
        (8, {"overlap": "queue_all"}),
        (8, {"max_concurrency": 5}),
        (10, {"max_concurrency": 5, "overlap": "skip"}),
        (8, {"limits": [{"name": "db", "max": 3}]}),
        (12, {"limits": [{"name": "db", "max": 3}, {"name": "licence", "max": 1}], "max_concurrency": 5}),
        (9, {"schedule": "@after 10m"}),
        (6, {"target": {"endpoints": {"listed": [{"url": "http://a"}]}}}),
        (7, {"target": {"endpoints": {"registered": "reports", "choose": "fewest"}}}),
        (12, {"max_runs": 5000}),
        (7, {"retention_count": 10}),
        (12, {"target": {"mode": "callback"}}),
        (15, {"target": {"mode": "callback"}, "timeout": "1h"}),
    ],
)
def test_a_feature_costs_its_units_and_one_that_is_not_used_none(units: float, fields: dict[str, Any]) -> None:
    assert writes(**fields) == pytest.approx(units)


@pytest.mark.parametrize(("units", "fields"), [(7, {}), (13, {"schedule": "@after 4h"}), (14, {"max_runs": 5000})])
def test_a_job_that_is_seldom_due_pays_for_its_entry_in_the_index(units: float, fields: dict[str, Any]) -> None:
    used = model.usage(job(**fields), Month(scheduled=100))
    assert used.of(Unit.DYNAMODB_WRITE) / 100 == pytest.approx(units)


def test_a_packed_timer_is_read_by_each_tick() -> None:
    rare, often = (model.usage(job(), Month(scheduled=runs)).of(Unit.DYNAMODB_READ) for runs in (240, 244))
    assert often - rare == pytest.approx(4 * (3 + 1.25) + 43_800 * 0.026 * 17 / 16)


def test_a_job_with_a_number_of_runs_claims_and_sends_each_by_itself_however_many_are_due_in_a_minute() -> None:
    often = Month(scheduled=1000, together=12)
    assert writes(often) == pytest.approx(4 + 1 / 12)
    assert writes(often, max_runs=5000) == 12
    used = model.usage(job(max_runs=5000), often, share=Share(0.1, 0.1))
    assert used.of(Unit.SQS_CALL) / 1000 == pytest.approx(1 + 0.3)


def test_runs_that_are_claimed_together_share_what_lists_them_and_counted_ones_do_not() -> None:
    def claimed(made: str, **fields: Any) -> float:
        used = model.usage(job(**fields), Month(**{made: 1000}), share=Share(0.1, 0.1, listed=0.1))
        return used.of(Unit.DYNAMODB_WRITE) / 1000

    assert claimed("scheduled") == pytest.approx(5 - 0.9)
    assert claimed("skipped") == pytest.approx(4 - 0.9)
    assert claimed("scheduled", max_runs=5000) == pytest.approx(12)
    assert (claimed("children"), claimed("triggered"), claimed("backfilled")) == (4, 16, 6)


def test_what_made_a_run_decides_what_it_costs() -> None:
    for made, units in (("children", 4), ("triggered", 16), ("backfilled", 6), ("skipped", 4)):
        assert writes(Month(**{made: 1000})) == units


def test_heartbeats_cost_a_unit_and_a_request_each() -> None:
    slow = Month(scheduled=1000, seconds=605)
    used = model.usage(job(target={"mode": "callback", "heartbeat": "1m"}), slow)
    assert used.of(Unit.DYNAMODB_WRITE) == 1000 * (12 + 10)
    assert used.of(Unit.API_REQUEST) == 1000 * 11
    assert used.of(Unit.LAMBDA_GB_SECOND) < 1000 * 2, "nobody waits for the answer"


def test_a_retry_costs_by_how_long_it_waits() -> None:
    backoff = {"initial": "10m", "max": "1h"}
    [month] = forecast([job(retry={"max_attempts": 3, "backoff": backoff})], NOW, Assumed(failures=0.5)).values()
    assert (month.attempts, month.late, month.failed) == (730 * 0.75, 730 * 0.25, 730 * 0.125)
    assert model.usage(job(), month).of(Unit.DYNAMODB_WRITE) == pytest.approx(730 * (5 + 0.5 * 3 + 0.25 * 6 + 0.125))


def test_a_fixed_delay_counts_from_the_end_of_the_last_attempt() -> None:
    quick = job("quick", "@after 50s")
    stubborn = job("stubborn", "@after 50s", retry={"max_attempts": 2, "backoff": {"initial": "90s"}})
    sure, failing = (forecast([quick, stubborn], NOW, Assumed(seconds=10, failures=part)) for part in (0, 0.5))
    assert sure["shop/quick"].runs == sure["shop/stubborn"].runs == failing["shop/quick"].runs == 43_800
    assert failing["shop/stubborn"].runs == pytest.approx(730 * 3600 / (50 + 10 + 0.5 * (90 + 10)))


def test_each_further_namespace_is_swept_too() -> None:
    one, three = (model.idle(namespaces=number).of(Unit.DYNAMODB_READ) for number in (1, 3))
    assert three - one == pytest.approx(2 * 43_800 * 2.6)
    found = estimate([job()], forecast([job()], NOW, Assumed()), PRICES, NOW)
    assert found.idle == model.idle()


def test_attempts_and_failures_cost_their_units() -> None:
    assert writes(Month(scheduled=1000, attempts=500, failed=100), retry={"max_attempts": 2}) == pytest.approx(
        5 + 1.5 + 0.1
    )


def test_a_jitter_costs_where_it_is_longer_than_a_message_can_wait() -> None:
    assert writes(jitter="11m") == 5
    assert writes(jitter="23m") == pytest.approx(5 + 5 / 2)
    assert writes(jitter="24h") == pytest.approx(5 + 5, rel=0.01)
    assert writes(jitter="24h", max_runs=5000) == 12, "it has a deadline anyway"


def test_each_attempt_takes_its_permits_again() -> None:
    month = Month(scheduled=1000, attempts=500)
    assert writes(month, overlap="skip") == pytest.approx(8 + 0.5 * (3 + 3))
    assert writes(month, max_concurrency=5) == pytest.approx(8 + 0.5 * (3 + 3))
    assert writes(month, max_concurrency=5, overlap="skip") == pytest.approx(10 + 0.5 * (3 + 3 + 2))
    assert writes(month, schedule="@after 10m") == pytest.approx(9 + 0.5 * (3 + 3))


@pytest.mark.parametrize(("answer", "units", "puts"), [(256, 5, 0), (257, 6, 0), (3_000, 8, 0), (5_000, 10, 1000)])
def test_a_long_answer_is_written_beside_the_run(answer: int, units: float, puts: int) -> None:
    used = model.usage(job(), PLAIN, answer=answer)
    assert (used.of(Unit.DYNAMODB_WRITE) / 1000, used.of(Unit.S3_PUT)) == (units, puts)


def test_a_definition_of_more_than_4_kb_is_read_for_more() -> None:
    small, large = (model.usage(job(payload="x" * size), PLAIN) for size in (10, 9_000))
    assert large.of(Unit.DYNAMODB_READ) - small.of(Unit.DYNAMODB_READ) == 2000


def test_runs_are_stored_for_as_long_as_they_are_kept() -> None:
    month, quarter = (model.usage(job(retention=kept), PLAIN) for kept in ("30d", "90d"))
    assert quarter.of(Unit.DYNAMODB_STORAGE) == pytest.approx(3 * month.of(Unit.DYNAMODB_STORAGE))
    few = model.usage(job(retention_count=10), PLAIN)
    assert few.of(Unit.DYNAMODB_STORAGE) * 2**30 == pytest.approx(10 * model.RUN_BYTES)


def test_answers_are_stored_beside_the_runs_that_are_kept() -> None:
    used = model.usage(job(retention_count=10), PLAIN, answer=100_000)
    assert used.of(Unit.DYNAMODB_STORAGE) * GB == pytest.approx(10 * (model.RUN_BYTES + model.KEPT_BYTES))
    assert used.of(Unit.S3_STORAGE) * GB == pytest.approx(10 * 100_000)
    few = model.usage(job(retention_count=10), PLAIN, answer=256)
    assert few.of(Unit.DYNAMODB_STORAGE) * GB == pytest.approx(10 * model.RUN_BYTES)


def test_workers_are_paid_for_the_time_of_calls() -> None:
    quick, slow = (model.usage(job(), Month(scheduled=1000, seconds=seconds)) for seconds in (1, 3))
    assert slow.of(Unit.LAMBDA_GB_SECOND) - quick.of(Unit.LAMBDA_GB_SECOND) == pytest.approx(1000 * 2 * 0.5)


def test_children_run_as_often_as_their_parents_end_so() -> None:
    extract = job("extract", "0 * * * *", retry={"max_attempts": 2})
    other = job("other", "0 */2 * * *")
    both = job("both", None, depends_on=[{"job": "extract"}, {"job": "other"}])
    any_of = job("any", None, depends_on=[{"job": "extract"}, {"job": "other"}], join="any")
    rescue = job("rescue", None, depends_on=[{"job": "extract", "on": "failure"}])
    months = forecast([both, any_of, rescue, extract, other], NOW, Assumed(failures=0.1))
    assert months["shop/extract"].attempts == pytest.approx(73)
    assert months["shop/rescue"].children == pytest.approx(7.3)
    assert months["shop/both"].children == pytest.approx(365 * 0.9, rel=0.01)
    assert months["shop/any"].children == pytest.approx(730 * 0.99 + 365 * 0.9, rel=0.01)


def test_a_long_chain_is_followed_to_its_end() -> None:
    chain = [job("job-0", "0 * * * *")]
    chain += [job(f"job-{number}", None, depends_on=[{"job": f"job-{number - 1}"}]) for number in range(1, 1500)]
    assert forecast(chain[::-1], NOW, Assumed())["shop/job-1499"].runs == 730


def test_a_circle_and_parents_elsewhere_end_never() -> None:
    one = job("one", None, depends_on=[{"job": "two"}, {"job": "away"}], join="any")
    two = job("two", None, depends_on=[{"job": "one"}])
    assert forecast([one, two], NOW, Assumed())["shop/one"].runs == 0
    assert unknown_parents([one, two]) == ["shop/away"]


def test_a_paused_job_costs_nothing_and_one_with_a_number_of_runs_no_more_than_these() -> None:
    months = forecast([job("a", paused=True), job("b", max_runs=5)], NOW, Assumed())
    assert (months["shop/a"].runs, months["shop/b"].runs) == (0, 5)


def test_what_max_runs_has_left_is_what_still_runs() -> None:
    months = forecast([job("a", max_runs=5, status={"runs_left": 2}), job("b", max_runs=9999)], NOW, Assumed())
    assert (months["shop/a"].runs, months["shop/b"].runs) == (2, 730)
    assert model.usage(job(max_runs=5, status={"runs_left": 0}), Month()).amounts == {}


def test_the_bill_is_the_stack_and_its_jobs() -> None:
    jobs = [job(f"job-{number}", "*/5 * * * *") for number in range(3)]
    empty = estimate([], {}, PRICES, NOW)
    found = estimate(jobs, forecast(jobs, NOW, Assumed()), PRICES, NOW)
    metrics = PRICES.cost(model.metrics(batches=730 * 12, failed=0))
    assert metrics == pytest.approx(model.RUN_METRICS * 0.30, abs=0.01)
    assert found.dollars == pytest.approx(empty.dollars + sum(each.dollars for each in found.jobs) + metrics)
    assert found.dollars == pytest.approx(sum(found.services.values()))
    assert found.unpriced == []
    assert 0 < empty.dollars < 1


def test_jobs_that_are_due_together_are_cheaper_than_those_that_are_not() -> None:
    together = [job(f"job-{number}", "0 9 * * *") for number in range(10)]
    apart = [job(f"job-{number}", f"{number * 5} 9 * * *") for number in range(10)]
    costs = [estimate(jobs, forecast(jobs, NOW, Assumed()), PRICES, NOW) for jobs in (together, apart)]
    calls = [sum(each.usage.of(Unit.SQS_CALL) for each in found.jobs) for found in costs]
    assert calls[1] == pytest.approx(10 * calls[0])


def test_what_has_no_price_is_named_and_not_in_the_sum() -> None:
    lacking = PriceList(region="x", as_of="-", source="-", prices={Unit.ALARM: 0.4})
    found = estimate([], {}, lacking, NOW)
    assert found.dollars == pytest.approx(0.4)
    assert Unit.DYNAMODB_WRITE in found.unpriced
    assert Unit.ALARM not in found.unpriced


def test_runs_that_were_seen_make_a_month() -> None:
    runs = [
        ActualRun(run_id="20261120T090000Z", state="succeeded", attempt=1, seconds=1.0),
        ActualRun(run_id="20261120T080000Z", state="failed", attempt=3, seconds=3.0),
        ActualRun(run_id="20261120T070000Z", state="skipped", attempt=0, seconds=None),
        ActualRun(run_id="20261120T065900Z~trigger-ab", state="running", attempt=1, seconds=None),
        ActualRun(run_id="20261120T065900Z~child-ab", state="succeeded", attempt=1, seconds=2.0),
        ActualRun(run_id="20261120T065900Z~backfill-ab", state="lost", attempt=1, seconds=None),
        ActualRun(run_id="20261120T065900Z~after-ab", state="succeeded", attempt=1, seconds=None),
    ]
    assert actual_month(runs, timedelta(hours=73), together=1) == Month(
        scheduled=30, triggered=10, children=10, backfilled=10, skipped=10, attempts=20, failed=20, seconds=2.0
    )
    waits = (10.0, 3600.0)
    assert actual_month(runs, timedelta(hours=73), together=1, waits=waits).late == 10, "the third attempt of one run"
    assert actual_month([], timedelta(hours=73), together=1).runs == 0


def test_a_target_that_was_seen_to_answer_later_keeps_no_worker_meanwhile_whatever_its_job_says() -> None:
    runs = [ActualRun(run_id="20261120T090000Z", state="succeeded", attempt=1, seconds=600.0, later=True)]
    month = actual_month(runs, timedelta(hours=73), together=1)
    assert (month.seconds, month.later) == (600.0, True)
    callback = job(target={"mode": "callback"})
    assert model.usage(job(), month) == model.usage(callback, month)
    assert model.usage(job(), month).of(Unit.LAMBDA_GB_SECOND) < 10


def test_a_seldom_answer_that_comes_later_is_no_long_call() -> None:
    quick = [ActualRun(run_id=f"20261120T0{hour}0000Z", state="succeeded", attempt=1, seconds=0.1) for hour in range(3)]
    late = ActualRun(run_id="20261120T090000Z", state="timed_out", attempt=1, seconds=600.0, later=True)
    month = actual_month([*quick, late], timedelta(hours=73), together=1)
    assert (month.seconds, month.later) == (pytest.approx(0.15), False)


def test_what_runs_have_noted_counts_instead_of_what_is_worked_out() -> None:
    units = {
        "write": 9.0,
        "read": 4.0,
        "calls": 5.0,
        "messages": 2.5,
        "worker_ms": 400.0,
        "puts": 1.0,
        "stored_bytes": 5000.0,
    }
    runs = [
        ActualRun(run_id="20261120T090000Z", state="succeeded", attempt=1, seconds=1.0, units=units),
        ActualRun(run_id="20261120T080000Z", state="succeeded", attempt=1, seconds=1.0),
    ]
    month = actual_month(runs, timedelta(hours=73), together=1)
    used = model.usage(job(), month)
    assert used.of(Unit.DYNAMODB_WRITE) == 20 * 9
    assert used.of(Unit.DYNAMODB_READ) == 20 * (4 + 1.25), "it is so seldom due that its timer is not packed"
    assert used.of(Unit.SQS_CALL) == 20 * 2.5
    assert used.of(Unit.LAMBDA_GB_SECOND) == pytest.approx(20 * (0.4 + model.CLAIM_SECONDS) * 0.5)
    assert used.of(Unit.S3_PUT) == 20
    assert model.usage(job(retention_count=5), month).of(Unit.DYNAMODB_WRITE) == 20 * (9 + 2)
