"""Store of namespace settings, in the Jobs table."""

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
            Unavailable: also if one was written by a later version and cannot be read. Without it, jobs would run that it pauses.
        """
        from minutehand.adapters.dynamodb.codecs import namespace_codec  # noqa: PLC0415 - 2 ms, and most namespaces have no settings

        items = self._table.get_many([keys.settings(name) for name in dict.fromkeys(names)])
        found = (self._table.decoded(item, namespace_codec.decode) for item in items)
        return {namespace.name: namespace for namespace in found}

    def save(self, before: Namespace | None, after: Namespace) -> bool:
        """See `Namespaces.save`."""
        from minutehand.adapters.dynamodb.codecs import namespace_codec  # noqa: PLC0415 - 2 ms, and most namespaces have no settings

        item = namespace_codec.encode(after)
        if before is None:
            return self._table.put_new(item, key="pk")
        return self._table.put_if(item, condition="revision = :revision", values={":revision": number(before.revision)})
