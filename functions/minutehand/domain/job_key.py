"""The full name of a job."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from minutehand.domain.declaration import checks
from minutehand.domain.declaration.field import Field

_IN_PATH = Field("", check=checks.name, pattern=f"^{checks.NAME.pattern}$", in_path=True)
NamespaceName = Annotated[str, _IN_PATH._replace(description="The namespace; the same as in the path, or left out.")]
OwnName = Annotated[
    str, _IN_PATH._replace(description="The name in the namespace; the same as in the path, or left out.")
]


class JobKey(NamedTuple):
    """The full name of a job, written `namespace/name`."""

    namespace: NamespaceName
    name: OwnName

    def __str__(self) -> str:
        return f"{self.namespace}/{self.name}"

    @classmethod
    def of(cls, text: str) -> JobKey:
        """Parse `namespace/name`; ValueError without a slash."""
        namespace, slash, name = text.partition("/")
        if not slash:
            raise ValueError(f"{text!r} is not the full name of a job; write namespace/name")
        return cls(namespace=namespace, name=name)
