"""The text that an import writes into a target where the export does not say what to call. The API refuses it."""

from __future__ import annotations

from typing import Final

PLACEHOLDER: Final = "to-be-completed"
