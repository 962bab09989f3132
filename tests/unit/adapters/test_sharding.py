"""Shards of the due index."""

from __future__ import annotations

from collections import Counter

import pytest

from minutehand.adapters.sharding import shard_of
from minutehand.domain.job_key import JobKey


def test_a_job_is_in_the_same_shard_in_every_process_and_every_version():
    assert [shard_of(JobKey(namespace="team", name=f"job-{n}"), 8) for n in range(8)] == [0, 6, 4, 2, 1, 7, 5, 3]


@pytest.mark.parametrize("shards", [1, 8, 64])
def test_jobs_are_spread_over_all_shards_about_evenly(shards):
    spread = Counter(shard_of(JobKey(namespace="team", name=f"job-{n}"), shards) for n in range(100 * shards))
    assert spread.keys() == set(range(shards))
    assert max(spread.values()) < 160
