"""Bare calls carry a rehearsed tick's own requests, in full batches."""

from __future__ import annotations

from typing import Any

from benchmarks.recorder import Bare, Recorder, refused


class Answering:
    """A client of both services that answers and remembers."""

    def __init__(self) -> None:
        self.made: list[tuple[str, Any]] = []

    def query(self, **request: Any) -> Any:
        self.made.append(("query", request))
        return {"Items": []}

    def batch_execute_statement(self, **request: Any) -> Any:
        self.made.append(("statements", request["Statements"]))
        return {"Responses": [{} for _ in request["Statements"]]}

    def send_message_batch(self, **request: Any) -> Any:
        self.made.append(("messages", request["Entries"]))
        return {}


def rehearsed() -> Recorder:
    client: Any = Answering()
    recorder = Recorder(client)
    for part in range(3):
        recorder.query(IndexName="due", shard=part)
        recorder.batch_execute_statement(Statements=[{"Statement": f"INSERT {part}.{n}"} for n in range(10)])
        recorder.send_message_batch(
            QueueUrl="q", Entries=[{"Id": str(n), "MessageBody": f"{part}.{n}"} for n in range(4)]
        )
        recorder.batch_execute_statement(Statements=[{"Statement": f"UPDATE {part}.{n}"} for n in range(10)])
    return recorder


def test_part_full_batches_become_full_ones_with_the_same_requests_in_them():
    client = Answering()
    bare = Bare(rehearsed(), queue="q")
    bare.send(client, client)
    assert [(name, len(made)) for name, made in client.made if name != "query"] == [
        ("statements", 25), ("statements", 5), ("messages", 10), ("messages", 2), ("statements", 25), ("statements", 5),
    ]  # fmt: skip
    assert bare.calls == len(client.made) == 9
    statements = [one["Statement"] for name, made in client.made if name == "statements" for one in made]
    assert statements == [f"{verb} {part}.{n}" for verb in ("INSERT", "UPDATE") for part in range(3) for n in range(10)]


def test_the_ids_of_messages_stay_unique_within_their_new_batches():
    client = Answering()
    Bare(rehearsed(), queue="q").send(client, client)
    for batch in (made for name, made in client.made if name == "messages"):
        assert len({entry["Id"] for entry in batch}) == len(batch)


def test_whatever_was_refused_is_found():
    error = {"Code": "DuplicateItem"}
    assert refused([{"Responses": [{}, {"Error": error}]}, {"Failed": [{"Id": "1"}]}, {"Items": []}]) == [
        error,
        {"Id": "1"},
    ]
