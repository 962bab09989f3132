"""The full name of a job."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from minutehand.domain import checks
from minutehand.domain.declaration import Field


class JobKey(NamedTuple):
    """The full name of a job, written `namespace/name`."""

    namespace: Annotated[
        str,
        Field(
            "Its namespace; the same as in the path, or left out.",
            check=checks.name,
            pattern=f"^{checks.NAME.pattern}$",
            in_path=True,
        ),
    ]
    name: Annotated[
        str,
        Field(
            "Its name; the same as in the path, or left out.",
            check=checks.name,
            pattern=f"^{checks.NAME.pattern}$",
            in_path=True,
        ),
    ]

    def __str__(self) -> str:
        return f"{self.namespace}/{self.name}"

    @classmethod
    def of(cls, text: str) -> JobKey:
        """Parse `namespace/name`; ValueError without a slash."""
        namespace, slash, name = text.partition("/")
        if not slash:
            raise ValueError(f"{text!r} is not the full name of a job; write namespace/name")
        return cls(namespace=namespace, name=name)
