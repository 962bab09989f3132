"""The order in which jobs are saved: each after those of the same files that it depends on."""

from collections.abc import Mapping, Sequence

from minutehand.cli.documents.files import Document
from minutehand.cli.failures import Exit, Failure


def parents_in(document: Document, jobs: Mapping[str, object]) -> list[str]:
    """Of the jobs that a document depends on, those among these, by full name; what is not formed as it should be, the API tells."""
    entries = document.content.get("depends_on")
    namespace = document.job.partition("/")[0]
    named = [entry.get("job") for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []
    full = [name if "/" in name else f"{namespace}/{name}" for name in named if isinstance(name, str)]
    return [name for name in dict.fromkeys(full) if name in jobs and name != document.job]


def save_order(documents: Sequence[Document]) -> list[list[int]]:
    """The places of the documents in waves, each of which depends on those before it alone.

    Raises:
        Failure: when some depend on each other, with the circle.
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
    """What to say of jobs each of which waits for another one of them."""
    way = [left[0]]
    while len(set(way)) == len(way):
        way.append(next(n for n in parents[way[-1]] if n in left))
    circle = way[way.index(way[-1]) :][::-1]
    first = documents[circle[0]]
    told = " -> ".join(documents[n].job for n in circle)
    return Failure(
        {
            "title": "jobs depend on each other",
            "detail": "jobs depend on each other; nothing was saved",
            "errors": [
                {
                    "file": first.place,
                    "job": first.job,
                    "path": "depends_on",
                    "message": f"these run one after the other, in a circle: {told}",
                    "hint": "leave one of these dependencies out",
                }
            ],
        },
        exit_code=Exit.USAGE,
    )
