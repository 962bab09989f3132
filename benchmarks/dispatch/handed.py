"""What the jobs of another scheduler do: nothing but being counted."""

from __future__ import annotations

from typing import Any

RAN: list[None] = []
"""As long as how often they ran."""


def run(**_payload: Any) -> None:
    """Count."""
    RAN.append(None)
