"""Minutehand: a serverless distributed cron."""

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from minutehand.handlers import App, Context, Failed, job, lambda_handler

__all__ = ["App", "Context", "Failed", "job", "lambda_handler"]
"""What a package with handlers needs. It is loaded at first use: the functions and the command line do without it."""


def __getattr__(name: str) -> Any:
    """Load a name of `minutehand.handlers`."""
    if name in __all__:
        from minutehand import handlers  # noqa: PLC0415 - see __all__

        return getattr(handlers, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
