"""Response that is the final answer to a request: interim answers before it are read over."""

from __future__ import annotations

from http import HTTPStatus
from http.client import HTTPException, HTTPResponse
from typing import Any

MOST_INTERIM = 100
"""Most interim answers, such as 103 Early Hints, before the final one. A server that works for long may send 102 Processing often. All
of them together are limited by the bytes of an answer's headers, too."""


class FinalResponse(HTTPResponse):
    """An answer of `http.client`, which itself reads over 100 Continue alone (RFC 9110, section 15.2)."""

    headers: Any
    msg: Any

    def begin(self) -> None:
        """Read up to the end of the final answer's headers.

        Raises:
            HTTPException: after more than `MOST_INTERIM` interim answers.
        """
        for _ in range(MOST_INTERIM + 1):
            super().begin()
            if self.status >= HTTPStatus.OK or self.status == HTTPStatus.SWITCHING_PROTOCOLS:
                return
            self.headers = self.msg = None  # has `begin` read the next answer
        raise HTTPException(f"more than {MOST_INTERIM} interim answers (1xx) came before the final one")
