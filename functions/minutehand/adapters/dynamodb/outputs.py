"""Store of outputs: items of the Runs table, and a bucket for longer texts."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from datetime import timedelta
from typing import TYPE_CHECKING

from minutehand.adapters.dynamodb.calls.statements import deletion, execute
from minutehand.adapters.dynamodb.calls.table import Table
from minutehand.adapters.dynamodb.codecs import output_codec
from minutehand.adapters.s3 import place_of
from minutehand.domain.errors import Unavailable

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

    from minutehand.adapters.s3 import S3Texts
    from minutehand.domain.run import RunKey
    from minutehand.usecases.ports.outputs import Output


class DynamoOutputs:
    """The port `Outputs`.

    Args:
        table: name of the Runs table.
        texts: store of the longer texts.
    """

    def __init__(
        self, client: DynamoDBClient, table: str, texts: S3Texts, *, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self._table = Table(client=client, name=table, sleep=sleep)
        self._texts = texts

    def keep(self, run: RunKey, attempt: int, output: Output) -> None:
        """See `Outputs.keep`."""
        self._table.put_new(output_codec.encode(run, attempt, output), key="job")

    def get(self, run: RunKey, attempt: int) -> Output | None:
        """See `Outputs.get`."""
        item = self._table.get(output_codec.key(run, attempt))
        return None if item is None else self._table.decoded(item, output_codec.decode)

    def store(self, run: RunKey, attempt: int, text: str, lasts: timedelta) -> str:
        """See `Outputs.store`."""
        place = place_of(run, attempt, lasts)
        self._texts.put(place, text)
        return place

    def read(self, place: str) -> str | None:
        """See `Outputs.read`."""
        return self._texts.get(place)

    def link(self, place: str, lasts: timedelta) -> str:
        """See `Outputs.link`."""
        return self._texts.link(place, lasts)

    def forget(self, runs: Collection[RunKey]) -> None:
        """See `Outputs.forget`. Texts are deleted first: after an error, the remaining item still names its text."""
        if not runs:
            return
        found = [
            item
            for page in self._table.query(**output_codec.between(min(runs), max(runs)))
            for item in page
            if output_codec.decode_run(item) in set(runs)
        ]
        places = [self._table.decoded(item, output_codec.decode).place for item in found]
        self._texts.delete([place for place in places if place])
        codes = execute(
            self._table, [deletion(self._table, {"job": item["job"], "run_id": item["run_id"]}) for item in found]
        )
        if failed := [code for code in codes if code]:
            raise Unavailable(f"{len(failed)} outputs in table {self._table.name} could not be deleted: {failed[0]}")
