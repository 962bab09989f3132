"""Outputs as items of the Runs table, each in a partition of its own: a list of runs does not read what is long."""

from __future__ import annotations

from typing import TYPE_CHECKING

from minutehand.adapters.dynamodb import run_codec
from minutehand.adapters.dynamodb.values import EXPIRES_AT, epoch, read_epoch, text
from minutehand.domain.run import RunKey
from minutehand.usecases.ports import Output

if TYPE_CHECKING:
    from minutehand.adapters.dynamodb.values import Item, ReadItem


def key(run: RunKey, attempt: int) -> Item:
    """The key of an attempt's output; no job's name holds a `#`."""
    return {"job": text(f"{run.job}#output"), "run_id": text(f"{run.run_id}#{attempt}")}


def encode(run: RunKey, attempt: int, output: Output) -> Item:
    """The item of an attempt's output."""
    return {
        **key(run, attempt),
        **run_codec.encode_answer(output.result, output.error),
        EXPIRES_AT: epoch(output.expires_at),
    }


def decode(item: ReadItem) -> Output:
    """The output of an item.

    Raises:
        LookupError, ValueError, TypeError, OverflowError: when it cannot be read.
    """
    return Output(
        result=run_codec.decode_result(item),
        error=run_codec.decode_error(item),
        expires_at=read_epoch(item, EXPIRES_AT),
    )
