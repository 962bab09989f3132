"""Handlers: functions of a team's own package that run jobs, wherever that package lives.

from minutehand import Context, job

@job("reports.nightly", schedule="0 2 * * *", timezone="Europe/Paris")
def nightly(context: Context, day: date | None = None) -> dict[str, int]:
    ...

`minutehand sync mypkg` saves their jobs. They run in the team's Lambda function (`lambda_handler`) or web service (`answer`), and in
tests (`minutehand.handlers.testing`).
"""

from minutehand.handlers.app import App
from minutehand.handlers.aws_lambda import lambda_handler
from minutehand.handlers.chain import Middleware, Proceed, log_run, recover, skip_if, timed
from minutehand.handlers.context import Context
from minutehand.handlers.declaration import job
from minutehand.handlers.errors import AppError, Failed, InvalidPayload, InvalidResult, UnknownHandler
from minutehand.handlers.http import Reply, answer
from minutehand.handlers.invocation import Invocation, Parent
from minutehand.handlers.loading import find_app
from minutehand.handlers.outcome import Outcome
from minutehand.handlers.worker import Worker, run

__all__ = [
    "App",
    "AppError",
    "Context",
    "Failed",
    "InvalidPayload",
    "InvalidResult",
    "Invocation",
    "Middleware",
    "Outcome",
    "Parent",
    "Proceed",
    "Reply",
    "UnknownHandler",
    "Worker",
    "answer",
    "find_app",
    "job",
    "lambda_handler",
    "log_run",
    "recover",
    "run",
    "skip_if",
    "timed",
]
