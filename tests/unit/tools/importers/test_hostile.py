"""No export, however broken, ends in a traceback; what is imported can be sent, and importing again gives the same bytes."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from minutehand.cli.documents.written_jobs import write_jobs
from minutehand.cli.documents.yaml_json import read_yaml
from minutehand.domain.job_key import JobKey
from minutehand.entrypoints.api.forms.accept import DEFAULT_TERMS, accept
from minutehand.tools.importers.exports import ExportFault
from minutehand.tools.importers.naming import is_name, safe_name, unique_names
from minutehand.tools.importers.report import report_document, report_lines
from minutehand.tools.importers.running import Import
from minutehand.tools.importers.systems import TEXT_READERS
from tests.unit.tools.importers.imports import NOW, from_text, imported
from tests.unit.tools.importers.test_celery import MODULE
from tests.unit.tools.importers.test_celery_fixtures import fixture
from tests.unit.tools.importers.test_dkron import job
from tests.unit.tools.importers.test_eventbridge import schedule
from tests.unit.tools.importers.test_eventbridge_targets import ECS
from tests.unit.tools.importers.test_kubernetes import cron_job
from tests.unit.tools.importers.test_xxl_job import row

SAMPLES: dict[str, list[Any]] = {
    "eventbridge": [schedule(), schedule(ECS), {"Schedules": [schedule()]}, {"Targets": [{"Id": "1", "Arn": "x"}]}],
    "dkron": [[job(), job(name="b", parent_job="report", executor="shell")]],
    "xxl-job": [[row(), row(id="2", child_jobid="1,2", schedule_type="FIX_RATE", schedule_conf="5")]],
    "celery": [
        {"beat_schedule": {"a": {"task": "t", "schedule": {"minute": "5"}, "args": [1], "options": {"expires": 5}}}},
        json.loads(fixture()),
    ],
    "kubernetes": [{"kind": "List", "items": [cron_job()]}],
}
JUNK = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(
        ["\ud800", "@every 1s", "* * * * *", "1e5", "0001-01-01", "9" * 400, "arn:aws:ecs:::cluster/", "{{x}}"]
    ),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Each object or list inside a value, with each of its keys."""
    inside = (
        list(value.items()) if isinstance(value, dict) else list(enumerate(value)) if isinstance(value, list) else []
    )
    for key, each in inside:
        yield value, key
        yield from places(each)


def check(done: Import) -> None:
    """What is imported can be written and reported, and the API takes it, once its target is complete."""
    names = [(draft.document["namespace"], draft.document["name"]) for draft in done.kept]
    assert len(set(names)) == len(names)
    for draft in done.kept:
        assert all(map(is_name, names[0]))
        json.dumps(draft.document, allow_nan=False, ensure_ascii=False).encode()
        assert draft.document["labels"]["imported/from"] == done.system.name
        key = JobKey(namespace=draft.document["namespace"], name=draft.document["name"])
        document = draft.document | {"target": {"type": "http", "url": "https://example.com/"}}
        assert accept(document, key, DEFAULT_TERMS, now=NOW).key == key
    text = write_jobs(["jobs"], [([draft.source, draft.task], draft.document) for draft in done.kept], ["left out"])
    assert [content for _, content in read_yaml(text)] == [draft.document for draft in done.kept]
    json.dumps(report_document(done))
    list(report_lines(done))


@pytest.mark.thorough
@pytest.mark.parametrize("system", list(SAMPLES))
@given(data=st.data())
@settings(deadline=None, max_examples=120, suppress_health_check=list(HealthCheck))
def test_a_broken_export_is_imported_or_left_out(system: str, data: st.DataObject) -> None:
    content = copy.deepcopy(data.draw(st.sampled_from(SAMPLES[system])))
    for _ in range(data.draw(st.integers(1, 3))):
        found = list(places(content))
        if found:
            holder, key = data.draw(st.sampled_from(found))
            holder[key] = data.draw(JUNK)
    documents = [(1, content), (2, data.draw(JUNK))]
    first = imported(system, copy.deepcopy(documents))
    check(first)
    again = imported(system, documents)
    assert [draft.document for draft in first.drafts] == [draft.document for draft in again.drafts]


@pytest.mark.thorough
@pytest.mark.parametrize("key", list(TEXT_READERS), ids=str)
@given(data=st.data())
@settings(deadline=None, max_examples=120, suppress_health_check=list(HealthCheck))
def test_a_broken_text_is_imported_or_refused_with_its_line(key: tuple[str, str], data: st.DataObject) -> None:
    one = row()
    samples = {
        ".py": MODULE,
        ".sql": "INSERT INTO `xxl_job_info` VALUES (" + ",".join(f"'{value}'" for value in one.values()) + ");\n",  # noqa: S608 - no database
        ".csv": ",".join(one) + "\n" + ",".join(one.values()) + "\n",
        ".tsv": "\t".join(one) + "\n" + "\t".join(one.values()) + "\n",
    }
    text = samples[key[1]]
    for _ in range(data.draw(st.integers(0, 3))):
        at = data.draw(st.integers(0, len(text)))
        text = text[:at] + data.draw(st.text(max_size=5)) + text[at + data.draw(st.integers(0, 5)) :]
    done = None
    try:
        done = from_text(*key, text)
    except ExportFault as error:
        lines = error.line
    else:
        lines = 1
    assert lines >= 1
    if done is not None:
        check(done)


@pytest.mark.parametrize("text", ["(" * 3000, "x = " + "+".join("1" * 5000), "[" * 500 + "]" * 500, "-" * 9000 + "1"])
def test_a_module_that_is_nested_deeply_is_refused(text: str) -> None:
    with pytest.raises(ExportFault):
        from_text("celery", ".py", f"beat_schedule = {text}")


def test_what_would_take_long_to_compute_is_code() -> None:
    [draft] = from_text("celery", ".py", 'beat_schedule = {"a": {"task": "t", "schedule": 9**9**9}}').drafts
    assert draft.refused is not None
    assert "9 ** 9 ** 9" in draft.refused.reason


def test_a_payload_that_no_request_can_hold_is_left_out() -> None:
    deep: Any = 1
    for _ in range(200):
        deep = [deep]
    for payload, reason in ((deep, "nested deeper"), ("x" * 300_000, "bytes"), ("\ud800", "half of a character")):
        entry = {"beat_schedule": {"a": {"task": "t", "schedule": 60, "args": [payload]}}}
        [draft] = imported("celery", [(1, entry)]).drafts
        assert draft.refused is not None
        assert reason in draft.refused.reason


@given(st.text())
def test_every_safe_name_is_a_name(text: str) -> None:
    assert safe_name(text) == "" or is_name(safe_name(text))


@given(st.lists(st.tuples(st.sampled_from(["a", "b", "a-"]), st.text(max_size=3)), max_size=12))
def test_names_are_unique_and_plain_where_only_one_wants_them(wanted: list[tuple[str, str]]) -> None:
    names = unique_names(wanted)
    assert len(set(names)) == len(names)
    plain = [name for name, _ in wanted]
    assert all(name == given for name, given in zip(plain, names, strict=True) if plain.count(name) == 1)
