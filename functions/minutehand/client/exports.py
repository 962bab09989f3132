"""Operations of the client that export what people declared, and import it into another stack."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from minutehand.client.bulk import BulkCalls, calls_for, full_name, parents_of, waves
from minutehand.client.calls import PAGE_SIZE, pages
from minutehand.client.models import Exported, ImportResult
from minutehand.client.results import Page


class ExportCalls(BulkCalls):
    """The part of `Client` with exports and imports."""

    def export(self, namespace: str | None = None) -> Iterator[Exported]:
        """Everything declared in a namespace, or in all that the token may see: of each namespace its settings, its calendars, then its
        jobs. Pages are fetched lazily."""
        for page in pages(lambda limit, cursor: self.export_page(namespace, limit=limit, cursor=cursor)):
            yield from page["items"]

    def export_page(
        self, namespace: str | None = None, *, limit: int = PAGE_SIZE, cursor: str | None = None
    ) -> Page[Exported]:
        """One page of an export; it may be short or empty."""
        more = {} if namespace is None else {"namespace": namespace}
        return self._page("/v1/export", limit, cursor, "kind", "document", **more)

    def import_all(self, items: Sequence[Exported | Mapping[str, Any]]) -> list[ImportResult]:
        """Save exported things, each by itself: settings and calendars first, then jobs, parents before their children. Returns what became
        of each, in the order of `items`: what is refused keeps nothing else from being saved, and raises nothing."""
        found: dict[int, ImportResult] = {}
        for places in (places for phase in import_phases(items) for places in phase):
            results = self.import_some([items[place] for place in places])
            found |= zip(places, results, strict=True)
        return [found[place] for place in range(len(items))]

    def import_some(self, items: Sequence[Exported | Mapping[str, Any]]) -> list[ImportResult]:
        """Save exported things that fit into one request; `import_phases` chooses such parts."""
        results = self._results(
            [dict(item) for item in items],
            lambda some: self._http.send("POST", "/v1/import", body={"items": some}),
        )
        return cast("list[ImportResult]", results)


def import_phases(items: Sequence[Exported | Mapping[str, Any]]) -> Iterator[list[list[int]]]:
    """Places of the items of each call of an import. Calls of one phase may be made in any order; each phase needs those before."""
    jobs = [place for place, item in enumerate(items) if item["kind"] == "job"]
    documents = [items[place]["document"] for place in jobs]
    sorted_places, circular = waves([*map(full_name, documents)], [*map(parents_of, documents)])
    settings = [
        [place for place, item in enumerate(items) if item["kind"] == kind] for kind in ("namespace", "calendar")
    ]
    for phase in (*settings, *([jobs[place] for place in wave] for wave in (*sorted_places, circular))):
        yield [[phase[n] for n in part] for part in calls_for([items[place]["document"] for place in phase])]
