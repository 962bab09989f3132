"""The error of an export that cannot be read."""


class ExportFault(Exception):
    """A syntax error of an export. `line` counts from 1."""

    def __init__(self, line: int, message: str, hint: str | None) -> None:
        super().__init__(message)
        self.line = line
        self.message = message
        self.hint = hint
