"""Syntax errors of files."""


class TextError(Exception):
    """A syntax error. `line` and `column` count from 1; `column` is None where only the line is known."""

    def __init__(self, *, message: str, line: int, column: int | None = None, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.column = column
        self.hint = hint
