"""The endpoints of statistics."""

from __future__ import annotations

from datetime import timedelta

from aws_lambda_powertools.event_handler import Response

from minutehand.domain.run_stats import Bucket, Percentiles, Tally
from minutehand.entrypoints.api.call import Call, answered
from minutehand.entrypoints.api.documents.stats import (
    PercentilesDocument,
    StatsBucketDocument,
    StatsDocument,
    TallyDocument,
)
from minutehand.entrypoints.api.forms.filters import interval_of
from minutehand.entrypoints.api.problems import bad_request
from minutehand.usecases.queries.count_runs import Counted, count_runs_of_job, count_runs_of_namespace
from minutehand.usecases.queries.find_runs import RunQuery

_LONGEST_BY_HOUR = timedelta(days=2)
"""Longest interval that is divided into hours unless the request says so."""
_MOST_HOURS = timedelta(days=31)


def get_job_stats(call: Call) -> Response[str]:
    """Get statistics of a job's runs: outcomes, success rate, durations and lateness; by default of the last 24 hours."""
    start, end = interval_of(call.query, call.ports.clock())
    bucket = _bucket(call, end - start)
    counted = count_runs_of_job(call.run_lists, call.key, start, end, bucket, unreadable=call.unreadable)
    if not counted.total.runs:
        call.require_job()
    return _answered(RunQuery((call.namespace,), start, end), bucket, counted)


def get_namespace_stats(call: Call) -> Response[str]:
    """Get the same statistics of all runs of a namespace."""
    start, end = interval_of(call.query, call.ports.clock())
    bucket = _bucket(call, end - start)
    query = RunQuery((call.namespace,), start, end)
    return _answered(
        query, bucket, count_runs_of_namespace(call.ports, call.run_lists, query, bucket, unreadable=call.unreadable)
    )


def _bucket(call: Call, length: timedelta) -> Bucket:
    text = call.query.get("per")
    if text is None:
        return Bucket.HOUR if length <= _LONGEST_BY_HOUR else Bucket.DAY
    if text not in [bucket.value for bucket in Bucket]:
        raise bad_request("per", f"{text!r:.60} is neither hour nor day", "give hour or day")
    if text == Bucket.HOUR.value and length > _MOST_HOURS:
        raise bad_request(
            "per", f"the interval has {length.days} days; {_MOST_HOURS.days} are the most by hour", "give day"
        )
    return Bucket(text)


def _answered(query: RunQuery, bucket: Bucket, counted: Counted) -> Response[str]:
    buckets = tuple(StatsBucketDocument(start=start, tally=_tally(tally)) for start, tally in counted.buckets)
    document = StatsDocument(
        start=query.start,
        end=query.end,
        complete=counted.complete,
        counted_from=counted.since,
        tally=_tally(counted.total),
        per=bucket,
        buckets=buckets,
    )
    return answered(200, document)


def _tally(tally: Tally) -> TallyDocument:
    rate = tally.success_rate
    return TallyDocument(
        runs=tally.runs,
        outcomes=dict(sorted(tally.outcomes.items(), key=lambda each: each[0].value)),
        success_rate=None if rate is None else round(rate, 4),
        duration=_percentiles(tally.duration),
        lateness=_percentiles(tally.lateness),
    )


def _percentiles(found: Percentiles) -> PercentilesDocument:
    return PercentilesDocument(p50=found.p50, p95=found.p95)
