"""The drain's handler, and the sweep that starts it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from minutehand.adapters.dead_letters import Letter
from minutehand.domain.errors import Unavailable
from minutehand.entrypoints import drain, sweep
from tests.unit.adapters.fakes import Scripted, client_error
from tests.unit.entrypoints.handling import SETTINGS, Context, body_of, record, text_of
from tests.unit.usecases.stage import Stage


class Letters:
    """A dead-letter queue in memory, which gives up to two messages at a time.

    Attributes:
        away: what does not answer.
    """

    def __init__(self, *bodies: Any, away: Sequence[str] = ()) -> None:
        self.away = away
        self.held = [Letter(f"m{n}", text_of(body), f"r{n}") for n, body in enumerate(bodies, start=1)]
        self._new = [*self.held]
        self.received = 0

    def _ask(self, call: str) -> None:
        if call in self.away:
            raise Unavailable(f"{call} did not answer")

    def waiting(self) -> int:
        self._ask("waiting")
        return len(self._new)

    def receive(self) -> list[Letter]:
        self._ask("receive")
        self.received += 1
        taken, self._new = self._new[:2], self._new[2:]
        return taken

    def delete(self, letter: Letter) -> None:
        self._ask("delete")
        self.held.remove(letter)


def dead(monkeypatch: pytest.MonkeyPatch, *bodies: Any) -> Letters:
    """Give the drain a queue with these messages."""
    letters = Letters(*bodies)
    monkeypatch.setattr(drain, "dead_letters", lambda: [letters])
    return letters


def test_a_dead_letter_whose_run_can_start_is_sent_again_and_an_unreadable_one_stays(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage.state.messages.clear()
    letters = dead(monkeypatch, body_of("09:01"), "{}")
    assert drain.handler({}, Context()) == {"drained": 1, "kept": 1}
    assert [letter.message_id for letter in letters.held] == ["m2"]
    assert stage.sent() == ["09:01:00"]


def test_a_drain_goes_on_until_its_queue_is_empty(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    letters = dead(monkeypatch, *[body_of("09:01")] * 5)
    assert drain.handler({}, Context()) == {"drained": 5, "kept": 0}
    assert (letters.held, letters.received) == ([], 4)


def test_a_drain_receives_nothing_for_which_it_has_no_time(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    letters = dead(monkeypatch, body_of("09:01"))
    assert drain.handler({}, Counting(10)) == {"drained": 0, "kept": 0}
    assert letters.received == 0, "what is received is hidden for minutes"


class Counting(Context):
    """Has so many seconds left at each look."""

    def __init__(self, *seconds: int) -> None:
        self._left = [*seconds]

    def get_remaining_time_in_millis(self) -> int:
        return self._left.pop(0) * 1_000


def test_a_drain_begins_no_letter_for_which_it_has_no_time(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    letters = dead(monkeypatch, body_of("09:01"), body_of("09:01"))
    assert drain.handler({}, Counting(60, 40, 5, 5)) == {"drained": 1, "kept": 0}
    assert [letter.message_id for letter in letters.held] == ["m2"]


def test_a_drain_that_is_killed_has_deleted_every_letter_that_it_has_drained(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    def killed(message: Any, **_: Any) -> Any:
        if message.receipt == "r2":
            raise Killed
        return drained(message, ports=stage.ports)

    drained = drain.drain
    monkeypatch.setattr(drain, "drain", killed)
    letters = dead(monkeypatch, body_of("09:01"), body_of("09:01"))
    with pytest.raises(Killed):
        drain.handler({}, Context())
    assert [letter.message_id for letter in letters.held] == ["m2"]


def test_a_letter_that_cannot_be_deleted_is_kept_and_one_request_of_such_letters_is_an_error(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    letters = dead(monkeypatch, *[body_of("09:01")] * 3)
    letters.away = ["delete"]
    with pytest.raises(Unavailable, match=r"no dead letter of a batch of 2 .* delete did not answer"):
        drain.handler({}, Context())
    assert (letters.received, len(letters.held)) == (1, 3)


def test_a_queue_that_does_not_answer_fails_the_drain_after_the_other_queues(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    away, other = Letters(away=["receive"]), Letters(body_of("09:01"))
    monkeypatch.setattr(drain, "dead_letters", lambda: [away, other])
    with pytest.raises(Unavailable, match="receive did not answer"):
        drain.handler({}, Context())
    assert other.held == []


def test_letters_that_a_mapping_of_an_earlier_version_sends_are_refused_so_that_it_deletes_none(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    letters = dead(monkeypatch, body_of("09:01"))
    with pytest.raises(drain.NotDrained, match=r"event source mapping still sends dead letters .* delete it"):
        drain.handler({"Records": [record(1, body_of("09:01"))]}, Context())
    assert letters.received == 0


def sweeping(monkeypatch: pytest.MonkeyPatch, *queues: Letters) -> Scripted:
    """Give the sweep these queues. Returns the client with which it starts drains."""
    client = Scripted(*[{}] * 20)
    monkeypatch.setattr(sweep, "dead_letters", lambda: queues)
    monkeypatch.setattr(sweep, "aws_lambda", lambda: client)
    monkeypatch.setattr(sweep, "settings", lambda: replace(SETTINGS, drain_function="drain-1"))
    return client


@pytest.mark.parametrize(
    ("waiting", "drains"), [(0, 0), (1, 1), (500, 1), (501, 2), (1_500, 3), (1_501, 4), (2_001, 4)]
)
def test_a_sweep_starts_a_drain_for_every_500_dead_letters_but_four_at_most(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, waiting: int, drains: int
) -> None:
    letters = Letters(*["{}"] * waiting)
    client = sweeping(monkeypatch, letters)
    assert sweep.handler({}, Context())["dead_letters"] == waiting
    started = {"FunctionName": "drain-1", "InvocationType": "Event", "Payload": b"{}"}
    assert client.requests == [started] * drains
    assert letters.received == 0


def test_a_queue_that_cannot_be_counted_fails_the_sweep_after_a_drain_is_started_for_the_others(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = sweeping(monkeypatch, Letters(away=["waiting"]), Letters("{}"))
    with pytest.raises(Unavailable, match="waiting did not answer"):
        sweep.handler({}, Context())
    assert len(client.requests) == 1


def test_a_drain_that_cannot_be_started_fails_the_sweep_but_stops_none_of_its_steps(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage.at("10:01")
    stage.state.messages.clear()
    denied = Scripted(client_error("AccessDeniedException"))
    monkeypatch.setattr(sweep, "dead_letters", lambda: [Letters("{}")])
    monkeypatch.setattr(sweep, "aws_lambda", lambda: denied)
    monkeypatch.setattr(sweep, "settings", lambda: replace(SETTINGS, drain_function="drain-1"))
    with pytest.raises(Unavailable, match=r"the function drain-1 could not be started: .*AccessDeniedException"):
        sweep.handler({}, Context())
    assert stage.state.messages, "overdue runs are sent all the same"


def test_the_log_says_why_a_dead_letter_stays(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    lines: list[dict[str, Any]] = []
    monkeypatch.setattr(drain.logger, "error", lambda _message, **about: lines.append(about))
    stage.runs.fails("get")
    dead(monkeypatch, body_of("09:01"), "{}")
    assert drain.handler({}, Context()) == {"drained": 0, "kept": 2}
    assert [(line["message_id"], line["problem"]) for line in lines] == [
        ("m1", "Unavailable: get did not answer"),
        ("m2", "ValueError: the message's body is not an object with job, run_id and attempt"),
    ]
