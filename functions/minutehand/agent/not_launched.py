"""Why no process was started for an order."""


class NotLaunched(Exception):
    """No process was started. `type` is the error's type in the report."""

    def __init__(self, type: str, message: str) -> None:  # noqa: A002 - as the document has it
        super().__init__(message)
        self.type = type
        self.message = message
