"""Sides that dispatch take turns, and their rounds are compared."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from tempfile import TemporaryFile

import pytest
from benchmarks.dispatch.answer import table
from benchmarks.dispatch.clocked import Round, timed
from benchmarks.dispatch.peer import Peer
from benchmarks.dispatch.turns import Kind, Side, take
from benchmarks.metered import LOCAL, MINISTACK
from benchmarks.table import Table


def side(kind: Kind, server: str, *micros: float, load: int = 100) -> Side:
    """One that has played rounds of so many microseconds of processor time per occurrence."""
    rounds = [Round(sent=load, processor=one * load / 1e6, elapsed=load / 1000) for one in micros]
    return Side(kind=kind, server=server, load=load, play=lambda: pytest.fail("it has played"), rounds=rounds)


def sides(*, ours: float = 600, local: float = 600, apscheduler: float = 1000, celery: float = 6000) -> list[Side]:
    return [
        side(Kind.OURS, MINISTACK, ours),
        side(Kind.OURS, LOCAL, local),
        side(Kind.BARE, MINISTACK, 500),
        side(Kind.BARE, LOCAL, 600),
        side(Kind.APSCHEDULER, "PostgreSQL", apscheduler),
        side(Kind.CELERY, "Redis", celery),
    ]


def column(made: Table, name: str) -> list[object]:
    return [row[made.columns.index(name)] for row in made.rows]


def playing(turns: list[str], *names: str) -> list[Side]:
    def play(name: str) -> Callable[[], Round]:
        def one() -> Round:
            turns.append(name)
            return Round(1, 1.0, 1.0)

        return one

    return [Side(kind=Kind.BARE, server=name, load=1, play=play(name)) for name in names]


def test_every_other_time_they_play_in_the_opposite_order() -> None:
    turns: list[str] = []
    take(playing(turns, "a", "b", "c"), rounds=3)
    assert "".join(turns) == "abccbaabc"


def test_one_that_fails_has_no_figure_and_says_why_and_the_others_go_on() -> None:
    turns: list[str] = []
    failing, other = playing(turns, "failing", "other")
    play = failing.play
    failing.play = lambda: play() if len(turns) < 2 else [].pop()  # its first round goes well
    take([failing, other], rounds=3)
    assert failing.rounds == []
    assert failing.trouble == "IndexError: pop from empty list"
    assert len(other.rounds) == 3


def test_one_that_sends_nothing_has_no_figure() -> None:
    silent = Side(kind=Kind.CELERY, server="Redis", load=1, play=lambda: Round(0, 1.0, 1.0))
    take([silent], rounds=1)
    assert silent.rounds == []
    assert silent.trouble == "it sent nothing in a whole round"


def test_what_is_compared_is_the_time_per_occurrence_that_was_sent() -> None:
    bounded = Side(kind=Kind.CELERY, server="Redis", load=100, play=list, rounds=[Round(10, 0.5, 8.0)])
    assert side(Kind.OURS, MINISTACK, 500).times(bounded) == pytest.approx(0.01)
    assert bounded.pace == pytest.approx(1.25)


def test_bare_calls_are_compared_on_the_same_server_and_the_others_with_the_dearer_of_ours() -> None:
    made = table(sides(ours=550, local=660), {})
    assert column(made, "Minutehand / this") == [None, None, *map(pytest.approx, (1.1, 1.1, 0.66, 0.11))]
    assert column(made, "at most") == [None, None, 1.3, 1.3, 0.8, 0.2]
    assert made.holds is True
    assert made.chart is not None


@pytest.mark.parametrize("dear", [{"ours": 651}, {"local": 810}, {"apscheduler": 700}, {"celery": 2900}])
def test_a_goal_that_one_of_them_misses_does_not_hold(dear: dict[str, float]) -> None:
    assert table(sides(**dear), {}).holds is False


def test_loads_are_compared_each_with_its_own() -> None:
    more = [side(Kind.OURS, MINISTACK, 900, load=200), side(Kind.BARE, MINISTACK, 800, load=200)]
    made = table([*sides(), *more], {})
    assert column(made, "Minutehand / this")[-1] == pytest.approx(1.125)
    assert made.holds is None  # the others have not played with so many


def test_a_peer_that_could_not_run_is_named_with_its_reason_and_no_figure_stands_in_for_it() -> None:
    played = sides()
    played[-1].rounds.clear()
    played[-1].trouble = "RuntimeError: connection refused"
    played.pop(-2)
    made = table(played, {"PostgreSQL": "it is not installed"})
    assert column(made, "scheduler") == ["Minutehand", "Minutehand", "bare boto3", "bare boto3"]
    assert made.holds is None
    assert made.notes[-2:] == (
        "Not run: PostgreSQL: it is not installed.",
        "Not run: Celery beat with Redis, 100 due at once: RuntimeError: connection refused.",
    )


def test_a_goal_that_is_missed_is_missed_whoever_could_not_run() -> None:
    assert table(sides(ours=900)[:4], {}).holds is False


def test_without_dynamodb_local_ours_is_judged_on_ministack() -> None:
    made = table([one for one in sides() if one.server != LOCAL], {LOCAL: "Java is missing"})
    assert made.holds is True
    assert made.notes[-1] == "Not run: DynamoDB Local: Java is missing."


def test_a_round_is_timed_around_what_says_how_much_it_sent() -> None:
    done = timed(lambda: sum(range(10)))
    assert done.sent == 45
    assert done.processor >= 0
    assert done.elapsed > 0


@contextmanager
def program(text: str) -> Iterator[Peer]:
    """A program of its own that plays rounds as this text says."""
    command = [sys.executable, "-c", f"from benchmarks.dispatch.clocked import Round, serve\n{text}"]
    with (
        TemporaryFile("w+", encoding="utf-8") as trouble,
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=trouble, text=True) as process,
    ):
        yield Peer("program", process, trouble)


def test_a_program_plays_a_round_each_time_it_is_asked() -> None:
    with program("numbers = iter([1, 2])\nserve(lambda: Round(next(numbers), 0.5, 1.5))") as peer:
        peer.answer()  # it is ready
        assert [peer.play(), peer.play()] == [Round(1, 0.5, 1.5), Round(2, 0.5, 1.5)]


def test_a_program_that_ends_instead_of_answering_is_told_with_its_last_words() -> None:
    with program("serve(lambda: 1 / 0)") as peer:
        peer.answer()
        with pytest.raises(RuntimeError, match=r"program ended with status 1 .*: ZeroDivisionError: division by zero"):
            peer.play()
