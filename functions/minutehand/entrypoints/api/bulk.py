"""Bulk changes: each entry of a request is carried out by itself, in a bounded time, and has a result of its own."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from datetime import timedelta
from functools import partial
from typing import Any, NamedTuple

from minutehand.domain.declaration.checks import NAME
from minutehand.domain.declaration.conversion import shown
from minutehand.domain.errors import FieldProblem, Invalid, Unavailable
from minutehand.domain.job_key import JobKey
from minutehand.domain.save_order import save_order
from minutehand.domain.token import Role
from minutehand.entrypoints.api.call import MOST_BYTES, Call
from minutehand.entrypoints.api.documents.bulk import BulkResultDocument
from minutehand.entrypoints.api.forms.request import json_kind
from minutehand.entrypoints.api.problems import FieldErrorDocument, bad_request, problem_document
from minutehand.usecases.authorize import require
from minutehand.usecases.ports.bundle import Ports

LASTS = timedelta(seconds=18)
"""Time after which the rest of a request is left: API Gateway waits 29 s for an answer, and a single save may take seconds."""
AHEAD = 50
"""Jobs that are read with one call: their timers are two items each, and a call reads a hundred."""
DEFAULT_NAMESPACE = "default"
_TWICE = "leave one of the two out"


class Entry(NamedTuple):
    """One entry of a bulk request: the document of a job, a calendar or a namespace, as it was sent."""

    document: Any
    place: int

    @property
    def key(self) -> JobKey:
        """The names in the document; what is not text is empty."""
        given = self.document if isinstance(self.document, Mapping) else {}
        namespace, name = given.get("namespace") or DEFAULT_NAMESPACE, given.get("name", "")
        return JobKey(namespace if isinstance(namespace, str) else "", name if isinstance(name, str) else "")

    @property
    def identity(self) -> Hashable:
        """Its key, if that is one; otherwise its place, which no other entry has."""
        return self.key if all(map(NAME.fullmatch, self.key)) else self.place

    def check(self) -> None:
        """Refuse a document that is not an object. Raises BadRequest."""
        if not isinstance(self.document, dict):
            raise bad_request("", f"the document is {json_kind(self.document)}", "send a JSON object: {…}")

    def parents(self) -> Iterator[JobKey]:
        """The parents that a job's document names."""
        entries = self.document.get("depends_on") if isinstance(self.document, Mapping) else None
        for entry in entries if isinstance(entries, list) else ():
            named = entry.get("job") if isinstance(entry, Mapping) else None
            if isinstance(named, str):
                yield JobKey(*named.split("/", 1)) if "/" in named else JobKey(self.key.namespace, named)


class Change(NamedTuple):
    """What became of an entry; `beside` are further fields of its result."""

    result: str
    revision: int | None
    warnings: Sequence[FieldErrorDocument] = ()
    beside: Mapping[str, Any] = {}


def of_change(*, created: bool, changed: bool) -> str:
    """The name of what a save did."""
    return "created" if created else "updated" if changed else "unchanged"


def jobs_in_order(
    call: Call,
    entries: Sequence[Entry],
    carry_out: Callable[[Call, Entry], Change],
    budget: Budget,
    *,
    ahead: Callable[[Ports, Sequence[JobKey]], Ports],
) -> dict[int, dict[str, Any]]:
    """Carry out entries of jobs, parents first. Those of a circle, and a second one of a name, are refused. Returns each result by its
    place in the request.

    Args:
        ahead: makes ports that have read what the next jobs need (see `read_ahead`).
    """
    order = save_order(
        [each.identity for each in entries], {each.identity: tuple(each.parents()) for each in reversed(entries)}
    )
    found: dict[int, dict[str, Any]] = {}
    for n in order.circular:
        circle = FieldProblem("depends_on", "the job comes after itself, or after jobs that do", "break the circle")
        found[entries[n].place] = refused(call, entries[n], Invalid(circle))
    for n in set(range(len(entries))) - {*order.sorted, *order.circular}:
        twice = FieldProblem("name", f"the request has the job {entries[n].key} twice", _TWICE)
        found[entries[n].place] = refused(call, entries[n], Invalid(twice))
    for first in range(0, len(order.sorted), AHEAD):
        some = [entries[n] for n in order.sorted[first : first + AHEAD]]
        reading = call if budget.spent(call) else _ahead(call, some, ahead)
        for entry in some:
            found[entry.place] = budget.spend(call, entry, partial(carry_out, reading))
    return found


def _ahead(call: Call, entries: Sequence[Entry], ahead: Callable[[Ports, Sequence[JobKey]], Ports]) -> Call:
    keys = [
        each.key for each in entries if each.key == each.identity and call.caller.may(Role.ADMIN, each.key.namespace)
    ]
    try:
        return call.over(ahead(call.ports, keys)) if keys else call
    except Unavailable:  # one of the jobs cannot be read; each reads its own
        return call


class Budget:
    """The time and the size of an answer that the entries of one request share. The first entry is always carried out."""

    def __init__(self, call: Call) -> None:
        self._until = call.ports.clock() + LASTS
        self._size = 0
        self.left = 0

    def spent(self, call: Call) -> bool:
        """Whether the rest is left."""
        return bool(self._size) and (call.ports.clock() >= self._until or self._size > MOST_BYTES)

    def spend(self, call: Call, entry: Entry, carry_out: Callable[[Entry], Change]) -> dict[str, Any]:
        """The result of an entry, which is carried out if the budget allows it."""
        if self.spent(call):
            self.left += 1
            return _result(entry, "left")
        try:
            entry.check()
            require(call.caller, Role.ADMIN, entry.key.namespace)
            change = carry_out(entry)
            found = _result(entry, change.result, change.revision, change.warnings) | dict(change.beside)
        except Exception as error:  # noqa: BLE001 - whatever is wrong with one entry, the others have their results
            found = refused(call, entry, error)
        self._size += len(json.dumps(found))
        return found


def refused(call: Call, entry: Entry, error: Exception) -> dict[str, Any]:
    """The result of an entry that an error refused."""
    _, problem = problem_document(error, request_id=call.request_id, document=entry.document)
    return _result(entry, "refused") | {"problem": shown(problem)}


def _result(
    entry: Entry, result: str, revision: int | None = None, warnings: Sequence[FieldErrorDocument] = ()
) -> dict[str, Any]:
    key = entry.key
    return shown(
        BulkResultDocument(
            namespace=key.namespace, name=key.name, result=result, revision=revision, warnings=tuple(warnings)
        )
    )
