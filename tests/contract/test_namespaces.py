"""Contract of stores of namespace settings."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest

from minutehand.domain.job_key import JobKey
from minutehand.domain.namespace import PAUSES_KEPT, Namespace, NamespacePause
from minutehand.domain.quota import Quota
from tests.contract.examples import HOUR, MILLISECONDS, MINUTE, NINE, creation, definition_of
from tests.contract.together import together


def full(name: str) -> Namespace:
    """Settings with every field set to something else than its default."""
    return Namespace(
        shadow=True,
        name=name,
        max_concurrency=7,
        pauses=(
            NamespacePause(NINE, NINE + HOUR, "ada"),
            NamespacePause(NINE + 2 * HOUR, NINE + 4 * HOUR, "größe", NINE + 3 * HOUR, "bob"),
            NamespacePause(NINE + 5 * HOUR, None, ""),
        ),
        revision=3,
        updated_at=NINE + MILLISECONDS,
        updated_by="ada's token",
        quota=Quota(jobs=50, runs_per_minute=20, concurrency=5, jobs_since=NINE),
    )


@pytest.mark.parametrize("bare", [True, False])
def test_settings_come_back_whole(stores, namespace, bare):
    saved = Namespace(name=namespace, revision=1) if bare else full(namespace)
    assert stores.namespaces.save(None, saved)
    assert stores.namespaces.get([namespace, f"{namespace}-2"]) == {namespace: saved}


def test_the_example_sets_every_field_to_something_else_than_its_default(namespace):
    bare, whole = Namespace(name=namespace), full(namespace)
    assert {each.name for each in fields(Namespace) if getattr(bare, each.name) == getattr(whole, each.name)} == {
        "name",
        "unknown",
    }


def test_a_change_succeeds_only_on_the_revision_that_was_read(stores, namespace):
    first = full(namespace)
    second = replace(first, revision=4, max_concurrency=None, pauses=())
    assert not stores.namespaces.save(first, second), "there is nothing yet"
    assert stores.namespaces.save(None, first)
    assert not stores.namespaces.save(None, second)
    assert stores.namespaces.save(first, second)
    assert not stores.namespaces.save(first, second)
    assert stores.namespaces.get([namespace]) == {namespace: second}


def test_of_concurrent_changes_one_succeeds(stores, namespace):
    first = full(namespace)
    stores.namespaces.save(None, first)
    saved = together(lambda n: stores.namespaces.save(first, replace(first, revision=4, max_concurrency=n + 1)))
    assert sum(saved) == 1
    assert stores.namespaces.get([namespace])[namespace].max_concurrency == saved.index(True) + 1


def test_the_longest_history_of_pauses_is_read_with_little_more_than_a_read_unit(stores, namespace):
    pause = NamespacePause(NINE, NINE + HOUR, "a" * 64, NINE + MINUTE, "b" * 64)
    saved = replace(full(namespace), pauses=(pause,) * PAUSES_KEPT)
    assert stores.namespaces.save(None, saved)
    assert stores.namespaces.get([namespace]) == {namespace: saved}


def test_definitions_are_read_together_with_the_settings_of_their_namespaces(stores, namespace):
    job, other = JobKey(namespace, "report"), JobKey(f"{namespace}-2", "report")
    stores.definitions.save(creation(job))
    stores.namespaces.save(None, full(namespace))
    read = stores.definitions.governing([job, job, other])
    assert read == ({job: definition_of(job)}, {namespace: full(namespace)})
    assert (read.of(job), read.of(other)) == ((definition_of(job), full(namespace)), (None, None))


def test_a_definition_is_read_together_with_its_timer_and_the_settings_of_its_namespace(stores, namespace):
    job, other = JobKey(namespace, "report"), JobKey(f"{namespace}-2", "report")
    stores.definitions.save(creation(job))
    stores.namespaces.save(None, full(namespace))
    assert stores.definitions.overview(job) == (definition_of(job), stores.timers.get(job), full(namespace))
    assert stores.timers.get(job) is not None
    assert stores.definitions.overview(other) == (None, None, None)


def test_settings_are_not_listed_as_a_job_or_a_calendar(stores, namespace):
    stores.namespaces.save(None, full(namespace))
    assert stores.definitions.page(namespace, 10, None).items == ()
    assert stores.calendars.page(namespace, 10, None).items == ()
