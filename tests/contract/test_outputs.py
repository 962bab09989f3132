"""Contract of stores of outputs."""

from __future__ import annotations

import gzip
from datetime import timedelta
from urllib.request import urlopen

import pytest

from minutehand.domain.errors import Unavailable
from minutehand.domain.run import Result, RunError
from minutehand.domain.run_key import RunKey
from minutehand.usecases.ports.outputs import Output, whole
from tests.contract.examples import HOUR, MILLISECONDS, MINUTE, NINE, SECOND, run_at
from tests.contract.stores import in_dynamodb

DAY = timedelta(days=1)
RESULT = Result(type="http", status=200, body="größe ✓\x00")
ERROR = RunError(type="TimeoutError", message="no answer", stack="line 1\n\tline 2")
LONG = "größe ✓\x00\n" * 20_000


@pytest.fixture
def run(job) -> RunKey:
    return run_at(job).key


def test_an_output_is_kept_for_each_attempt(stores, run):
    first = whole(None, ERROR._replace(stack="deep " * 3_000), NINE + DAY)
    second = whole(RESULT._replace(body="ü" * 2_000, cut=True), None, NINE + DAY)
    stores.outputs.keep(run, 1, first)
    stores.outputs.keep(run, 2, second)
    assert [stores.outputs.get(run, attempt) for attempt in (1, 2, 3)] == [first, second, None]


def test_a_cut_output_has_its_length_and_the_place_of_the_whole(stores, run):
    kept = Output(result=RESULT, error=ERROR, expires_at=NINE + DAY, size=1_000_000, place="somewhere")
    stores.outputs.keep(run, 1, kept)
    found = stores.outputs.get(run, 1)
    assert (found, found.truncated) == (kept, True)


def test_an_output_never_expires_early(stores, run):
    stores.outputs.keep(run, 1, whole(RESULT, None, NINE + DAY + MILLISECONDS))
    assert stores.outputs.get(run, 1).expires_at == NINE + DAY + SECOND


def test_an_output_is_written_once(stores, run):
    first = whole(RESULT, None, NINE + DAY)
    stores.outputs.keep(run, 1, first)
    stores.outputs.keep(run, 1, whole(None, ERROR, NINE + DAY))
    assert stores.outputs.get(run, 1) == first


def test_outputs_are_not_listed_among_the_runs(stores, job):
    run = run_at(job)
    stores.runs.claim([run])
    stores.outputs.keep(run.key, 1, whole(RESULT, None, NINE + DAY))
    assert stores.runs.page(job, 10, None).items == (run,)
    assert list(stores.runs.between(job, NINE - DAY, NINE + DAY)) == [run]


def test_a_long_text_is_stored_whole_and_once(stores, run):
    place = stores.outputs.store(run, 1, LONG, DAY)
    assert stores.outputs.store(run, 1, "something else", DAY) == place
    other = stores.outputs.store(run, 2, "", DAY)
    assert (stores.outputs.read(place), stores.outputs.read(other)) == (LONG, "")


def test_a_missing_text_is_none(stores):
    assert stores.outputs.read("30d/nobody/nothing/1.txt.gz") is None


def test_a_link_names_the_text_and_for_how_long_it_may_be_fetched(stores, run):
    place = stores.outputs.store(run, 1, LONG, DAY)
    link = stores.outputs.link(place, 5 * MINUTE)
    assert run.run_id in link
    assert "=300" in link


def test_only_the_outputs_of_the_given_runs_are_deleted(stores, jobs):
    one, other = jobs(2)
    kept = {}
    for job in (one, other):
        for hours in range(3):
            run = (
                RunKey.triggered(job, NINE + hours * HOUR, "abc")
                if hours == 1
                else run_at(job, NINE + hours * HOUR).key
            )
            for attempt in (1, 2, 10):
                place = stores.outputs.store(run, attempt, LONG, DAY) if attempt == 2 else ""
                kept[run, attempt] = Output(RESULT, None, NINE + DAY, size=200_000 if place else 13, place=place)
                stores.outputs.keep(run, attempt, kept[run, attempt])
    gone = {run for run, _ in kept if run.job == one and run.scheduled_for != NINE + HOUR}
    stores.outputs.forget(gone)
    stores.outputs.forget(gone)
    stores.outputs.forget([])
    for (run, attempt), output in kept.items():
        assert stores.outputs.get(run, attempt) == (None if run in gone else output)
        assert not output.place or stores.outputs.read(output.place) == (None if run in gone else LONG)


@pytest.mark.services
def test_anybody_may_fetch_a_text_by_its_link_and_gets_it_gzipped(server, bucket, run):
    outputs = in_dynamodb(server.client, server.jobs_table, server.runs_table, bucket).outputs
    link = outputs.link(outputs.store(run, 1, LONG, DAY), MINUTE)
    with urlopen(link) as answer:  # noqa: S310 - MiniStack's
        assert gzip.decompress(answer.read()).decode() == LONG
        assert answer.headers["Content-Encoding"] == "gzip"
        assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"


@pytest.mark.services
def test_an_object_that_is_not_a_text_is_named_in_the_error(server, bucket):
    bucket.client.put_object(Bucket=bucket.name, Key="30d/other", Body=b"not gzipped")
    outputs = in_dynamodb(server.client, server.jobs_table, server.runs_table, bucket).outputs
    with pytest.raises(Unavailable, match="object 30d/other of bucket outputs is not a gzipped text"):
        outputs.read("30d/other")
