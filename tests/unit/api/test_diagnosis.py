"""What the API tells of the state of a deployment."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from minutehand.adapters.memory import MemoryQueues, MemoryState
from minutehand.adapters.sharding import BUCKETS
from minutehand.domain.errors import Unavailable
from minutehand.domain.timer import Due
from minutehand.entrypoints.api.documents.service import DiagnosisDocument
from minutehand.schedule import TZDATA_VERSION
from minutehand.usecases.ports.bundle import Ports
from minutehand.usecases.ports.queues import Depth
from minutehand.usecases.ports.stores import Renewal
from minutehand.usecases.ports.sweeps import SweepProgress
from minutehand.usecases.queries.diagnosis import Overdue, diagnose
from tests.unit.api.conftest import HEARTBEAT, JOB, NOON, Api, FakeClock

PATH = "/v1/diagnosis"


def test_a_new_deployment_has_no_tick_no_sweep_and_nothing_overdue(api: Api) -> None:
    found = api.get(PATH)
    assert found.status == 200
    assert found.body | {"zone_rules": ""} == {
        "now": "2026-11-20T12:00:30Z",
        "version": "0.1.0",
        "tzdata": TZDATA_VERSION,
        "zone_rules": "",
        "renewed_for": None,
        "renewed": False,
        "last_tick": None,
        "swept_until": None,
        "shards": "settled",
        "overdue": {"timers": 0, "more": False, "oldest": None},
        "queues": [],
        "troubles": [],
    }


def test_it_tells_the_last_tick_the_sweep_the_renewal_and_the_queues(
    api: Api, ports: Ports, state: MemoryState
) -> None:
    ports.timers.record_tick(NOON - timedelta(minutes=3))
    ports.timers.record_renewal(Renewal(version="2026a", done=True))
    ports.sweeps.record(SweepProgress(until=NOON, version=1))
    state.depths = {"http": Depth("http", waiting=3, delayed=2, in_flight=1)}
    found = api.get(PATH).body
    assert (found["last_tick"], found["swept_until"]) == ("2026-11-20T11:57:00Z", "2026-11-20T12:00:30Z")
    assert (found["renewed_for"], found["renewed"]) == ("2026a", True)
    assert found["queues"] == [{"name": "http", "waiting": 3, "delayed": 2, "in_flight": 1}]


@pytest.mark.parametrize(("schedule", "packed"), [("0 * * * *", True), ("0 13 * * *", False)])
def test_a_timer_is_overdue_a_minute_after_its_instant(
    api: Api, ports: Ports, state: MemoryState, clock: FakeClock, schedule: str, packed: bool
) -> None:
    api.put(JOB | {"schedule": schedule})
    assert state.timers[HEARTBEAT].packed is packed
    due = NOON.replace(hour=13, minute=0, second=0)
    for later, timers, oldest in ((59, 0, None), (60, 1, due)):
        clock.now = due + timedelta(seconds=later)
        found = diagnose(ports, MemoryQueues(state), shards=8, buckets=BUCKETS)
        assert found.overdue == Overdue(timers, oldest, more=False)


def test_of_many_overdue_timers_it_reads_a_page_and_says_that_there_are_more(
    api: Api, ports: Ports, state: MemoryState, clock: FakeClock
) -> None:
    for name in ("a", "b", "c"):
        api.put(JOB | {"schedule": "0 13 * * *"}, path=f"/v1/namespaces/demo/jobs/{name}")
    state.places.clear()
    clock.move(hours=3)
    timers = type(ports.timers)(state, shards=1, page_size=2)
    found = diagnose(ports._replace(timers=timers), MemoryQueues(state), shards=1, buckets=BUCKETS)
    assert found.overdue is not None
    assert (found.overdue.timers, found.overdue.more) == (2, True)


@pytest.mark.parametrize("hours", [0, 3])
def test_a_long_search_of_a_bucket_goes_on_to_its_end(
    api: Api, ports: Ports, state: MemoryState, clock: FakeClock, hours: int
) -> None:
    class Searching(type(ports.timers)):  # type: ignore[misc]  # the adapter of this test
        """Searches a bucket as DynamoDB does: queries that find nothing yet are empty pages."""

        def due_packed(self, bucket: int, until: datetime) -> Iterator[Sequence[Due]]:
            yield from [()] * 9
            yield from super().due_packed(bucket, until)

    for name in ("a", "b", "c"):
        api.put(JOB | {"schedule": "0 * * * *"}, path=f"/v1/namespaces/demo/jobs/{name}")
    clock.move(hours=hours)
    found = diagnose(ports._replace(timers=Searching(state)), MemoryQueues(state), shards=1, buckets=BUCKETS)
    assert found.overdue is not None
    assert (found.overdue.timers, found.overdue.more) == (3 if hours else 0, False)


def test_what_cannot_be_read_is_named_and_the_rest_is_told(api: Api, ports: Ports, state: MemoryState) -> None:
    state.depths = {"aws": None, "http": Depth("http", 1, 0, 0)}
    found = api.get(PATH).body
    assert [each["name"] for each in found["queues"]] == ["http"]
    assert [each["part"] for each in found["troubles"]] == ["queue aws"]
    assert "access denied" in found["troubles"][0]["problem"]


def test_timers_that_cannot_be_read_are_unknown_not_none(ports: Ports, state: MemoryState) -> None:
    class Refusing(type(ports.timers)):  # type: ignore[misc]  # the adapter of this test
        def due(self, *_: object) -> object:
            raise Unavailable("Query on the index due failed: access denied")

    found = diagnose(ports._replace(timers=Refusing(state)), MemoryQueues(state), shards=1, buckets=1)
    assert found.overdue is None
    assert [trouble.part for trouble in found.troubles] == ["timers"]


def test_a_token_of_some_namespaces_is_refused(api: Api) -> None:
    assert api.by(namespaces="demo").get(PATH).status == 403
    assert api.by(role="viewer").get(PATH).status == 200


def test_every_field_is_documented() -> None:
    text = (Path(__file__).parents[3] / "docs" / "reference" / "api.md").read_text(encoding="utf-8")
    section = text.partition("\n### Diagnosis\n")[2].partition("\n### ")[0]
    assert all(f"`{name}`" in section for name in DiagnosisDocument.__dataclass_fields__)
