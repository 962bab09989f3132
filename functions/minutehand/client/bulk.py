"""Bulk saves of jobs: as few calls as their size allows, parents before the jobs that depend on them."""

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, cast

from minutehand.client.calls import DEFAULT_NAMESPACE, Calls
from minutehand.client.errors import TOO_LARGE, AnswerError, Invalid
from minutehand.client.results import Problem, SavedJob

JOBS_A_CALL = 50
"""Jobs of one call: few enough for an answer within seconds, so that several calls at once share the work."""
BYTES_A_CALL = 240_000
"""Most bytes of the jobs of one call; the API takes 256 KiB in all."""
MOST_REPEATED = 4
"""How often the entries of a call are sent again because a store was busy with the changes of others."""
_UNAVAILABLE = 503
_CONFLICT = "urn:problem-type:minutehand:conflict"


class BulkCalls(Calls):
    """The part of `Client` that saves many jobs at once."""

    def apply_jobs(
        self,
        documents: Sequence[Mapping[str, Any]],
        *,
        dry_run: bool = False,
        preview: bool = False,
        expected: Collection[str] = (),
        if_revisions: Mapping[str, int] | None = None,
    ) -> list[SavedJob]:
        """Create or update any number of jobs, each by itself. Returns what became of each, in the order of `documents`: a job that is
        refused keeps no other from being saved, and raises nothing.

        With `dry_run` nothing is saved; with `preview`, its answers have the next runs. `documents` and `expected` are as those of
        `apply_job`. `if_revisions`: for jobs by full name, the revision that must be stored; 0 only creates.
        """
        names = [full_name(document) for document in documents]
        sorted_places, circular = waves(names, [parents_of(document) for document in documents])
        order = [*(place for wave in sorted_places for place in wave), *circular]
        found: dict[int, SavedJob] = {}
        for part in calls_for([documents[place] for place in order]):
            places = [order[n] for n in part]
            known = {*names, *expected} - {names[place] for place in places}
            wanted = {parent for place in places for parent in parents_of(documents[place])} & known
            jobs = [_entry(documents[place], (if_revisions or {}).get(names[place])) for place in places]
            found |= zip(places, self._saved(jobs, dry_run=dry_run, preview=preview, expected=wanted), strict=True)
        return [found[place] for place in range(len(documents))]

    def _saved(
        self, jobs: Sequence[Mapping[str, Any]], *, dry_run: bool, preview: bool, expected: Collection[str]
    ) -> list[SavedJob]:
        """The results of one call; jobs that the API had no time for are sent again."""
        query = {"dry_run": "true"} if dry_run else {}
        query |= {"preview": "true"} if dry_run and preview else {}
        body: dict[str, Any] = {"expected": sorted(expected)} if dry_run and expected else {}

        def send(some: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
            return self._http.send("POST", "/v1/jobs", query=query, body=body | {"jobs": some})

        try:
            return cast("list[SavedJob]", self._results(jobs, send))
        except Invalid as error:
            if error.status != TOO_LARGE or len(jobs) > 1:
                raise
            return [_too_large(jobs[0]["job"], error)]

    def _results(
        self, items: Sequence[Mapping[str, Any]], send: Callable[[Sequence[Mapping[str, Any]]], dict[str, Any]]
    ) -> list[dict[str, Any]]:
        """The result of each item of a bulk call. Those that the API had no time for are sent again, and a few times also those that it
        refused, if others kept it from saving one of them: a job may have been refused for a parent that was not saved."""
        found: dict[int, dict[str, Any]] = {}
        again = 0
        while len(found) < len(items):
            left = [place for place in range(len(items)) if place not in found]
            answer = self._checked(send([items[place] for place in left]), "items")
            results = answer["items"] if isinstance(answer["items"], list) else []
            for each in results:
                self._checked(each, "namespace", "name", "result", "revision", "warnings")
            done = {place: each for place, each in zip(left, results, strict=False) if each["result"] != "left"}
            if len(results) != len(left) or not done:
                raise AnswerError(
                    f"the API at {self.url} did not say what became of {len(left)} entries of a request",
                    hint="send them again: what is saved already stays as it is",
                )
            if again < MOST_REPEATED and any(map(_kept_by_others, done.values())):
                self._http.wait(again)
                again += 1
                done = {place: each for place, each in done.items() if "problem" not in each}
            found |= done
        return [found[place] for place in range(len(items))]


def full_name(document: Mapping[str, Any]) -> str:
    """The full name of the job in a document."""
    return f"{document.get('namespace') or DEFAULT_NAMESPACE}/{document.get('name') or ''}"


def parents_of(document: Mapping[str, Any]) -> list[str]:
    """Full names of the parents that a document names. Malformed entries are left out, since the API reports them."""
    entries = document.get("depends_on")
    namespace = full_name(document).partition("/")[0]
    named = [entry.get("job") for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []
    return list(
        dict.fromkeys(name if "/" in name else f"{namespace}/{name}" for name in named if isinstance(name, str))
    )


def waves(names: Sequence[str], parents: Sequence[Collection[str]]) -> tuple[list[list[int]], list[int]]:
    """Places of jobs in waves, each of which depends only on earlier ones; and those of a circle of dependencies, or behind one."""
    place = {name: n for n, name in enumerate(names)}
    above = [{place[each] for each in named if each in place} - {n} for n, named in enumerate(parents)]
    left = list(range(len(names)))
    found: list[list[int]] = []
    while left:
        waiting = set(left)
        wave = [n for n in left if waiting.isdisjoint(above[n])]
        if not wave:
            break
        found.append(wave)
        waiting = set(wave)
        left = [n for n in left if n not in waiting]
    return found, left


def calls_for(documents: Sequence[Mapping[str, Any]]) -> Iterator[list[int]]:
    """Places of the documents of each call: at most `JOBS_A_CALL`, and at most `BYTES_A_CALL` unless one alone is larger."""
    places: list[int] = []
    size = 0
    for place, document in enumerate(documents):
        bytes_ = len(json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode(errors="backslashreplace"))
        if places and (len(places) == JOBS_A_CALL or size + bytes_ > BYTES_A_CALL):
            yield places
            places, size = [], 0
        places.append(place)
        size += bytes_ + 40  # what goes around each of them
    if places:
        yield places


def _kept_by_others(result: Mapping[str, Any]) -> bool:
    """Whether an entry was refused because a store was busy, or because others changed the same at once."""
    problem = result.get("problem") or {}
    return problem.get("status") == _UNAVAILABLE or problem.get("type") == _CONFLICT


def _entry(document: Mapping[str, Any], revision: int | None) -> dict[str, Any]:
    return {"job": document} | ({} if revision is None else {"if_revision": revision})


def _too_large(document: Mapping[str, Any], error: Invalid) -> SavedJob:
    namespace, _, name = full_name(document).partition("/")
    return SavedJob(
        namespace=namespace,
        name=name,
        result="refused",
        revision=None,
        warnings=[],
        problem=cast("Problem", dict(error.problem())),
    )
