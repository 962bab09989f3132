"""The documents of namespaces."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from minutehand.domain.declaration import checks
from minutehand.domain.declaration.field import LEFT_OUT, Field
from minutehand.domain.quota import MOST_AT_ONCE, UNLIMITED, QuotaLimits


@dataclass(frozen=True, kw_only=True, slots=True)
class NamespacePauseDocument:
    """A pause of a namespace."""

    begun: Annotated[datetime, Field("When the pause began.", name="from")]
    who: Annotated[str, Field("Name of the token that paused the namespace.", name="by")]
    ends: Annotated[datetime | None, Field("When the pause ended or will end; null without an end.", name="to")]
    ended_by: Annotated[str | None, Field("Name of the token that resumed the namespace.", name="resumed_by")]


@dataclass(frozen=True, kw_only=True, slots=True)
class NamespaceStatusDocument:
    """The status of a namespace; ignored in a document to save."""

    paused: Annotated[bool, Field("Whether the namespace is paused.")]
    paused_until: Annotated[datetime | None, Field("When the pause ends by itself.")]
    pauses: Annotated[tuple[NamespacePauseDocument, ...], Field("The newest 20 pauses, newest first.")]
    quota: Annotated[QuotaLimits | None, Field("The namespace's quota; null if it has none.")]
    shadow: Annotated[bool, Field("Whether the namespace is in shadow: its jobs call no target.")]
    revision: Annotated[int, Field("How often the namespace was changed.")]
    updated_at: Annotated[datetime | None, Field("When the namespace was last changed.")]
    updated_by: Annotated[str | None, Field("Name of the token that last changed the namespace.")]


@dataclass(frozen=True, kw_only=True, slots=True)
class NamespaceDocument:
    """The settings of a namespace, which apply to all of its jobs together. Routes of their own pause it and put it in shadow."""

    namespace: Annotated[
        str,
        Field(
            "The namespace's name: the same as in the path, or left out.",
            check=checks.name,
            pattern=f"^{checks.NAME.pattern}$",
        ),
    ] = "default"
    max_concurrency: Annotated[
        int | None,
        Field(
            "Maximum attempts in progress at once, over all jobs of the namespace; null for no limit.",
            least=1,
            most=MOST_AT_ONCE,
        ),
    ] = None
    status: Annotated[
        NamespaceStatusDocument,
        Field("The status of the namespace; ignored in a document to save.", read_only=True),
    ] = LEFT_OUT


@dataclass(frozen=True, kw_only=True, slots=True)
class QuotaUseDocument:
    """How much of a namespace's quota is used now."""

    jobs: Annotated[int | None, Field("Jobs that the namespace has; null if the quota does not limit them.")]
    runs_this_minute: Annotated[
        int | None,
        Field("Runs that began in this clock minute, or may still begin in it; null if the quota does not limit them."),
    ]


@dataclass(frozen=True, kw_only=True, slots=True)
class QuotaDocument:
    """The quota of a namespace: what the operator of the deployment allows it. Only an admin for all namespaces may set it."""

    namespace: Annotated[
        str,
        Field(
            "The namespace's name: the same as in the path, or left out.",
            check=checks.name,
            pattern=f"^{checks.NAME.pattern}$",
        ),
    ] = "default"
    limits: Annotated[QuotaLimits, Field(inline=True)] = UNLIMITED.limits
    used: Annotated[
        QuotaUseDocument, Field("How much of it is used now; ignored in a document to save.", read_only=True)
    ] = LEFT_OUT
