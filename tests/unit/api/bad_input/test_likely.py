"""Hints for values and fields as other schedulers write them."""

from typing import Any

import pytest

from minutehand.entrypoints.api.documents.job import JobDocument
from minutehand.entrypoints.api.forms.likely import WORDS
from minutehand.entrypoints.api.forms.model import flat
from tests.unit.api.conftest import Api

TARGET = {"type": "http", "method": "POST", "url": "https://example.com/hook"}


def hint(api: Api, path: str, **fields: Any) -> str:
    answer = api.put({"schedule": "@hourly", "target": TARGET} | fields)
    assert answer.status == 422
    return str(answer.errors[path]["hint"])


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("timeout", 90, 'write it with a unit, such as "90s" for seconds; 1s to 7d is allowed'),
        ("timeout", 0.5, 'write whole numbers with units, such as "90s" or "1h30m"; 1s to 7d is allowed'),
        ("retry", 3, 'write {"max_attempts": 4}; the first attempt counts'),
        ("target", "http://example.com/hook", 'write {"type": "http", "url": "http://example.com/hook"}'),
        ("depends_on", "extract", 'write [{"job": "extract"}]'),
        ("calendars", "holidays", 'write ["holidays"]'),
        ("retry", "three", "write {…}"),
        ("target", "report.sh", "write {…}"),
    ],
)
def test_a_bare_value_is_shown_as_it_is_to_be_written(api: Api, path: str, value: Any, said: str) -> None:
    assert hint(api, path, **{path: value}) == said


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("concurrencyPolicy", 'write `overlap`: "allow", "skip" for Forbid, or "replace" for Replace'),
        ("suspend", "write `paused`: true or false"),
        ("startingDeadlineSeconds", "write `catchup_window`: such as"),
        ("timeZone", "did you mean `timezone`?"),
        ("max_retries", "write `retry`: {"),
        ("disabled", "write `paused`: true or false"),
    ],
)
def test_another_scheduler_s_word_leads_to_our_field(api: Api, name: str, said: str) -> None:
    assert hint(api, name, **{name: True}).startswith(said)


def test_the_delay_of_a_retry_is_part_of_its_backoff(api: Api) -> None:
    assert hint(api, "retry.delay", retry={"max_attempts": 2, "delay": "10s"}).startswith("write `retry.backoff`")


def test_every_word_leads_to_a_field_of_a_job_and_is_none_itself() -> None:
    fields = {each.name for each in flat(JobDocument)}
    assert {field.partition(".")[0] for field, _ in WORDS.values()} <= fields
    assert not {name.replace("_", "") for name in fields} & WORDS.keys()


def test_the_hints_are_themselves_accepted(api: Api) -> None:
    job = {
        "schedule": "@hourly",
        "target": {"type": "http", "url": "http://example.com/hook"},
        "retry": {"max_attempts": 4},
    }
    assert api.put(job).status in (200, 201)
