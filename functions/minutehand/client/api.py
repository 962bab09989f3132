"""The client: one method for each operation of the API."""

import os
from collections.abc import Collection, Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, Self, Unpack, cast

from minutehand.client.backfills import BackfillCalls
from minutehand.client.calendars import CalendarCalls
from minutehand.client.calls import (
    DEFAULT_NAMESPACE,
    TriggerOptions,
    key_header,
    pages,
    path_of,
    segment,
    until_body,
    utc_text,
    version_header,
)
from minutehand.client.endpoints import EndpointCalls
from minutehand.client.exports import ExportCalls
from minutehand.client.lists import OF_A_RUN, ListCalls
from minutehand.client.models import (
    Explanation,
    Job,
    Log,
    NextRuns,
    Output,
    Purged,
    Run,
)
from minutehand.client.namespaces import NamespaceCalls, namespace_path
from minutehand.client.nodes import NodeCalls
from minutehand.client.results import Applied
from minutehand.client.revisions import RevisionCalls
from minutehand.client.schedules import ScheduleCalls
from minutehand.client.service import ServiceCalls
from minutehand.client.tokens import TokenCalls

if TYPE_CHECKING:
    from pathlib import Path

    from minutehand.client.config import Auth


class Client(
    ListCalls,
    ExportCalls,
    NamespaceCalls,
    ScheduleCalls,
    CalendarCalls,
    BackfillCalls,
    EndpointCalls,
    NodeCalls,
    RevisionCalls,
    ServiceCalls,
    TokenCalls,
):
    """A client of the API at `url`. Thread-safe; a context manager.

    A job or a calendar is named `namespace/name`, or `name` in the namespace `default`. A namespace needs no creation: every
    valid name is one.

    Every method may raise a `MinutehandError`: Unreachable (no answer), AnswerError (not Minutehand's API), NotAllowed (401, 403),
    Invalid (400, 413, 422), NotFound (404), Conflict (409), ChangedMeanwhile (412), Refused (any other status).

    `if_revision` of a change: make it only if this is the stored revision; 0 only creates.

    `timeout`: seconds to wait for each answer. `retries`: how often a request is repeated after a lost connection or a busy answer
    (429, 502, 503, 504). `backoff`: seconds before the first repetition; the waits grow exponentially. `auth`: "iam" signs requests with
    the credentials of AWS that this process has, and sends no token; it needs botocore (`pip install 'minutehand[iam]'`).
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
        auth: "Auth" = "token",
    ) -> None:
        from minutehand.client.transport import opened  # noqa: PLC0415 - only a call needs urllib3

        http = opened(url, token, timeout=timeout, retries=retries, backoff=backoff, origin=origin, auth=auth)
        super().__init__(http)

    @classmethod
    def configured(
        cls, environment: Mapping[str, str] | None = None, directory: "Path | None" = None, *, needs_token: bool = True
    ) -> Self:
        """A client configured by the environment or the local stack's file (see `find_settings`).

        Raises ConfigurationError when both are missing.
        """
        from pathlib import Path  # noqa: PLC0415 - a client with an address of its own needs neither

        from minutehand.client.config import find_settings  # noqa: PLC0415 - see above

        settings = find_settings(
            os.environ if environment is None else environment, directory or Path.cwd(), needs_token=needs_token
        )
        return cls(settings.url, settings.token, origin=settings.origin, auth=settings.auth)

    def close(self) -> None:
        """Close the connections; leaving the context manager does so too."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Client({self.url!r})"

    def apply_job(
        self,
        document: Mapping[str, Any],
        *,
        dry_run: bool = False,
        expected: Collection[str] = (),
        if_revision: int | None = None,
    ) -> Applied:
        """Create or update a job. With `dry_run` it is only validated; `depends_on` may then name the `expected` jobs (full names),
        which need not exist yet.

        `document` is the job as JSON, with `name` and optionally `namespace`; `status` is ignored.
        """
        path = _job_path(f"{document.get('namespace') or DEFAULT_NAMESPACE}/{document.get('name') or ''}")
        query = ({"dry_run": "true"} | ({"expected": ",".join(expected)} if expected else {})) if dry_run else {}
        before, job = self._put(path, document, query, version_header(if_revision))
        beside = {key: job.pop(key) for key in ("warnings", "preview") if key in job}
        if before is None:
            result = "created"
        elif dry_run:
            result = "unchanged" if {**before, "status": None} == {**job, "status": None} else "updated"
        else:
            result = "unchanged" if before["status"]["revision"] == job["status"]["revision"] else "updated"
        return cast("Applied", {"result": result, "job": job, "warnings": [], **beside})

    def get_job(self, job: str) -> Job:
        """A job with its status."""
        return cast("Job", self._definition("GET", _job_path(job)))

    def next_runs(self, job: str, *, count: int = 10, after: datetime | None = None) -> NextRuns:
        """The job's next `count` runs, 1 to 100, after `after` (aware) and after now.

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
        """What happened to the job at an instant and why, or at all instants from `start` up to `end` (default: now), in order.
        Default: the last day. Raises ValueError for naive instants. `next` of the answer is the `start` of the next page."""
        given = {"at": at, "from": start, "to": end}
        query = {name: utc_text(instant) for name, instant in given.items() if instant is not None}
        answer = self._http.send("GET", f"{_job_path(job)}/explain", query=query)
        return cast("Explanation", self._checked(answer, "items", "beside", "next"))

    def delete_job(self, job: str, *, if_revision: int | None = None) -> None:
        """Delete the job. Its runs stay readable until their retention ends."""
        self._delete(_job_path(job), version_header(if_revision))

    def pause(self, job: str, *, until: datetime | None = None, if_revision: int | None = None) -> Job:
        """Pause the job's schedule until it is resumed, or until an aware instant, rounded up to a second.

        Pausing a paused job changes nothing. Raises ValueError for a naive `until`.
        """
        path, headers = f"{_job_path(job)}/pause", version_header(if_revision)
        return cast("Job", self._definition("POST", path, body=until_body(until), headers=headers))

    def resume(
        self, job: str, *, catch_up: Literal["skip", "latest", "all"] = "skip", if_revision: int | None = None
    ) -> Job:
        """Resume the job's schedule. Occurrences missed during the pause are dropped, or a backfill replays the latest or all of them."""
        body = None if catch_up == "skip" else {"catch_up": catch_up}
        path, headers = f"{_job_path(job)}/resume", version_header(if_revision)
        return cast("Job", self._definition("POST", path, body=body, headers=headers))

    def trigger(self, job: str, **options: Unpack[TriggerOptions]) -> Run:
        """Run the job now. The same idempotency key returns the same run; without a key, each call is a new run.

        Raises Conflict when the key was used with another payload or other options.
        """
        body: dict[str, Any] = {"payload": options["payload"]} if "payload" in options else {}
        if "payload_of" in options:
            body["payload_of"] = options["payload_of"]
        if options.get("ignore_overlap"):
            body["ignore_overlap"] = True
        if "node" in options:
            body["node"] = options["node"]
        headers = key_header(options.get("idempotency_key"))
        return self._run("POST", f"{_job_path(job)}/trigger", headers=headers, body=body or None)

    def run(self, job: str, run_id: str) -> Run:
        """A run with its attempts, and with its answer or error. Of a long answer it has the end; `output` returns the whole."""
        return self._run("GET", f"{_job_path(job)}/runs/{segment(run_id)}")

    def cancel(self, job: str, run_id: str) -> Run:
        """Cancel a run: at once if it waits for a start, a retry or an answer without heartbeats. Otherwise it ends when its
        worker or target next checks; until then, `cancelled_by` shows the request. Raises Conflict for a run that has ended."""
        return self._run("POST", f"{_job_path(job)}/runs/{segment(run_id)}/cancel")

    def redrive(self, job: str, run_id: str | None = None, *, lost: bool = False) -> list[Run]:
        """Resend all overdue runs of the job, or one, to the workers; with `lost`, replace each lost run by a new one, at most
        once. Returns the resent runs or the replacements. Raises Conflict for a single run that is not overdue (or not lost)."""
        body = ({} if run_id is None else {"run_id": run_id}) | ({"lost": True} if lost else {})
        path = f"{_job_path(job)}/redrive"
        found = pages(lambda limit, cursor: self._page(path, limit, cursor, *OF_A_RUN, method="POST", body=body))
        return [run for page in found for run in page["items"]]

    def purge(self, job: str, *, before: datetime | None = None) -> Iterator[Purged]:
        """Remove the job's runs for good, with their payloads and outputs, newest first; `before` an instant, only older ones. Each item says
        what became of a page of runs. Runs of the last day lose only their outputs; active ones keep everything."""
        path, body = f"{_job_path(job)}/purge", {} if before is None else {"before": utc_text(before)}
        cursor: str | None = None
        while True:
            query: dict[str, str] = {} if cursor is None else {"cursor": cursor}
            answer = self._http.send("POST", path, query=query, body=body)
            page = cast("Purged", self._checked(answer, "removed", "emptied", "active"))
            yield page
            cursor = page["next"]
            if cursor is None:
                return

    def output(self, job: str, run_id: str, *, attempt: int | None = None) -> Output:
        """The whole output of an attempt, by default of the newest.

        Raises NotFound when there was no such attempt, or it left no output.
        """
        path = f"{_job_path(job)}/runs/{segment(run_id)}/output"
        query = {} if attempt is None else {"attempt": str(attempt)}
        output = self._checked(self._http.send("GET", path, query=query), "attempt", "bytes", "text", "url")
        if output["text"] is None:
            output["text"] = self._http.fetch(str(output["url"]))
        return cast("Output", output)

    def log(
        self, job: str, run_id: str, *, attempt: int | None = None, cursor: str | None = None, limit: int | None = None
    ) -> Log:
        """A piece of the log of an attempt, by default of the newest from its beginning: what its command has written, with times, also while
        it goes on.

        Raises NotFound when there was no such attempt.
        """
        path = f"{_job_path(job)}/runs/{segment(run_id)}/log"
        given = {"attempt": attempt, "cursor": cursor, "limit": limit}
        query = {name: str(value) for name, value in given.items() if value is not None}
        answer = self._http.send("GET", path, query=query)
        return cast("Log", self._checked(answer, "attempt", "state", "entries", "cursor", "ended", "next_in"))

    def redrive_namespace(self, namespace: str = DEFAULT_NAMESPACE, *, lost: bool = False) -> list[Run]:
        """Resend all overdue runs of the namespace to the workers; with `lost`, replace each lost run by a new one, at most once.
        Returns the resent runs or the replacements."""
        path, body = f"{namespace_path(namespace)}/redrive", {"lost": True} if lost else {}
        found = pages(lambda limit, cursor: self._page(path, limit, cursor, *OF_A_RUN, method="POST", body=body))
        return [run for page in found for run in page["items"]]

    def _run(self, method: str, path: str, *, headers: Mapping[str, str] | None = None, body: object = None) -> Run:
        return cast("Run", self._checked(self._http.send(method, path, headers=headers, body=body), *OF_A_RUN))


def _job_path(job: str) -> str:
    return path_of("jobs", job)
