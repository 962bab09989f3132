"""The documents of namespaces."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from minutehand.domain.declaration import checks
from minutehand.domain.declaration.field import LEFT_OUT, Field
from minutehand.domain.namespace import MOST_AT_ONCE


@dataclass(frozen=True, kw_only=True, slots=True)
class NamespacePauseDocument:
    """A pause of a namespace."""

    begun: Annotated[datetime, Field("When it began.", name="from")]
    who: Annotated[str, Field("Who paused it.", name="by")]
    ends: Annotated[datetime | None, Field("When it ended or will end; null without an end.", name="to")]
    ended_by: Annotated[str | None, Field("Who ended it.", name="resumed_by")]


@dataclass(frozen=True, kw_only=True, slots=True)
class NamespaceStatusDocument:
    """The status of a namespace; ignored when sent back."""

    paused: Annotated[bool, Field("Whether it is paused.")]
    paused_until: Annotated[datetime | None, Field("When the pause ends by itself.")]
    pauses: Annotated[tuple[NamespacePauseDocument, ...], Field("The newest 20 pauses, newest first.")]
    revision: Annotated[int, Field("Number of changes to the namespace.")]
    updated_at: Annotated[datetime | None, Field("When it was last changed.")]
    updated_by: Annotated[str | None, Field("Who changed it last.")]


@dataclass(frozen=True, kw_only=True, slots=True)
class NamespaceDocument:
    """The settings of a namespace, for all of its jobs together. To pause it, use `pause` and `resume`."""

    namespace: Annotated[
        str,
        Field("Its name; the same as in the path, or left out.", check=checks.name, pattern=f"^{checks.NAME.pattern}$"),
    ] = "default"
    max_concurrency: Annotated[
        int | None,
        Field("Attempts of its jobs' runs in progress at once; null for no limit.", least=1, most=MOST_AT_ONCE),
    ] = None
    status: Annotated[
        NamespaceStatusDocument,
        Field("The status of the namespace; ignored when sent back.", read_only=True),
    ] = LEFT_OUT
