"""Token operations of the client."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any, cast

from minutehand.client.calls import PAGE_SIZE, Calls, key_header, pages, segment, utc_text
from minutehand.client.models import Caller, CreatedToken, Token
from minutehand.client.results import Page

_NEEDS = ("id", "name", "role", "namespaces")


class TokenCalls(Calls):
    """The part of `Client` with the operations on tokens. All but `own_token` need an admin token."""

    def create_token(
        self,
        name: str,
        *,
        role: str,
        namespaces: Sequence[str],
        expires_in: timedelta | None = None,
        expires_at: datetime | None = None,
        idempotency_key: str | None = None,
    ) -> CreatedToken:
        """Make a token for these namespaces, or `["*"]` for all; its `secret` cannot be read again.

        `role`: viewer, operator, admin or agent. `expires_in`, `expires_at` (aware): one of them at most; without both it does not expire.
        `idempotency_key`: a new one by default.

        Raises Conflict when the key has made a token: if the answer with its secret was lost, revoke that token, which the error names.
        Raises NotAllowed for a token that may do more than the caller's, and ValueError for a naive instant.
        """
        body: dict[str, Any] = {"name": name, "role": role, "namespaces": list(namespaces)}
        if expires_in is not None:
            body["expires_in"] = f"{expires_in // timedelta(seconds=1)}s"
        if expires_at is not None:
            body["expires_at"] = utc_text(expires_at)
        answer = self._http.send("POST", "/v1/tokens", headers=key_header(idempotency_key), body=body)
        return cast("CreatedToken", self._checked(answer, *_NEEDS, "secret"))

    def tokens(self) -> Iterator[Token]:
        """All tokens that reach no namespaces beyond the caller's, by id; pages are fetched lazily."""
        for page in pages(lambda limit, cursor: self.tokens_page(limit=limit, cursor=cursor)):
            yield from page["items"]

    def tokens_page(self, *, limit: int = PAGE_SIZE, cursor: str | None = None) -> Page[Token]:
        """One page of the tokens; it may hold fewer than `limit`."""
        return self._page("/v1/tokens", limit, cursor, *_NEEDS)

    def get_token(self, token_id: str) -> Token:
        """A token, without its secret. Raises NotFound also for one that reaches namespaces beyond the caller's."""
        return cast("Token", self._checked(self._http.send("GET", f"/v1/tokens/{segment(token_id)}"), *_NEEDS))

    def revoke_token(self, token_id: str) -> None:
        """Revoke a token: it is refused within 30 seconds. Raises NotFound as `get_token` does."""
        self._delete(f"/v1/tokens/{segment(token_id)}")

    def own_token(self) -> Caller:
        """Who sends this client's requests, and what it may do: its token, or the person or principal of AWS whom the API sees."""
        return cast("Caller", self._checked(self._http.send("GET", "/v1/token"), *_NEEDS))
