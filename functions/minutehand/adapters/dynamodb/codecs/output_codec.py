"""Outputs as items of the Runs table, in partitions apart from the runs, so that listing runs does not read them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minutehand.adapters.dynamodb.codecs import run_codec
from minutehand.adapters.dynamodb.codecs.values import (
    EXPIRES_AT,
    epoch,
    number,
    read_epoch,
    read_number,
    read_text,
    text,
)
from minutehand.domain.job_key import JobKey
from minutehand.domain.run import RunKey
from minutehand.usecases.ports.outputs import Output, size_of

if TYPE_CHECKING:
    from minutehand.adapters.dynamodb.codecs.values import Item, ReadItem

_PARTITION = "#output"


def key(run: RunKey, attempt: int) -> Item:
    """The key of an attempt's output; no job name or run id contains a `#`."""
    return {"job": text(f"{run.job}{_PARTITION}"), "run_id": text(f"{run.run_id}#{attempt}")}


def encode(run: RunKey, attempt: int, output: Output) -> Item:
    """The item of an attempt's output."""
    item = {
        **key(run, attempt),
        **run_codec.encode_answer(output.result, output.error),
        EXPIRES_AT: epoch(output.expires_at),
    }
    if output.truncated:
        item["size"] = number(output.size)
    if output.place:
        item["place"] = text(output.place)
    return item


def decode(item: ReadItem) -> Output:
    """The output of an item.

    Raises:
        LookupError, ValueError, TypeError, OverflowError: when it cannot be read.
    """
    result = run_codec.decode_result(item)
    return Output(
        result=result,
        error=run_codec.decode_error(item),
        expires_at=read_epoch(item, EXPIRES_AT),
        size=read_number(item, "size") if "size" in item else size_of(result),
        place=read_text(item, "place") if "place" in item else "",
    )


def decode_run(item: ReadItem) -> RunKey:
    """The run whose output an item is."""
    job = read_text(item, "job").removesuffix(_PARTITION)
    return RunKey(job=JobKey.of(job), run_id=read_text(item, "run_id").partition("#")[0])


def between(first: RunKey, last: RunKey) -> dict[str, Any]:
    """The query that finds the outputs of a job's runs from `first` to `last`."""
    return {
        "KeyConditionExpression": "job = :job AND run_id BETWEEN :first AND :last",
        "ExpressionAttributeValues": {
            ":job": text(f"{first.job}{_PARTITION}"),
            ":first": text(first.run_id),
            ":last": text(f"{last.run_id}#~"),  # after every attempt
        },
        "ConsistentRead": True,
    }
