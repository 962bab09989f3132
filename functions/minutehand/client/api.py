"""The client: one method for each thing the API does."""

import os
from collections.abc import Collection, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self, cast

from minutehand.client.ahead_shapes import NextRuns
from minutehand.client.backfills import BackfillCalls
from minutehand.client.calendars import CalendarCalls
from minutehand.client.calls import DEFAULT_NAMESPACE, key_header, path_of, segment
from minutehand.client.config import find_settings
from minutehand.client.explained import Explanation, question, utc_text, whole_seconds
from minutehand.client.namespaces import NamespaceCalls
from minutehand.client.paging import PAGE_SIZE, pages
from minutehand.client.shapes import (
    Applied,
    Health,
    Job,
    JobSummary,
    Output,
    Page,
    Run,
)
from minutehand.client.shards import ShardCalls
from minutehand.client.transport import Transport

_OF_A_RUN = ("run_id", "job", "state")


class Client(NamespaceCalls, CalendarCalls, BackfillCalls, ShardCalls):
    """The API at `url`, asked with `token`.

    A job or a calendar is named `namespace/name`, or `name` for one in the namespace `default`. Every method raises a
    `MinutehandError`: Unreachable (no answer), AnswerError (not our API), NotAllowed (401, 403), Invalid (400, 413, 422),
    NotFound (404), Conflict (409), Refused (any other status).

    `timeout`: seconds to wait for each answer. `retries`: how often a lost connection or a busy answer (429, 502, 503, 504) is
    tried again, the waits growing from `backoff` seconds. Usable from several threads, and as a context manager.
    """

    def __init__(
        self,
        url: str,
        token: str | None,
        *,
        timeout: float = 30.0,
        retries: int = 3,
        backoff: float = 0.2,
        origin: str = "",
    ) -> None:
        super().__init__(Transport(url, token, timeout=timeout, retries=retries, backoff=backoff, origin=origin))

    @classmethod
    def configured(
        cls, environment: Mapping[str, str] | None = None, directory: Path | None = None, *, needs_token: bool = True
    ) -> Self:
        """A client for the API that the environment or the local stack's file names (see `find_settings`).

        Raises ConfigurationError when neither does.
        """
        settings = find_settings(
            os.environ if environment is None else environment, directory or Path.cwd(), needs_token=needs_token
        )
        return cls(settings.url, settings.token, origin=settings.origin)

    def close(self) -> None:
        """Close the connections; using a client as a context manager does it."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Client({self.url!r})"

    def health(self) -> Health:
        """That the API answers; needs no token."""
        return cast("Health", self._checked(self._http.send("GET", "/v1/health"), "status"))

    def apply_job(
        self, document: Mapping[str, Any], *, dry_run: bool = False, expected: Collection[str] = ()
    ) -> Applied:
        """Save a job, created or changed, and say which. With `dry_run` it is checked in full and nothing is saved; the jobs that are
        `expected`, full names, may then be named in `depends_on` though they are not there yet.

        `document` is the job as JSON, with `name` and optionally `namespace`; `status` may be in it and is ignored.
        """
        path = _job_path(f"{document.get('namespace') or DEFAULT_NAMESPACE}/{document.get('name') or ''}")
        if dry_run:  # asked first, since it tells everything that is wrong with the document
            query = {"dry_run": "true"} | ({"expected": ",".join(expected)} if expected else {})
            answer: Any = self._job("PUT", path, query=query, body=document)
            before = self._found(self._job, path)
        else:
            before = self._found(self._job, path)
            answer = self._job("PUT", path, body=document)
        beside = {key: answer.pop(key) for key in ("warnings", "preview") if key in answer}
        job = cast("Job", answer)
        if dry_run:
            same = before is not None and _definition(before) == _definition(job)
        else:
            same = before is not None and before["status"]["revision"] == job["status"]["revision"]
        result = "created" if before is None else "unchanged" if same else "updated"
        return cast("Applied", {"result": result, "job": job, "warnings": [], **beside})

    def get_job(self, job: str) -> Job:
        """The whole job."""
        return self._job("GET", _job_path(job))

    def next_runs(self, job: str, *, count: int = 10, after: datetime | None = None) -> NextRuns:
        """What the job runs next: its first `count` runs, 1 to 100, later than `after` (aware) and than now.

        Raises ValueError for a naive `after`.
        """
        query = {"count": str(count)}
        if after is not None:
            query["after"] = utc_text(after)
        answer = self._http.send("GET", f"{_job_path(job)}/next", query=query)
        return cast("NextRuns", self._checked(answer, "items", "blocked", "skipped", "idle_because"))

    def explain(
        self, job: str, *, at: datetime | None = None, start: datetime | None = None, end: datetime | None = None
    ) -> Explanation:
        """What happened to the job at an instant, or why nothing did; or at all instants from `start` up to `end` (else up to now), in
        order. Without any of them, in the last day. All are aware (ValueError else); `next` of the answer is the `start` of what did
        not fit in."""
        query = question(at=at, start=start, end=end)
        answer = self._http.send("GET", f"{_job_path(job)}/explain", query=query)
        return cast("Explanation", self._checked(answer, "items", "beside", "next"))

    def list_jobs(self, namespace: str = DEFAULT_NAMESPACE) -> Iterator[JobSummary]:
        """Every job of the namespace, in the order of their names; further pages are fetched as they are reached."""
        for page in pages(lambda limit, cursor: self.jobs_page(namespace, limit=limit, cursor=cursor)):
            yield from page["items"]

    def jobs_page(
        self, namespace: str = DEFAULT_NAMESPACE, *, limit: int = PAGE_SIZE, cursor: str | None = None
    ) -> Page[JobSummary]:
        """One page of the namespace's jobs."""
        path = f"/v1/namespaces/{segment(namespace)}/jobs"
        return cast("Page[JobSummary]", self._page(path, limit, cursor, "namespace", "name"))

    def delete_job(self, job: str) -> None:
        """Delete the job; what it ran stays readable until its retention ends."""
        self._delete(_job_path(job))

    def pause(self, job: str, *, until: datetime | None = None) -> Job:
        """Stop the job's schedule, until it is resumed or until an aware instant, which is rounded up to a second. Pausing a paused job changes nothing.

        Raises ValueError for a naive `until`.
        """
        body = None if until is None else {"until": whole_seconds(until)}
        return self._job("POST", f"{_job_path(job)}/pause", body=body)

    def resume(self, job: str, *, catch_up: Literal["skip", "latest", "all"] = "skip") -> Job:
        """Start the job's schedule again. What was named while it was paused is left, or a backfill replays the latest or all of it."""
        return self._job(
            "POST", f"{_job_path(job)}/resume", body=None if catch_up == "skip" else {"catch_up": catch_up}
        )

    def trigger(
        self, job: str, *, idempotency_key: str | None = None, payload: Any = ..., ignore_overlap: bool = False
    ) -> Run:
        """Run the job now. The same key again answers the same run; without one, each call of this method is a new run.

        `payload`: any JSON value, None too, handed to the target in place of the job's own. `ignore_overlap`: start beside other
        runs of the job, whatever its overlap policy. Conflict when the key was used with another payload or other options.
        """
        body: dict[str, Any] = {} if payload is ... else {"payload": payload}
        if ignore_overlap:
            body["ignore_overlap"] = True
        headers = key_header(idempotency_key)
        return self._run("POST", f"{_job_path(job)}/trigger", headers=headers, body=body or None)

    def runs(self, job: str, *, state: str | None = None) -> Iterator[Run]:
        """Every run of the job, newest first, those claimed ahead of their instant too (see `is_due`); further pages are fetched as they are
        reached. `state`: only those in one state, or `active` for all that have not ended."""
        for page in self.run_pages(job, state=state):
            yield from page["items"]

    def run_pages(self, job: str, *, state: str | None = None) -> Iterator[Page[Run]]:
        """The job's runs page by page, newest first."""
        return pages(lambda limit, cursor: self.runs_page(job, limit=limit, cursor=cursor, state=state))

    def runs_page(
        self, job: str, *, limit: int = PAGE_SIZE, cursor: str | None = None, state: str | None = None
    ) -> Page[Run]:
        """One page of the job's runs, newest first. With `state`, one that is not the last may be short, or empty."""
        more = {} if state is None else {"state": state}
        return cast("Page[Run]", self._page(f"{_job_path(job)}/runs", limit, cursor, *_OF_A_RUN, **more))

    def run(self, job: str, run_id: str) -> Run:
        """The whole record of one run."""
        return self._run("GET", f"{_job_path(job)}/runs/{segment(run_id)}")

    def cancel(self, job: str, run_id: str) -> Run:
        """End a run: one that waits for something, at once; any other when its worker or target next looks, and then its `cancelled_by` says
        so already. Conflict for one that has ended otherwise."""
        return self._run("POST", f"{_job_path(job)}/runs/{segment(run_id)}/cancel")

    def redrive(self, job: str, run_id: str | None = None, *, lost: bool = False) -> list[Run]:
        """Have workers look at once at the job's runs that should have begun or ended by now, or at one run; with `lost`, make a run in
        the place of each one that was lost, once. The runs that were sent again, or are under way in such a place. Conflict for one run that it does not fit."""
        body = ({} if run_id is None else {"run_id": run_id}) | ({"lost": True} if lost else {})
        path = f"{_job_path(job)}/redrive"

        def page(limit: int, cursor: str | None) -> Page[Run]:
            return cast("Page[Run]", self._page(path, limit, cursor, *_OF_A_RUN, method="POST", body=body))

        return [run for found in pages(page) for run in found["items"]]

    def output(self, job: str, run_id: str, *, attempt: int | None = None) -> Output:
        """What an attempt of a run answered, the newest unless another is named, with its whole text.

        Raises NotFound when there was no such attempt, or it left nothing.
        """
        path = f"{_job_path(job)}/runs/{segment(run_id)}/output"
        query = {} if attempt is None else {"attempt": str(attempt)}
        output = self._checked(self._http.send("GET", path, query=query), "attempt", "bytes", "text", "url")
        if output["text"] is None:
            output["text"] = self._http.fetch(str(output["url"]))
        return cast("Output", output)

    def _job(self, method: str, path: str, *, query: Mapping[str, str] | None = None, body: object = None) -> Job:
        job = self._checked(self._http.send(method, path, query=query, body=body), "namespace", "name", "status")
        self._checked(job["status"], "revision")
        return cast("Job", job)

    def _run(self, method: str, path: str, *, headers: Mapping[str, str] | None = None, body: object = None) -> Run:
        run = self._checked(self._http.send(method, path, headers=headers, body=body), "run_id", "job", "state")
        return cast("Run", run)


def _definition(job: Job) -> dict[str, Any]:
    return {key: value for key, value in job.items() if key != "status"}


def _job_path(job: str) -> str:
    return path_of("jobs", job)
