"""The option `--context`, which is written before or after the name of a command."""

import click

_CHOSEN = "minutehand.context"


def context_option() -> click.Option:
    """The option. The command does not get it; `chosen_context` tells it."""

    def choose(ctx: click.Context, _: click.Parameter, value: str | None) -> None:
        if value is not None:
            ctx.meta[_CHOSEN] = value

    return click.Option(
        ["--context"],
        metavar="NAME",
        is_eager=True,
        expose_value=False,
        callback=choose,
        help="Call the API of this context, which `minutehand login` stored.",
    )


def chosen_context() -> str | None:
    """The name that the command line at hand gives with `--context`."""
    context = click.get_current_context(silent=True)
    return None if context is None else context.meta.get(_CHOSEN)
