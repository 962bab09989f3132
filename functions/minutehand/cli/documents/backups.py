"""Backups: files with what `minutehand export` wrote, one JSON value a line. The first line is a heading, the last counts the others."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from minutehand.cli.documents.files import LARGEST_FILE, STDIN
from minutehand.cli.failures import Failure, failure

SUFFIX = ".jsonl"
FORMAT = "minutehand export 1"
_KINDS = ("namespace", "calendar", "job")
_TITLE, _DETAIL = "invalid backup", "this is not a whole backup; nothing was saved"
_HINT = "write it again with `minutehand export`"


def backup_lines(items: Iterable[Mapping[str, Any]], heading: Mapping[str, Any]) -> Iterator[str]:
    """The lines of a backup, each with its line end."""
    yield _line({"format": FORMAT, **heading})
    count = 0
    for item in items:
        yield _line(item)
        count += 1
    yield _line({"items": count})


def read_backups(files: Sequence[str], stdin: BinaryIO) -> list[dict[str, Any]]:
    """The items of all backups in files, folders (`*.jsonl`) and stdin.

    Raises:
        Failure: for a file that is none, or that lacks its end; with the line.
    """
    items: list[dict[str, Any]] = []
    for place in files:
        for path in _paths(place):
            name = "<stdin>" if path is None else str(path)
            items += _items(name, _bytes(path, stdin, name))
    return items


def _paths(place: str) -> list[Path | None]:
    if place == STDIN:
        return [None]
    path = Path(place)
    if not path.is_dir():
        return [path]
    found: list[Path | None] = [*sorted(path.rglob(f"*{SUFFIX}"))]
    if not found:
        raise _wrong(place, f"the folder has no {SUFFIX} file", "name the file, or give it this suffix")
    return found


def _bytes(path: Path | None, stdin: BinaryIO, name: str) -> bytes:
    try:
        if path is None:
            data = stdin.read(LARGEST_FILE + 1)
        else:
            with path.open("rb") as file:
                data = file.read(LARGEST_FILE + 1)
    except OSError as error:
        raise _wrong(name, f"it cannot be read: {error.strerror}") from error
    if len(data) > LARGEST_FILE:
        raise _wrong(name, f"it has more than {LARGEST_FILE:,} bytes", "export each namespace into a file of its own")
    return data


def _items(name: str, data: bytes) -> list[dict[str, Any]]:
    values = [_value(f"{name}:{number}", line) for number, line in enumerate(data.splitlines(), 1)]
    if not values or values[0].get("format") != FORMAT:
        raise _wrong(f"{name}:1", f"this is not the heading of a backup: {FORMAT}", _HINT)
    if len(values) < 2 or values[-1] != {"items": len(values) - 2}:
        raise _wrong(f"{name}:{len(values)}", "the end of the backup is missing", _HINT)
    for number, item in enumerate(values[1:-1], 2):
        if item.get("kind") not in _KINDS or not isinstance(item.get("document"), dict):
            raise _wrong(f"{name}:{number}", "this is neither a job, a calendar nor a namespace", _HINT)
    return values[1:-1]


def _value(place: str, line: bytes) -> dict[str, Any]:
    try:
        value = json.loads(line)
        json.dumps(value, ensure_ascii=False).encode()  # as it will be sent
    except UnicodeEncodeError as error:
        code = ord(error.object[error.start])
        raise _wrong(place, f"\\u{code:04x} is half of a character, without the other half", _HINT) from None
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise _wrong(place, f"this is not JSON: {error}", _HINT) from None
    except RecursionError:
        raise _wrong(place, "values are nested too deeply", _HINT) from None
    except ValueError:
        raise _wrong(place, "a number has too many digits", _HINT) from None
    if not isinstance(value, dict):
        raise _wrong(place, "this is not a JSON object", _HINT)
    return value


def _line(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=True, separators=(",", ":")) + "\n"


def _wrong(place: str, message: str, hint: str | None = None) -> Failure:
    return failure(_TITLE, _DETAIL, errors=[{"path": place, "message": message, "hint": hint}])
