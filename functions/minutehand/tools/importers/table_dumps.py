"""Rows of a table from a dump: `INSERT` statements as mysqldump writes them, or CSV with a line of names."""

import csv
import io
import re
from collections.abc import Iterator, Sequence
from typing import Any

from minutehand.tools.importers.exports import ExportFault

_INSERT = re.compile(
    r"\bINSERT\s+(?:IGNORE\s+)?INTO\s+(?:[`\"]?\w+[`\"]?\.)?[`\"]?(\w+)[`\"]?\s*(\([^()]*\))?\s*VALUES?\s*",
    re.IGNORECASE,
)
_CREATE = re.compile(
    r"\bCREATE\s+TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?(?:[`\"]?\w+[`\"]?\.)?[`\"]?(\w+)[`\"]?\s*\(", re.IGNORECASE
)
_COLUMN = re.compile(r"\s*[`\"]?(\w+)[`\"]?\s+\w", re.ASCII)
_KEYS = {"PRIMARY", "UNIQUE", "KEY", "INDEX", "CONSTRAINT", "FOREIGN", "FULLTEXT", "CHECK"}
_QUOTED = re.compile(r"(?:_\w+\s*|[xXbBnN])?'((?:[^'\\]|\\.|'')*)'", re.DOTALL)
_PLAIN = re.compile(r"[^\s,()']+(?:\([^()']*\))?")
_SPACE = re.compile(r"(?:\s|--[^\n]*(?:\n|\Z)|/\*.*?\*/)*", re.DOTALL)
_ESCAPES = {"0": "\0", "b": "\b", "n": "\n", "r": "\r", "t": "\t", "Z": "\x1a"}
_DELIMITERS = (",", "\t", ";", "|")

Row = tuple[int, str, dict[str, Any]]
"""The line of a row, its table, and its values by column."""


class _Unreadable(Exception):
    """A syntax error of a row: its place in the text."""

    def __init__(self, at: int, message: str) -> None:
        super().__init__(message)
        self.at = at
        self.message = message


def read_rows(text: str, tables: dict[str, Sequence[str]]) -> Iterator[Row]:
    """The rows of some tables in a dump. tables: the columns of each, for statements that name none; the dump's own CREATE TABLE
    overrides them. Raises ExportFault.
    """
    if _INSERT.search(text) or _CREATE.search(text):
        yield from _statements(text, tables)
    else:
        yield from _csv(text, tables)


def _statements(text: str, tables: dict[str, Sequence[str]]) -> Iterator[Row]:
    columns = {**tables, **_created(text)}
    at, line = 0, 1
    while found := _INSERT.search(text, at):
        line += text.count("\n", at, found.end())
        at, table = found.end(), found[1].lower()
        given = re.findall(r"\w+", found[2]) if found[2] else columns.get(table, ())
        for start, end, values in _tuples(text, at, line, known=table in tables):
            line += text.count("\n", at, start)
            if table in tables:
                _check_width(line, table, values, given)
                yield line, table, dict(zip((name.lower() for name in given), values, strict=True))
            line += text.count("\n", start, end)
            at = end


def _tuples(text: str, at: int, line: int, *, known: bool) -> Iterator[tuple[int, int, list[Any]]]:
    """The rows of a statement, each with its beginning and its end. Those of other tables are read too, since their texts may hold
    statements; what is unreadable there is skipped."""
    begin = at
    while True:
        try:
            values, end = _tuple(text, at)
        except _Unreadable as error:
            if not known:
                yield at, error.at, []
                return
            raise ExportFault(line + text.count("\n", begin, error.at), error.message, None) from None
        yield at, end, values
        at = _skip(text, end)
        if text[at : at + 1] != ",":
            return
        at = _skip(text, at + 1)


def _check_width(line: int, table: str, values: Sequence[Any], given: Sequence[str]) -> None:
    if len(values) != len(given):
        raise ExportFault(
            line,
            f"this row of {table} has {len(values)} values for {len(given)} columns",
            "dump the table with its CREATE TABLE, or with --complete-insert, which names the columns",
        )


def _created(text: str) -> dict[str, list[str]]:
    found = {}
    for create in _CREATE.finditer(text):
        names = []
        for line in text[create.end() :].split(");", 1)[0].splitlines():
            column = _COLUMN.match(line)
            if column and column[1].upper() not in _KEYS:
                names.append(column[1].lower())
            elif line.lstrip().startswith(")"):
                break
        found[create[1].lower()] = names
    return found


def _tuple(text: str, at: int) -> tuple[list[Any], int]:
    """The values of one row in parentheses, and the place after it."""
    if text[at : at + 1] != "(":
        raise _Unreadable(at, "a row in parentheses is missing after VALUES")
    values: list[Any] = []
    at = _skip(text, at + 1)
    while True:
        if quoted := _QUOTED.match(text, at):
            values.append(_unescaped(quoted[1]))
            at = quoted.end()
        elif plain := _PLAIN.match(text, at):
            values.append(None if plain[0].upper() in {"NULL", "NOW()", "CURRENT_TIMESTAMP"} else plain[0])
            at = plain.end()
        else:
            raise _Unreadable(at, "this value of an INSERT statement cannot be read")
        at = _skip(text, at)
        if text[at : at + 1] == ")":
            return values, at + 1
        if text[at : at + 1] != ",":
            raise _Unreadable(at, "a comma is missing between the values of a row")
        at = _skip(text, at + 1)


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _unescaped(text: str) -> str:
    return re.sub(
        r"\\(.)|''", lambda found: _ESCAPES.get(found[1], found[1]) if found[1] else "'", text, flags=re.DOTALL
    )


def _csv(text: str, tables: dict[str, Sequence[str]]) -> Iterator[Row]:
    """Rows of CSV. The table is the one that knows most of the names in the first line."""
    head = text.split("\n", 1)[0]
    delimiter = max(_DELIMITERS, key=head.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        names = [name.strip().strip("`").lower() for name in next(reader, [])]
        table = max(tables, key=lambda each: len(set(tables[each]) & set(names)))
        if not set(tables[table]) & set(names):
            hint = "begin it with a line of the columns' names, as mysql --batch and most tools write"
            raise ExportFault(1, "this is no dump: it has neither INSERT statements nor names of columns", hint)
        for values in reader:
            if not values:
                continue
            if len(values) != len(names):
                raise ExportFault(reader.line_num, f"this row has {len(values)} values for {len(names)} columns", None)
            cells = (None if value in {"\\N", "NULL"} else value for value in values)
            yield reader.line_num, table, dict(zip(names, cells, strict=True))
    except csv.Error as error:
        raise ExportFault(max(reader.line_num, 1), f"this is not CSV: {error}", None) from None
