"""What stands in the growth table is what was measured, and the crowd that it is measured in is never due."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import replace
from datetime import timedelta
from itertools import islice
from pathlib import Path

import pytest
from benchmarks.growth.crowd import UnlikeError, fill, others
from benchmarks.growth.question import MOST, Measured, answer
from benchmarks.scene import LOOK_AHEAD, NINE, SHARDS

from minutehand.adapters.dynamodb.codecs import timer_codec
from minutehand.adapters.sharding import shard_of
from minutehand.domain.timer import Timer
from minutehand.schedule import Schedule

FEW = Measured(jobs=1_000, processor=[0.010, 0.012], elapsed=[0.1, 0.3], calls=[27, 27], units=[4.0, 4.0])
MANY = replace(FEW, jobs=1_000_000)


def _grown(times: float) -> Measured:
    return replace(MANY, processor=[took * times for took in FEW.processor])


@pytest.mark.parametrize(("times", "holds"), [(1.0, True), (MOST, True), (MOST + 0.01, False)])
def test_growth_holds_up_to_its_limit_of_processor_time(times: float, holds: bool) -> None:
    assert answer([FEW, _grown(times)], filled_in=1).holds is holds


@pytest.mark.parametrize("other", [replace(MANY, units=[4.0, 4.5]), replace(MANY, calls=[27, 28])])
def test_growth_does_not_hold_when_one_tick_reads_or_calls_more_than_another(other: Measured) -> None:
    assert answer([FEW, other], filled_in=1).holds is False


def test_a_slow_server_is_shown_and_is_not_ours() -> None:
    table = answer([FEW, replace(MANY, elapsed=[5.0, 5.0])], filled_in=1)
    assert table.holds
    assert table.rows[-1] == (1_000_000, 2, pytest.approx(11.0), 1.0, 5000.0, pytest.approx(25.0), 27, 4.0)


def test_each_of_the_crowd_is_a_timer_that_can_be_read_and_is_not_due_while_it_is_measured() -> None:
    timers = [timer_codec.decode(item) for item in islice(others(1_000_000), 3_000)]
    assert len({timer.job for timer in timers}) == 3_000
    for timer in timers:
        assert isinstance(timer, Timer)
        assert timer.next_at is not None
        assert timer.next_at > NINE + LOOK_AHEAD + timedelta(hours=1)
        assert Schedule.decode(timer.rule).next(NINE) == timer.next_at


def test_the_crowd_stands_in_the_shards_of_its_jobs_and_all_over_the_day() -> None:
    items = [*others(3_000)]
    for item in items[:100]:
        timer = timer_codec.decode(item)
        assert item["due_shard"] == {"S": str(shard_of(timer.job, SHARDS))}
    assert {item["due_shard"]["S"] for item in items} == {str(shard) for shard in range(SHARDS)}
    assert len({item["next_at"]["S"] for item in items}) == 20 * 60


def _file(folder: Path, pk: bytes | None = None) -> sqlite3.Connection:
    """A file like DynamoDB Local's, with the first of the crowd in it."""
    item = next(others(1))
    file = sqlite3.connect(folder / "shared-local-instance.db")
    names = "hashKey, rangeKey, hashValue, rangeValue, itemSize, ObjectJSON, hashRangeValue, indexKey_0, indexKey_1"
    file.execute(f'CREATE TABLE "Jobs" ({names}, PRIMARY KEY (hashKey, rangeKey))')
    key, rest, shard, next_at = (item[name]["S"].encode() for name in ("pk", "sk", "due_shard", "next_at"))
    file.execute(
        f'INSERT INTO "Jobs" ({names}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',  # noqa: S608 - words of our own
        (pk or key, rest, b"a", b"b", 207, json.dumps(item, sort_keys=True).encode(), b"c", shard, next_at),
    )
    file.commit()
    return file


def test_the_crowd_is_put_beside_what_the_server_wrote(tmp_path: Path) -> None:
    file = _file(tmp_path)
    fill(tmp_path, "Jobs", 50)
    rows = file.execute('SELECT ObjectJSON, hashKey, indexKey_0, indexKey_1 FROM "Jobs"').fetchall()
    items = {row[0]: json.loads(row[0]) for row in rows}
    assert sorted(item["pk"]["S"] for item in items.values()) == sorted(item["pk"]["S"] for item in others(50))
    for told, *places in rows:
        assert [place.decode() for place in places] == [
            items[told][name]["S"] for name in ("pk", "due_shard", "next_at")
        ]


def test_a_file_of_another_kind_is_left_alone(tmp_path: Path) -> None:
    file = _file(tmp_path, pk=b"\x00another")
    with pytest.raises(UnlikeError, match="was expected"):
        fill(tmp_path, "Jobs", 50)
    assert file.execute('SELECT COUNT(*) FROM "Jobs"').fetchone() == (1,)
