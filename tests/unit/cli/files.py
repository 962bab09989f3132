"""Files that commands read."""

from __future__ import annotations

from pathlib import Path

TARGET = "target: {type: http, method: POST, url: https://example.com/hook}"


def job(name: str, schedule: str = '"@hourly"', more: str = "") -> str:
    """A job in YAML; `more` is appended to it."""
    return f"name: {name}\nschedule: {schedule}\n{TARGET}\n" + (f"{more}\n" if more else "")


def write(path: str, text: str) -> str:
    """Write a file, in a folder that need not be there yet; its path."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text, encoding="utf-8")
    return path
