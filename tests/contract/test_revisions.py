"""Contract of stores of definitions: each revision keeps the whole job as it was."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from minutehand.domain.errors import Invalid
from tests.contract.examples import creation, definition_of, deletion, edit


def test_a_revision_has_the_job_as_it_was(stores, job):
    first, second = creation(job), edit(job)
    changed = replace(second.after.job, payload={"größe": [1, 1.5, True, None]}, owner="bob")
    second = second._replace(after=replace(second.after, job=changed))
    assert stores.definitions.save(first)
    assert stores.definitions.save(second)
    found = [stores.definitions.revision(job, number) for number in (1, 2)]
    assert [each.job for each in found] == [first.after.job, changed]
    assert [each.past.number for each in found] == [1, 2]
    assert found[1].past.changed == ("owner", "payload")
    assert stores.definitions.revision(job, 3) is None


@pytest.mark.parametrize("length", [400, 600, 40_000, 250_000])
def test_a_long_job_is_kept_whole_whether_it_can_be_compressed_or_not(stores, job, length):
    noise = "".join(chr(random.Random(length).randrange(33, 0x2000)) for _ in range(length // 3))
    change = creation(job)
    for payload in ("a" * length, noise):
        whole = replace(change.after.job, payload={"text": payload})
        name = whole.key._replace(name=f"job-{len(payload)}")
        whole = replace(whole, key=name)
        saved = creation(name)
        assert stores.definitions.save(saved._replace(after=replace(saved.after, job=whole)))
        assert stores.definitions.revision(name, 1).job == whole


def test_the_revision_that_deletes_a_job_has_none(stores, job):
    assert stores.definitions.save(creation(job))
    assert stores.definitions.save(deletion(job))
    found = stores.definitions.revision(job, 2)
    assert (found.past.deleted, found.job) == (True, None)
    assert stores.definitions.revision(job, 1).job == definition_of(job).job


def test_revisions_are_listed_newest_first_in_pages(stores, job):
    assert stores.definitions.save(creation(job))
    assert stores.definitions.save(edit(job))
    first = stores.definitions.revisions(job, 1, None)
    second = stores.definitions.revisions(job, 1, first.next)
    assert [past.number for page in (first, second) for past in page.items] == [2, 1]
    assert second.next is None
    assert stores.definitions.revisions(job, 2, None).items == first.items + second.items
    with pytest.raises(Invalid):
        stores.definitions.revisions(job._replace(name="other"), 1, first.next)
