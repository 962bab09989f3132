"""Saving many jobs: all are checked by the API first, and only when all are right is anything saved."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from minutehand.cli.command import exit_code, problem_of
from minutehand.cli.failures import Exit, Failure
from minutehand.cli.files import Document
from minutehand.cli.parallel import side_by_side
from minutehand.cli.render import Screen
from minutehand.client import Applied, Client, MinutehandError, NotFound, Refused


@dataclass(frozen=True, kw_only=True)
class Changes:
    """What became of a number of calls: `saved` by them, and why not all were made."""

    saved: Sequence[Applied] = ()
    deleted: Sequence[str] = ()
    total: int
    failure: MinutehandError | None
    interrupted: bool

    @property
    def complete(self) -> bool:
        """Whether everything that was asked was done."""
        return len(self.saved) + len(self.deleted) == self.total

    def end(self) -> None:
        """Raise what kept it from being complete; call it once people know what was done."""
        if self.interrupted:
            raise KeyboardInterrupt
        if self.failure is not None:
            raise self.failure


def check_all(screen: Screen, client: Client, documents: Sequence[Document]) -> list[Applied]:
    """What saving each document would do. Raises Failure with everything that the API has against them."""
    plans: list[Applied] = []
    refused: list[tuple[Document, Refused]] = []
    with screen.progress("checking", len(documents)) as step:
        outcomes = side_by_side(
            lambda document: client.apply_job(document.content, dry_run=True),
            documents,
            step=step,
            halts=lambda error: not _is_about_the_document(error),
        )
    if outcomes.interrupted:
        raise KeyboardInterrupt
    for document, outcome in zip(documents, outcomes.each, strict=True):
        if isinstance(outcome, Refused) and _is_about_the_document(outcome):
            refused.append((document, outcome))
        elif isinstance(outcome, MinutehandError):
            raise outcome
        elif outcome is not None:
            plans.append(outcome)
    if refused:
        raise _refusal(refused, len(documents)) from refused[0][1]
    return plans


def save_all(screen: Screen, client: Client, documents: Sequence[Document], plans: Sequence[Applied]) -> Changes:
    """Save what is not yet as its document says, up to the first failure or Ctrl-C."""
    with screen.progress("saving", len(documents)) as step:
        outcomes = side_by_side(
            lambda pair: pair[1] if pair[1]["result"] == "unchanged" else client.apply_job(pair[0].content),
            list(zip(documents, plans, strict=True)),
            step=step,
        )
    done = [each for each in outcomes.each if each is not None and not isinstance(each, MinutehandError)]
    return Changes(
        saved=done,
        total=len(documents),
        failure=next((each for each in outcomes.each if isinstance(each, MinutehandError)), None),
        interrupted=outcomes.interrupted,
    )


def delete_all(screen: Screen, client: Client, jobs: Sequence[str]) -> Changes:
    """Delete the jobs of these full names, up to the first failure or Ctrl-C; one that is gone already is as it should be."""

    def delete(job: str) -> str:
        with suppress(NotFound):
            client.delete_job(job)
        return job

    with screen.progress("deleting", len(jobs)) as step:
        outcomes = side_by_side(delete, jobs, step=step)
    return Changes(
        deleted=[each for each in outcomes.each if isinstance(each, str)],
        total=len(jobs),
        failure=next((each for each in outcomes.each if isinstance(each, MinutehandError)), None),
        interrupted=outcomes.interrupted,
    )


def _is_about_the_document(error: MinutehandError) -> bool:
    return isinstance(error, Refused) and error.status < 500


def _refusal(refused: Sequence[tuple[Document, Refused]], total: int) -> Failure:
    """Everything the API has against the files, in one failure; an invalid one decides the exit code."""
    errors: list[dict[str, Any]] = []
    texts: dict[int, str] = {}
    for document, error in refused:
        for field in error.errors or [{"path": "", "message": error.message, "hint": problem_of(error).get("hint")}]:
            text = _at(document.content, str(field["path"]))
            if isinstance(text, str):
                texts[len(errors)] = text
            errors.append({"file": document.place, "job": document.job, **field})
    codes = [exit_code(error) for _, error in refused]
    return Failure(
        {
            "title": refused[0][1].title,
            "status": refused[0][1].status,
            "detail": f"{len(refused)} of {total} jobs {'was' if len(refused) == 1 else 'were'} refused; nothing was saved",
            "errors": errors,
        },
        exit_code=Exit.USAGE if Exit.USAGE in codes else codes[0],
        texts=texts,
    )


def _at(content: Any, path: str) -> Any:
    for part in path.split("."):
        content = content.get(part) if isinstance(content, dict) else None
    return content
