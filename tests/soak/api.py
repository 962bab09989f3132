"""The documented REST API over plain HTTP: the soak does not use the SDK, which is part of what it judges."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any
from urllib.parse import quote, urlencode

import urllib3

from tests.soak.jobs import NAMESPACE

AGAIN = {409, 429, 502, 503, 504}
"""Answers after which the same request may be repeated."""


class ApiError(Exception):
    """The API refused a request, or did not answer."""


class Api:
    """Requests to one namespace. Thread-safe."""

    def __init__(self, url: str, token: str) -> None:
        self._base = f"{url}/v1/namespaces/{NAMESPACE}"
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        self._http = urllib3.PoolManager(maxsize=8, retries=False)

    def ask(
        self, method: str, path: str, body: object = None, *, key: str = "", timeout: float = 60, tries: int = 1
    ) -> Any:
        """One request, repeated up to `tries` times while the API is busy or does not answer.

        Raises ApiError. Only a request that may be repeated without effect has several tries.
        """
        headers = self._headers | ({"Idempotency-Key": key} if key else {})
        data = None if body is None else json.dumps(body).encode()
        problem = ""
        for attempt in range(tries):
            time.sleep(min(attempt, 5))
            try:
                answer = self._http.request(method, self._base + path, body=data, headers=headers, timeout=timeout)
            except urllib3.exceptions.HTTPError as error:
                problem = f"no answer: {error}"
                continue
            if answer.status < 400:
                return json.loads(answer.data) if answer.data else None
            problem = f"{answer.status} {answer.data.decode(errors='replace')[:500]}"
            if answer.status not in AGAIN:
                break
        raise ApiError(f"{method} {path}: {problem}")

    def save(self, kind: str, name: str, document: Mapping[str, Any]) -> Any:
        """Save a job or a calendar (`jobs`, `calendars`)."""
        return self.ask("PUT", f"/{kind}/{name}", document, tries=20)

    def runs(self, job: str, **query: str) -> Iterator[dict[str, Any]]:
        """The job's runs, newest first."""
        cursor = ""
        while True:
            asked = {"limit": "100"} | query | ({"cursor": cursor} if cursor else {})
            page = self.ask("GET", f"/jobs/{job}/runs?{urlencode(asked)}", tries=20)
            yield from page["items"]
            cursor = page["next"]
            if not cursor:
                return

    def run(self, job: str, run_id: str) -> dict[str, Any]:
        """One run with its attempts."""
        return dict(self.ask("GET", f"/jobs/{job}/runs/{quote(run_id)}", tries=20))

    def explained(self, job: str, at: datetime) -> dict[str, Any]:
        """What `explain` finds at one instant; empty without a finding."""
        asked = urlencode({"at": at.strftime("%Y-%m-%dT%H:%M:%SZ")})
        found = self.ask("GET", f"/jobs/{job}/explain?{asked}", tries=20)["items"]
        return dict(found[0]) if found else {}
