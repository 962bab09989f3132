"""The order in which jobs are saved: parents before children."""

from collections.abc import Mapping, Sequence

from minutehand.cli.documents.files import Document
from minutehand.cli.failures import Exit, Failure


def parents_in(document: Document, jobs: Mapping[str, object]) -> list[str]:
    """Full names of the document's parents that are among `jobs`. Malformed entries are left to the API."""
    entries = document.content.get("depends_on")
    namespace = document.job.partition("/")[0]
    named = [entry.get("job") for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []
    full = [name if "/" in name else f"{namespace}/{name}" for name in named if isinstance(name, str)]
    return [name for name in dict.fromkeys(full) if name in jobs and name != document.job]


def save_order(documents: Sequence[Document]) -> list[list[int]]:
    """Indexes of the documents in waves; each wave depends only on earlier ones.

    Raises:
        Failure: for a dependency cycle.
    """
    place = {document.job: n for n, document in enumerate(documents)}
    parents = [[place[name] for name in parents_in(document, place)] for document in documents]
    left = list(range(len(documents)))
    waves: list[list[int]] = []
    while left:
        waiting = set(left)
        wave = [n for n in left if waiting.isdisjoint(parents[n])]
        if not wave:
            raise _circle(documents, parents, left)
        waves.append(wave)
        left = [n for n in left if n not in set(wave)]
    return waves


def _circle(documents: Sequence[Document], parents: Sequence[Sequence[int]], left: Sequence[int]) -> Failure:
    """The failure that shows a dependency cycle."""
    way = [left[0]]
    while len(set(way)) == len(way):
        way.append(next(n for n in parents[way[-1]] if n in left))
    circle = way[way.index(way[-1]) :][::-1]
    first = documents[circle[0]]
    cycle = " -> ".join(documents[n].job for n in circle)
    return Failure(
        {
            "title": "dependency cycle",
            "detail": "the jobs have a dependency cycle; nothing was saved",
            "errors": [
                {
                    "file": first.place,
                    "job": first.job,
                    "path": "depends_on",
                    "message": f"dependency cycle: {cycle}",
                    "hint": "remove one of these dependencies",
                }
            ],
        },
        exit_code=Exit.USAGE,
    )
