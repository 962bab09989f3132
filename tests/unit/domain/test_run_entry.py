from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from minutehand.domain.job_key import JobKey
from minutehand.domain.run import Run
from minutehand.domain.run_entry import MOST_BYTES, Entry, entries_of, share_of
from minutehand.domain.run_key import RunKey
from tests.unit.domain.examples import MINUTE, SECOND, at, run


def of(name: str, clock: str = "09:00", namespace: str = "shop") -> Run:
    return replace(run(clock), key=RunKey.scheduled(JobKey(namespace, name), at(clock)))


def entries(*runs: Run) -> list[Entry]:
    return [entry for entry, _ in entries_of(runs)]


def keys(runs: Sequence[Run]) -> list[RunKey]:
    return sorted(one.key for one in runs)


def test_an_entry_names_each_job_once_with_the_seconds_of_its_runs() -> None:
    runs = [of("report", f"09:00:{second:02d}") for second in (40, 0, 20)]
    [entry] = entries(of("backup"), *runs, of("late", "09:00:05"))
    assert (entry.namespace, entry.minute) == ("shop", "20261120T0900")
    assert entry.names == "backup late@5 report@0,20,40"
    assert list(entry.runs) == keys([of("backup"), *runs, of("late", "09:00:05")])
    assert entry.size == 5


def test_each_namespace_and_minute_has_an_entry_of_its_own() -> None:
    names = ("a", "b")
    runs = [
        of(name, clock, namespace) for namespace in ("shop", "bank") for clock in ("09:00", "09:01") for name in names
    ]
    found = list(entries_of(runs))
    assert {(entry.namespace, entry.minute) for entry, _ in found} == {
        (namespace, minute) for namespace in ("shop", "bank") for minute in ("20261120T0900", "20261120T0901")
    }
    for entry, named in found:
        assert list(entry.runs) == keys(named)
        assert len(named) == 2


def test_a_run_without_another_of_its_namespace_and_minute_has_none() -> None:
    assert entries(of("a"), of("b", "09:01"), of("a", namespace="bank")) == []
    assert entries(of("a"), of("a")) == [], "it is the same run"
    assert entries() == []


@pytest.mark.parametrize("length", [3, 20, 60, 128])
@pytest.mark.parametrize("jobs", [2, 50, 250])
def test_large_groups_are_divided(length: int, jobs: int) -> None:
    runs = [of(f"{number:03d}{'x' * 125}"[:length]) for number in range(jobs)]
    found = list(entries_of(runs))
    assert sorted(key for entry, _ in found for key in entry.runs) == keys([one for _, named in found for one in named])
    assert len(runs) - sum(entry.size for entry, _ in found) <= 1, "at most the last run is alone"
    assert all(len(entry.names.encode()) <= MOST_BYTES for entry, _ in found)
    assert all(entry.size > 1 for entry, _ in found)
    assert len(found) <= -(-len(runs) * (length + 1) // (MOST_BYTES - 128))


def test_the_runs_of_a_minute_of_any_job_fit_together() -> None:
    [entry] = entries(*(of("x" * 128, f"09:00:{second:02d}") for second in range(60)))
    assert entry.size == 60
    assert len(entry.names) < MOST_BYTES / 2


def test_an_entry_lives_as_long_as_the_longest_of_its_runs() -> None:
    long = replace(of("b"), expires_at=at("10:00") + 99 * MINUTE)
    [entry] = entries(replace(of("a"), expires_at=at("10:00")), long)
    assert entry.expires_at == long.expires_at


def test_the_same_group_has_the_same_id_in_any_order_and_another_group_another() -> None:
    runs = [of("a"), of("b"), of("c")]
    [entry], [again] = entries(*runs), entries(*reversed(runs))
    assert entry == again
    assert entry.id == again.id
    others = [
        entries(*runs[:2]),
        entries(*runs, of("d")),
        entries(*(of(one.key.job.name, "09:01") for one in runs)),
        entries(*(of(one.key.job.name, namespace="bank") for one in runs)),
        entries(*(replace(one, expires_at=one.expires_at + SECOND) for one in runs)),
    ]
    assert len({entry.id, *(other.id for [other] in others)}) == 6


def test_the_share_of_a_run_is_read_from_the_id() -> None:
    [entry] = entries(*(of(f"job-{number}") for number in range(40)))
    assert share_of(entry.id) == 1 / 40


@pytest.mark.parametrize("names", ["", "a  b", "@0", "a@", "a@60", "a@-1", "a@x", "a@1,,2"])
def test_damaged_names_are_refused(names: str) -> None:
    entry = Entry("shop", "20261120T0900", names, at("10:00"))
    with pytest.raises(ValueError, match="neither the name of a job nor a name with seconds"):
        list(entry.runs)
