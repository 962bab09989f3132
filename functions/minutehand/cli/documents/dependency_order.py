"""The order in which jobs from files are saved: parents before their children."""

from collections.abc import Mapping, Sequence

from minutehand.cli.documents.files import Document
from minutehand.cli.failures import Failure, failure
from minutehand.client.bulk import parents_of, waves


def parents_in(document: Document, jobs: Mapping[str, object]) -> list[str]:
    """Full names of the document's parents that are among `jobs`."""
    named = parents_of({**document.content, "namespace": document.job.partition("/")[0]})
    return [name for name in named if name in jobs and name != document.job]


def save_order(documents: Sequence[Document]) -> list[list[int]]:
    """Indexes of the documents in waves; each wave depends only on earlier ones. Raises Failure for a dependency cycle."""
    place = {document.job: n for n, document in enumerate(documents)}
    parents = [parents_in(document, place) for document in documents]
    found, left = waves([document.job for document in documents], parents)
    if left:
        raise _circle(documents, [[place[name] for name in each] for each in parents], left)
    return found


def _circle(documents: Sequence[Document], parents: Sequence[Sequence[int]], left: Sequence[int]) -> Failure:
    way = [left[0]]
    while len(set(way)) == len(way):
        way.append(next(n for n in parents[way[-1]] if n in left))
    circle = way[way.index(way[-1]) :][::-1]
    first = documents[circle[0]]
    error = {
        "file": first.at("depends_on"),
        "job": first.job,
        "path": "depends_on",
        "message": f"dependency cycle: {' -> '.join(documents[n].job for n in circle)}",
        "hint": "remove one of these dependencies",
    }
    return failure("dependency cycle", "the jobs have a dependency cycle; nothing was saved", errors=[error])
