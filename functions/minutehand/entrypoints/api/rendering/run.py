"""Documents of runs, their attempts and their outputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from urllib.parse import quote

from minutehand.domain.deadlines import ended_as
from minutehand.domain.declaration.field import LEFT_OUT
from minutehand.domain.outcome import ErrorType
from minutehand.domain.run import Attempt, Result, Run, RunError, RunState
from minutehand.domain.share import Share
from minutehand.entrypoints.api.documents.run import (
    AttemptDocument,
    OutputDocument,
    ResultDocument,
    RunDocument,
    RunErrorDocument,
    RunOutputDocument,
)
from minutehand.entrypoints.api.documents.run_nodes import PartDocument, RunNodeDocument
from minutehand.entrypoints.api.documents.run_waits import LockWaitDocument, SlotHolderDocument
from minutehand.entrypoints.api.rendering.run_phrases import skip_text, waits_text
from minutehand.usecases.ports.outputs import Output, whole
from minutehand.usecases.queries.lock_waits import LockWait
from minutehand.usecases.queries.run_nodes import RunNode
from minutehand.usecases.queries.show_output import Shown


def run_document(run: Run, holders: Sequence[Run] | None = None, wait: LockWait | None = None) -> RunDocument:
    """The document of a run in a list, without attempts and output.

    Args:
        holders: the runs that hold the slots for which it waits, if they were read.
        wait: its wait for another run of its job, if that was read and it waits.
    """
    return RunDocument(
        run_id=run.key.run_id,
        job=run.key.job,
        scheduled_for=run.scheduled_for,
        starts_at=run.starts_at,
        state=run.state,
        attempt=run.attempt,
        claimed_at=run.claimed_at,
        started_at=run.started_at,
        # In the record of an active run, it is the end of the last attempt.
        finished_at=run.finished_at if run.state.finished else None,
        lateness=run.lateness,
        duration=run.duration,
        result=_result(run.result),
        error=_error(run.error),
        reason=skip_text(run) if run.state is RunState.SKIPPED and run.skip_reason else None,
        retry_at=run.retry_at,
        waits_for=waits_text(run.waits_for) if run.waits_for and not run.state.finished else None,
        deadline_at=run.deadline_at,
        lease_until=run.lease_until if run.state in (RunState.RUNNING, RunState.WAITING) else None,
        cancelled_by=run.cancelled_by or None,
        blocked_by=run.blocked_by or None,
        only_node=run.only_node or LEFT_OUT,
        progress=run.progress,
        parents=run.parents,
        units=run.units,
        part_of=LEFT_OUT if run.share is None else _part(run.share),
        held_by=LEFT_OUT if holders is None else tuple(map(_holder, holders)),
        behind=LEFT_OUT if wait is None else _behind(wait),
    )


def whole_document(
    run: Run,
    output: Output | None,
    holders: Sequence[Run] | None = None,
    wait: LockWait | None = None,
    nodes: Sequence[RunNode] | None = None,
) -> RunDocument:
    """The document of a run with its attempts, and with the result and error that its stored output has, if there is one.

    Args:
        output: the output stored apart from the run; None if the run's own record holds everything, or the output has expired.
        holders, wait: as for `run_document`.
        nodes: of a run on several nodes, these.
    """
    kept = output or whole(run.result, run.error, run.expires_at)
    return replace(
        run_document(run, holders, wait),
        result=_result(kept.result),
        error=_error(kept.error),
        attempts=tuple(_attempt(each, run) for each in _attempts(run)),
        output=_output(run, kept, gone=run.detailed and output is None),
        nodes=LEFT_OUT if nodes is None else tuple(map(_node, nodes)),
    )


def output_document(run: Run, shown: Shown) -> OutputDocument:
    """An attempt's output: its text, or a link to it."""
    return OutputDocument(
        run_id=run.key.run_id,
        job=run.key.job,
        attempt=shown.attempt,
        bytes=shown.size,
        truncated=shown.truncated,
        cut=shown.cut,
        text=shown.text,
        url=shown.url,
    )


def _holder(run: Run) -> SlotHolderDocument:
    return SlotHolderDocument(job=run.key.job, run_id=run.key.run_id, since=run.started_at)


def _node(node: RunNode) -> RunNodeDocument:
    if node.run is None:
        return RunNodeDocument(node=node.node, index=node.place, run_id=None, state=None)
    return RunNodeDocument(node=node.node, index=node.place, run_id=node.run.key.run_id, state=node.run.state)


def _part(share: Share) -> PartDocument:
    return PartDocument(
        run_id=share.parent.run_id,
        attempt=share.attempt,
        pool=share.pool,
        node=share.node,
        index=share.place,
        total=share.total,
    )


def _behind(wait: LockWait) -> LockWaitDocument:
    return LockWaitDocument(run_id=wait.behind.run_id, since=wait.since, before=wait.before, overlap=wait.overlap)


def _attempt(attempt: Attempt, run: Run) -> AttemptDocument:
    tried = tuple(visit.endpoint for visit in run.visits if visit.attempt == attempt.number)
    return AttemptDocument(
        number=attempt.number,
        worker=attempt.worker or None,
        started_at=attempt.started_at,
        finished_at=None if attempt.died else attempt.finished_at,
        state=attempt.state,
        error=_error(attempt.error),
        lost_at=attempt.finished_at if attempt.died else None,
        endpoints=tried or LEFT_OUT,
    )


def _attempts(run: Run) -> tuple[Attempt, ...]:
    if not run.attempt or run.started_at is None or run.newest_is_listed:
        return run.attempts
    # If the newest attempt failed before its run was cancelled, the attempt is shown as failed.
    failed = run.state is RunState.CANCELLED and run.error is not None and run.error.type != ErrorType.CANCELLED
    newest = Attempt(
        number=run.attempt,
        worker=run.worker,
        nonce=run.nonce,
        started_at=run.started_at,
        finished_at=run.finished_at,
        state=ended_as(run) if failed or run.state is RunState.RETRYING else run.state,
        error=run.error,
    )
    return (*run.attempts, newest)


def _output(run: Run, kept: Output, *, gone: bool) -> RunOutputDocument | None:
    if kept.result is None:
        return None
    key = run.key
    path = f"/v1/namespaces/{key.job.namespace}/jobs/{key.job.name}/runs/{quote(key.run_id, safe='~')}/output"
    return RunOutputDocument(
        bytes=kept.size,
        truncated=kept.truncated or gone,
        cut=kept.result.cut,
        url=f"{path}?attempt={run.attempt}",
    )


def _result(result: Result | None) -> ResultDocument | None:
    """The document of a result. An answer that the target reported through the API has no HTTP status."""
    if result is None:
        return None
    log = result.log or LEFT_OUT
    return ResultDocument(type=result.type, status=result.status or None, body=result.body, log=log)


def _error(error: RunError | None) -> RunErrorDocument | None:
    if error is None:
        return None
    return RunErrorDocument(type=error.type, message=error.message, stack=error.stack or None)
