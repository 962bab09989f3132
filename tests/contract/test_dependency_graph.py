"""Contract of stores of definitions: dependencies."""

from __future__ import annotations

from dataclasses import replace

import pytest

from minutehand.domain.job_key import JobKey
from minutehand.domain.policies import Dependency, On
from tests.contract.examples import HOUR, NINE, creation, definition_of, deletion, edit, timer_of
from tests.contract.together import together


@pytest.fixture
def parents(stores, jobs):
    """Two jobs that nothing depends on yet."""
    for key in jobs(2):
        assert stores.definitions.save(creation(key))
    return jobs(2)


def on(*parents):
    """The fields of a job that depends on these."""
    return {"depends_on": tuple(Dependency(parent, On.SUCCESS) for parent in parents)}


def child_of(job, *parents, revision=1, graph=None):
    """The change that creates a job that depends on these, which were read in a revision."""
    return creation(job, **on(*parents))._replace(parents=dict.fromkeys(parents, revision), graph=graph)


def turned(job, before, after, *, revision=1):
    """The change of a job that depended on some, and then on others."""
    return edit(job)._replace(
        before=definition_of(job, **on(*before)),
        after=definition_of(job, revision=2, **on(*after)),
        parents=dict.fromkeys(set(after) - set(before), revision),
    )


def children(stores, *parents):
    found = stores.definitions.get(parents)
    return [found[key].children for key in parents]


def test_a_new_job_is_a_child_of_each_of_its_parents(stores, job, parents):
    assert stores.definitions.save(child_of(job, *parents))
    assert children(stores, *parents) == [{job}, {job}]
    assert stores.definitions.get([job]) == {job: definition_of(job, **on(*parents))}


def test_a_parent_stays_as_it_is_but_for_its_children(stores, job, parents):
    assert stores.definitions.save(child_of(job, parents[0]))
    current = stores.definitions.get(parents)[parents[0]]
    assert replace(current, children=frozenset()) == definition_of(parents[0])
    assert stores.timers.get(parents[0]) == timer_of(parents[0])


def test_an_edit_moves_the_job_from_parent_to_parent(stores, job, parents):
    first, second = parents
    assert stores.definitions.save(child_of(job, first))
    assert stores.definitions.save(turned(job, [first], [second]))
    assert children(stores, first, second) == [set(), {job}]


def test_a_deleted_job_is_no_child(stores, job, parents):
    assert stores.definitions.save(child_of(job, *parents))
    gone = deletion(job)
    before, after = (replace(d, job=definition_of(job, **on(*parents)).job) for d in (gone.before, gone.after))
    assert stores.definitions.save(gone._replace(before=before, after=after))
    assert children(stores, *parents) == [set(), set()]


def test_a_job_may_be_saved_with_the_children_that_it_has(stores, job, parents):
    first = parents[0]
    assert stores.definitions.save(child_of(job, first))
    change = edit(first)
    mine = frozenset({job})
    assert stores.definitions.save(
        change._replace(before=replace(change.before, children=mine), after=replace(change.after, children=mine))
    )
    assert children(stores, first) == [{job}]


@pytest.mark.parametrize("read", [frozenset(), frozenset({JobKey("other", "child")})], ids=["none", "another"])
def test_an_edit_of_a_job_whose_children_are_not_as_read_writes_nothing(stores, job, parents, read):
    first = parents[0]
    assert stores.definitions.save(child_of(job, first))
    change = edit(first)
    assert not stores.definitions.save(change._replace(before=replace(change.before, children=read)))
    assert children(stores, first) == [{job}]
    assert stores.timers.get(first) == timer_of(first)


def test_an_edit_that_read_a_former_child_writes_nothing(stores, job, parents):
    first = parents[0]
    change = edit(first)
    assert not stores.definitions.save(change._replace(before=replace(change.before, children=frozenset({job}))))
    assert stores.definitions.get([first]) == {first: definition_of(first)}


def test_a_save_writes_nothing_if_a_parent_is_missing_or_not_as_read(stores, job, parents, namespace):
    first, second = parents
    nobody = JobKey(namespace, "nobody")
    assert not stores.definitions.save(child_of(job, first, nobody))
    assert not stores.definitions.save(child_of(job, first)._replace(parents={first: 2}))
    assert stores.definitions.save(deletion(second))
    assert not stores.definitions.save(child_of(job, first, second))
    assert (stores.definitions.get([job, nobody]), stores.timers.get(job)) == ({}, None)
    assert children(stores, first, second) == [set(), set()]


def test_a_tombstone_keeps_its_children_until_they_leave(stores, job, parents):
    first = parents[0]
    assert stores.definitions.save(child_of(job, first))
    gone, mine = deletion(first), frozenset({job})
    before, after = (replace(d, children=mine) for d in (gone.before, gone.after))
    assert stores.definitions.save(gone._replace(before=before, after=after))
    assert children(stores, first) == [{job}]
    assert stores.definitions.save(turned(job, [first], []))
    assert children(stores, first) == [set()]


def test_a_change_of_the_graph_succeeds_only_on_the_version_that_was_read(stores, job, parents):
    version = stores.definitions.graph()
    assert not stores.definitions.save(child_of(job, parents[0], graph=version + 1))
    assert stores.definitions.get([job]) == {}
    assert stores.definitions.save(child_of(job, parents[0], graph=version))
    assert stores.definitions.graph() == version + 1
    again = turned(job, [parents[0]], parents)._replace(graph=version)
    assert not stores.definitions.save(again)
    assert children(stores, *parents) == [{job}, set()]
    assert stores.definitions.save(again._replace(graph=version + 1))
    assert children(stores, *parents) == [{job}, {job}]


def test_a_save_without_dependencies_keeps_the_graph_version(stores, job, parents):
    version = stores.definitions.graph()
    assert stores.definitions.save(child_of(job, parents[0]))
    assert stores.definitions.graph() == version


def test_concurrent_new_children_of_a_job_are_all_kept(stores, jobs, parents):
    wanted = [JobKey(key.namespace, f"child-{key.name}") for key in jobs(8)]
    assert together(lambda number: stores.definitions.save(child_of(wanted[number], parents[0]))) == [True] * 8
    assert children(stores, parents[0]) == [set(wanted)]


def test_of_two_jobs_that_start_to_depend_on_each_other_one_is_saved(stores, parents):
    def race(number):
        this, other = parents[number % 2], parents[1 - number % 2]
        return stores.definitions.save(turned(this, [], [other]))

    assert together(race).count(True) == 1
    assert sorted(map(len, children(stores, *parents))) == [0, 1]


def test_of_a_parents_delete_and_a_new_child_one_succeeds(stores, job, parents):
    first = parents[0]

    def race(number):
        return stores.definitions.save(deletion(first) if number % 2 else child_of(job, first))

    assert together(race).count(True) == 1
    there = stores.definitions.get([first, job])
    assert (there[first].deleted, job in there) in [(True, False), (False, True)]


def test_listed_definitions_have_no_children(stores, job, parents):
    assert stores.definitions.save(child_of(job, *parents))
    assert not any(definition.children for definition in stores.definitions.page(job.namespace, 10, None).items)


def test_the_largest_change_is_one_transaction(stores, jobs, job):
    before, after = jobs(32)[:16], jobs(32)[16:]
    for key in jobs(32):
        assert stores.definitions.save(creation(key, next_at=NINE + HOUR))
    assert stores.definitions.save(child_of(job, *before))
    assert stores.definitions.save(turned(job, before, after)._replace(graph=stores.definitions.graph()))
    assert children(stores, *before, *after) == [set()] * 16 + [{job}] * 16
