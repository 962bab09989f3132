"""Settings of namespaces in the Jobs table, beside the lists of their jobs."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from minutehand.adapters.dynamodb.calls.table import Table
from minutehand.adapters.dynamodb.codecs import keys
from minutehand.adapters.dynamodb.codecs.values import number

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

    from minutehand.domain.namespace import Namespace


class DynamoNamespaces:
    """The port `Namespaces`.

    Args:
        table: name of the Jobs table.
    """

    def __init__(self, client: DynamoDBClient, table: str, *, sleep: Callable[[float], None] = time.sleep) -> None:
        self._table = Table(client=client, name=table, sleep=sleep)

    def get(self, names: Sequence[str]) -> Mapping[str, Namespace]:
        """See `Namespaces.get`.

        Raises:
            Unavailable: also when one of them cannot be read, being of a later version: without it, jobs would run that it is to
                keep from running.
        """
        from minutehand.adapters.dynamodb.codecs import namespace_codec  # noqa: PLC0415 - most namespaces have no settings

        items = self._table.get_many([keys.settings(name) for name in dict.fromkeys(names)])
        found = (self._table.reading(item, namespace_codec.decode) for item in items)
        return {namespace.name: namespace for namespace in found}

    def save(self, before: Namespace | None, after: Namespace) -> bool:
        """See `Namespaces.save`."""
        from minutehand.adapters.dynamodb.codecs import namespace_codec  # noqa: PLC0415 - most namespaces have no settings

        item = namespace_codec.encode(after)
        if before is None:
            return self._table.put_new(item, key="pk")
        return self._table.put_if(item, condition="revision = :revision", values={":revision": number(before.revision)})
