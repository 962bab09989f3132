"""Jobs that an app declares with `@job`, and the target that runs them."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from minutehand.cli.documents.files import Document
from minutehand.cli.failures import Exit, failure
from minutehand.handlers import App, find_app
from minutehand.handlers.documents import jobs_of
from minutehand.handlers.errors import AppError, UnknownHandler
from minutehand.handlers.modules import add_working_folder

_FUNCTION = re.compile(r"(arn:aws[a-z-]*:lambda:[a-z0-9-]+:[0-9]{12}:function:[A-Za-z0-9_-]+)(?::([A-Za-z0-9$_-]+))?")
TARGETS = "write the URL of a service, or the ARN of a Lambda function"


@contextmanager
def app_failures() -> Iterator[None]:
    """Turn what is wrong with an app into a failure of the command."""
    try:
        yield
    except AppError as error:
        code = Exit.NOT_FOUND if isinstance(error, UnknownHandler) else Exit.USAGE
        raise failure(error.title, error.message, hint=error.hint, exit_code=code) from error


def load_app(text: str) -> App:
    """Find an app by its name, also in the working folder. Raises Failure."""
    add_working_folder()
    with app_failures():
        app = find_app(text)
        app.handlers  # noqa: B018 - imports and checks them
    return app


def app_documents(app: App, *, namespace: str, target: dict[str, Any] | None) -> list[Document]:
    """The jobs of an app. Raises Failure."""
    with app_failures():
        found = jobs_of(app, namespace=namespace, target=target)
    return [Document(place=near(job.place), job=job.name, content=job.document) for job in found]


def target_of(text: str | None, headers: Sequence[tuple[str, str]]) -> dict[str, Any] | None:
    """The target that `--target` and `--header` describe; None without `--target`. Raises BadParameter."""
    if text is None and not headers:
        return None
    text = text or ""
    if headers and not text.startswith(("http://", "https://")):
        raise click.BadParameter("--header is for the URL of a service")
    if text.startswith(("http://", "https://")):
        return {"type": "http", "method": "POST", "url": text, "headers": dict(headers)}
    if found := _FUNCTION.fullmatch(text):
        qualifier = {"qualifier": found[2]} if found[2] else {}
        return {"type": "lambda", "function": found[1], **qualifier, "mode": "callback"}
    raise click.BadParameter(f"{text!r} is not where handlers run; {TARGETS}")


def near(place: str) -> str:
    """A place as the user would write it: relative to the working folder, if it is in it."""
    path = Path(place)
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else place
