"""From due to called: what counts in a round, and the rehearsal that tells a worker's bare requests."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any

import pytest
from benchmarks.end_to_end.bare import Bare, Batch, Rehearsal, Step
from benchmarks.end_to_end.throughput import document, following, told
from benchmarks.target import Arrival

from minutehand.schedule import Schedule

DUE = datetime(2026, 11, 20, 9, 0, 15, tzinfo=UTC)


def called(run: int, after: float, due: datetime = DUE) -> Arrival:
    headers = {"minutehand-scheduled-for": f"{due:%Y-%m-%dT%H:%M:%SZ}", "idempotency-key": f"job/{run}"}
    return Arrival(DUE.timestamp() + after, "/close", headers)


def test_a_round_lasts_until_the_last_of_its_runs_has_called_and_a_second_call_does_not_count() -> None:
    arrivals = [called(0, 0.5), called(1, 1.0), called(0, 9.0), called(2, 4.0), called(3, 0.1, DUE.replace(second=45))]
    assert told(arrivals, [DUE.timestamp()], 3) == [(3, 1.0, 4.0)]


def test_a_round_with_runs_missing_has_no_figure() -> None:
    with pytest.raises(RuntimeError, match="of 2 runs that were due at once 1 called"):
        told([called(0, 0.5)], [DUE.timestamp()], 2)


def test_a_call_that_comes_early_is_no_figure_but_a_fault() -> None:
    with pytest.raises(RuntimeError, match=r"0\.250 s before it was due"):
        told([called(0, -0.25)], [DUE.timestamp()], 1)


@pytest.mark.parametrize("after", [-15.0, -0.001, 0.0, 29.999])
def test_the_rounds_begin_when_the_jobs_are_due(after: float) -> None:
    schedule = Schedule.parse(str(document(0, "http://127.0.0.1:80")["schedule"]), "UTC")
    now = DUE.timestamp() + after
    assert following(now) == schedule.next(datetime.fromtimestamp(now, tz=UTC)).timestamp()


class Service:
    """Answers every operation, and notes what was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, Any]] = []

    def __getattr__(self, operation: str) -> Any:
        def answer(**asked: Any) -> dict[str, str]:
            self.asked.append((operation, asked))
            return {"answered": operation}

        return answer


def test_a_rehearsal_reads_writes_nothing_and_tells_a_batch_from_its_runs() -> None:
    real, rehearsal = Service(), Rehearsal()
    client = rehearsal.client("dynamodb", real)
    assert client.batch_get_item(of="a batch") == {"answered": "batch_get_item"}
    rehearsal.parallel(lambda run: client.update_item(run=run), [1, 2])
    assert real.asked == [("batch_get_item", {"of": "a batch"})]
    assert rehearsal.batch() == Batch(
        [Step("dynamodb", "batch_get_item", {"of": "a batch"})],
        [[Step("dynamodb", "update_item", {"run": 1})], [Step("dynamodb", "update_item", {"run": 2})]],
    )
    assert rehearsal.batch() == Batch([], [])


def test_the_bare_requests_are_those_of_the_rehearsal() -> None:
    real = Service()
    noted = Batch([Step("sqs", "hide", {"all": True})], [[Step("sqs", "start", {}), Step("sqs", "report", {})]])
    with ThreadPoolExecutor(1) as threads:
        Bare({"sqs": real}, threads).play([noted])
    assert [operation for operation, _ in real.asked] == ["hide", "start", "report"]
