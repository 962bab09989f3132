"""Definitions for tests of costs."""

from datetime import UTC, datetime
from typing import Any

from minutehand.tools.costs.definition import Definition, definition_of

NOW = datetime(2026, 11, 20, 8, 30, tzinfo=UTC)


def job(name: str = "report", schedule: Any = "0 * * * *", **fields: Any) -> Definition:
    """A job that calls an HTTP target."""
    target = {"type": "http", "url": "https://example.com/"} | fields.pop("target", {})
    written = {} if schedule is None else {"schedule": schedule}
    return definition_of({"namespace": "shop", "name": name, "target": target} | written | fields)
