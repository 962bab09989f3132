"""Contract of stores of definitions: lists of jobs and of namespaces."""

from __future__ import annotations

from dataclasses import replace

import pytest

from minutehand.domain.errors import Invalid
from tests.contract.examples import creation, definition_of, deletion


def test_a_list_shows_definitions_by_name_without_payload_and_older_revisions(stores, jobs):
    wanted = jobs(3)
    for job in reversed(wanted):
        assert stores.definitions.save(creation(job, revision=3))
    full = [definition_of(job, revision=3) for job in wanted]
    page = stores.definitions.page(wanted[0].namespace, 10, None)
    assert page.items == tuple(
        replace(definition, job=replace(definition.job, payload=None), revisions=definition.revisions[-1:])
        for definition in full
    )
    assert page.next is None


@pytest.mark.parametrize(("limit", "pages"), [(1, 5), (2, 3), (4, 2), (5, 1), (6, 1)])
def test_definitions_are_listed_in_pages_without_an_empty_last_page(stores, jobs, limit, pages):
    wanted = jobs(5)
    for job in wanted:
        assert stores.definitions.save(creation(job))
    found, cursor, asked = [], None, 0
    while cursor is not None or not asked:
        page = stores.definitions.page(wanted[0].namespace, limit, cursor)
        found += [definition.job.key for definition in page.items]
        cursor, asked = page.next, asked + 1
    assert (found, asked) == (wanted, pages)


def test_a_cursor_stays_valid_after_its_job_is_deleted(stores, jobs):
    first, second = jobs(2)
    for job in (first, second):
        assert stores.definitions.save(creation(job))
    cursor = stores.definitions.page(first.namespace, 1, None).next
    assert stores.definitions.save(deletion(first))
    assert [d.job.key for d in stores.definitions.page(first.namespace, 1, cursor).items] == [second]


def test_the_list_of_an_unknown_namespace_is_empty(stores, namespace):
    page = stores.definitions.page(namespace, 10, None)
    assert (page.items, page.next) == ((), None)


@pytest.mark.parametrize("cursor", ["", "nonsense", "bm9uc2Vuc2U", "ünicode", "W10", "e30"])
def test_a_list_refuses_an_invalid_cursor(stores, namespace, cursor):
    with pytest.raises(Invalid) as refusal:
        stores.definitions.page(namespace, 10, cursor)
    assert [problem.path for problem in refusal.value.problems] == ["cursor"]


def test_a_list_refuses_the_cursor_of_another_namespace(stores, jobs):
    for job in jobs(2):
        assert stores.definitions.save(creation(job))
    cursor = stores.definitions.page(jobs(1)[0].namespace, 1, None).next
    with pytest.raises(Invalid, match="another list"):
        stores.definitions.page("elsewhere", 1, cursor)


def test_every_namespace_that_ever_had_a_job_is_known(stores, job):
    assert job.namespace not in stores.definitions.namespaces()
    assert stores.definitions.save(creation(job))
    assert stores.definitions.save(deletion(job))
    assert list(stores.definitions.namespaces()).count(job.namespace) == 1


def test_jobs_are_listed_by_name_after_a_name_with_whether_there_are_more(stores, jobs):
    wanted = jobs(5)
    for job in wanted:
        assert stores.definitions.save(creation(job))
    assert stores.definitions.save(deletion(wanted[3]))
    namespace = wanted[0].namespace
    first, more = stores.definitions.listed(namespace, "", 2)
    assert ([each.job.key for each in first], more) == (wanted[:2], True)
    rest, more = stores.definitions.listed(namespace, wanted[1].name, 2)
    assert ([each.job.key for each in rest], more) == ([wanted[2], wanted[4]], False)
    assert stores.definitions.listed(namespace, wanted[3].name, 1) == ([rest[1]], False)
    assert stores.definitions.listed(namespace, wanted[4].name, 1) == ([], False)
    assert tuple(first) == stores.definitions.page(namespace, 2, None).items


def test_entries_of_jobs_are_read_by_key_without_those_that_are_deleted_or_never_were(stores, jobs):
    kept, deleted, never = jobs(3)
    for job in (kept, deleted):
        assert stores.definitions.save(creation(job))
    assert stores.definitions.save(deletion(deleted))
    [listed] = stores.definitions.page(kept.namespace, 10, None).items
    assert stores.definitions.entries([kept, deleted, never, kept]) == {kept: listed}
