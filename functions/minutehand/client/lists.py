"""Lists of namespaces, jobs and runs, page by page or as iterators; and statistics of runs."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, Literal, TypedDict, Unpack, cast

from minutehand.client.calls import DEFAULT_NAMESPACE, JOBS_AT_ONCE, PAGE_SIZE, Calls, pages, path_of, segment, utc_text
from minutehand.client.models import JobSummary, Namespace, Run, Stats
from minutehand.client.results import Page, RunPage

OF_A_RUN = ("run_id", "job", "state")


class JobFilters(TypedDict, total=False):
    """Which jobs to list: those with all of these `labels`, that are `paused` or not, with a type of `target`, and whose names contain
    `q`. With `last`, each has its `last_run`, which costs a read unit for some two jobs."""

    labels: Mapping[str, str]
    paused: bool
    target: str
    q: str
    last: bool


class RunFilters(TypedDict, total=False):
    """Which runs to list: of one `namespace`, in a `state` (or `active`, `attention`), of jobs that have these `labels` now, with a type of
    `target`, from `start` up to `end` (aware; by default the last 24 hours)."""

    namespace: str | None
    state: str | None
    labels: Mapping[str, str]
    target: str | None
    start: datetime | None
    end: datetime | None


class ListCalls(Calls):
    """Operations of the client that list, or count."""

    def namespaces(self) -> Iterator[Namespace]:
        """The namespaces that the token may see and that have, or had, a job, a quota or settings, by name; pages are fetched lazily."""
        for page in pages(lambda limit, cursor: self.namespaces_page(limit=limit, cursor=cursor)):
            yield from page["items"]

    def namespaces_page(self, *, limit: int = PAGE_SIZE, cursor: str | None = None) -> Page[Namespace]:
        """One page of the namespaces."""
        return self._page("/v1/namespaces", limit, cursor, "namespace", "status")

    def list_jobs(self, namespace: str = DEFAULT_NAMESPACE, **filters: Unpack[JobFilters]) -> Iterator[JobSummary]:
        """The jobs of the namespace that pass the filters, by name; pages are fetched lazily."""
        for page in pages(
            lambda limit, cursor: self.jobs_page(namespace, limit=limit, cursor=cursor, **filters), JOBS_AT_ONCE
        ):
            yield from page["items"]

    def jobs_page(
        self,
        namespace: str = DEFAULT_NAMESPACE,
        *,
        limit: int = PAGE_SIZE,
        cursor: str | None = None,
        **filters: Unpack[JobFilters],
    ) -> Page[JobSummary]:
        """One page of the namespace's jobs, at most 1,000. With filters, any page may be short or empty."""
        path = f"/v1/namespaces/{segment(namespace)}/jobs"
        return self._page(path, limit, cursor, "namespace", "name", **_job_query(filters))

    def list_all_jobs(self, **filters: Unpack[JobFilters]) -> Iterator[JobSummary]:
        """The jobs of all namespaces that the token may see, by namespace and name."""
        for page in pages(
            lambda limit, cursor: self.all_jobs_page(limit=limit, cursor=cursor, **filters), JOBS_AT_ONCE
        ):
            yield from page["items"]

    def all_jobs_page(
        self, *, limit: int = PAGE_SIZE, cursor: str | None = None, **filters: Unpack[JobFilters]
    ) -> Page[JobSummary]:
        """One page of the jobs of all namespaces, at most 1,000; it may be short or empty."""
        return self._page("/v1/jobs", limit, cursor, "namespace", "name", **_job_query(filters))

    def runs(
        self, job: str, *, state: str | None = None, start: datetime | None = None, end: datetime | None = None
    ) -> Iterator[Run]:
        """All runs of the job, newest first, including those claimed ahead (see `is_due`); pages are fetched lazily.
        `state`: one state, `active` for all that have not ended, or `attention` for those that failed, timed out or were lost.
        `start`, `end` (aware): only those scheduled in this interval."""
        for page in self.run_pages(job, state=state, start=start, end=end):
            yield from page["items"]

    def run_pages(
        self, job: str, *, state: str | None = None, start: datetime | None = None, end: datetime | None = None
    ) -> Iterator[Page[Run]]:
        """The job's runs page by page, newest first."""
        return pages(
            lambda limit, cursor: self.runs_page(job, limit=limit, cursor=cursor, state=state, start=start, end=end)
        )

    def runs_page(
        self,
        job: str,
        *,
        limit: int = PAGE_SIZE,
        cursor: str | None = None,
        state: str | None = None,
        start: datetime | None = None,
        end: datetime | None = None,
    ) -> Page[Run]:
        """One page of the job's runs, newest first. With `state`, any page may be short or empty."""
        more = _interval(start, end) | ({} if state is None else {"state": state})
        return self._page(f"{path_of('jobs', job)}/runs", limit, cursor, *OF_A_RUN, **more)

    def all_runs(self, **filters: Unpack[RunFilters]) -> Iterator[Run]:
        """The runs of all jobs that pass the filters, newest first; pages are fetched lazily. Those in a state of `attention` are listed
        by their end, all others by their scheduled instants."""
        for page in pages(lambda limit, cursor: self.all_runs_page(limit=limit, cursor=cursor, **filters)):
            yield from page["items"]

    def all_runs_page(
        self, *, limit: int = PAGE_SIZE, cursor: str | None = None, **filters: Unpack[RunFilters]
    ) -> RunPage:
        """One page of the runs of all jobs, newest first; it may be short or empty."""
        given = {name: filters.get(name) for name in ("namespace", "state", "target")}
        more: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
        more |= _interval(filters.get("start"), filters.get("end")) | _labels(filters.get("labels"))
        page = self._page("/v1/runs", limit, cursor, *OF_A_RUN, **more)
        return cast("RunPage", self._checked(page, "looked_until"))

    def job_stats(
        self,
        job: str,
        *,
        start: datetime | None = None,
        end: datetime | None = None,
        per: Literal["hour", "day"] | None = None,
    ) -> Stats:
        """Statistics of the job's runs from `start` up to `end` (aware; by default the last 24 hours), in all and by hour or day."""
        return self._stats(path_of("jobs", job), start, end, per)

    def namespace_stats(
        self,
        namespace: str = DEFAULT_NAMESPACE,
        *,
        start: datetime | None = None,
        end: datetime | None = None,
        per: Literal["hour", "day"] | None = None,
    ) -> Stats:
        """The same statistics of all runs of the namespace."""
        return self._stats(f"/v1/namespaces/{segment(namespace)}", start, end, per)

    def _stats(self, path: str, start: datetime | None, end: datetime | None, per: str | None) -> Stats:
        query = _interval(start, end) | ({} if per is None else {"per": per})
        answer = self._http.send("GET", f"{path}/stats", query=query)
        return cast("Stats", self._checked(answer, "complete", "outcomes", "buckets"))


def _job_query(filters: JobFilters) -> dict[str, Any]:
    given = {name: filters.get(name) for name in ("paused", "target", "q", "last")}
    plain = {name: str(value).lower() for name, value in given.items() if value is not None}
    return plain | _labels(filters.get("labels"))


def _labels(labels: Mapping[str, str] | None) -> dict[str, list[str]]:
    return {"label": [f"{name}={value}" for name, value in labels.items()]} if labels else {}


def _interval(start: datetime | None, end: datetime | None) -> dict[str, str]:
    given = {"from": start, "to": end}
    return {name: utc_text(instant) for name, instant in given.items() if instant is not None}
