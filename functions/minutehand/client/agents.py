"""The requests of an agent: it registers as a node of a pool, asks for orders, sends heartbeats and reports. Needs a token with the role
`agent`, and a stack with the parameter `Agents=true`."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Literal, NotRequired, Self, TypedDict, cast

from minutehand.client.agent_answers import KINDS
from minutehand.client.calls import Calls, path_of, segment
from minutehand.client.errors import TOO_LARGE, AnswerError, Invalid, NotFound

if TYPE_CHECKING:
    from minutehand.client.config import Settings

MOST_AT_ONCE = 10
"""Most runs of a request for orders, and most reports of one request."""
TIMEOUT = 15.0
"""Seconds to wait for an answer. Shorter than that of other clients, since a lease ends meanwhile."""
RETRIES = 2
ANSWER_WITHIN = 60.0
"""Seconds for a whole answer: ten orders are some megabytes, over a slow line."""
LONGEST_ANSWER = 16 * 1024 * 1024
"""Most bytes of an answer: more than API Gateway sends."""


class Attempt(TypedDict):
    """One attempt of a run. `job` is its full name."""

    job: str
    run_id: str
    attempt: int


class AskedStart(Attempt):
    """A run to start, with a new random token of 32 letters, digits, - and _ that its attempt is to have."""

    token: NotRequired[str]


class AskedNode(TypedDict):
    """What an operator asked of a node: to take work, to take none, or to take none and end."""

    asked: Literal["run", "pause", "drain"]


class Registered(TypedDict):
    """What a node gets when it registers: the URLs of its queues, their region, and the seconds between heartbeats."""

    node: AskedNode
    pool_queue_url: str
    inbox_url: str
    region: str
    beat_every: float


class Decision(Attempt):
    """What to do about a run. `order` is what to run, `seconds` how long to hide its message."""

    decision: Literal["run", "drop", "hide"]
    order: NotRequired[dict[str, Any]]
    seconds: NotRequired[int]


class Progress(TypedDict):
    """How far a command is: 0 to 100, a line of text, or both."""

    percent: int | None
    text: str | None


class RunningAttempt(Attempt):
    """An attempt that a node holds, with its token."""

    token: str
    progress: Progress | None


class Beat(AskedNode):
    """The answer to a heartbeat: attempts that must stop, what an operator asked of the node, and the seconds between heartbeats. `registered`
    is false if the node is not this process's any more."""

    registered: bool
    unwanted: list[Attempt]
    beat_every: float


class ReportError(TypedDict):
    """Why an attempt failed. `type` is one word."""

    type: str
    message: str
    stack: str


class Report(Attempt):
    """How an attempt ended."""

    token: str
    state: Literal["succeeded", "failed", "skipped"]
    result: Any
    error: ReportError | None
    progress: Progress | None


class Recorded(Attempt):
    """Whether a report was recorded, or why not."""

    recorded: bool
    problem: str | None


class Upload(Attempt):
    """A part of an attempt's log, or the whole (`part` is None), as it is to be uploaded."""

    token: str
    part: int | None
    bytes: int


class UploadPlace(Attempt):
    """Where to PUT it, within 5 minutes; None, with the reason, if it may not be uploaded, for good."""

    url: str | None
    problem: str | None


class TemporaryCredentials(TypedDict):
    """Credentials of AWS for the two queues of a node. `expires_at` is RFC 3339."""

    access_key_id: str
    secret_access_key: str
    session_token: str
    expires_at: str


class AgentCalls(Calls):
    """The requests of one agent process, as the node `node` of the pool `pool` (`namespace/name`). Thread-safe.

    Every method may raise a `MinutehandError`, as those of `Client`. Conflict: another process has this node's name.

    `session`: a random text of the process, by which two agents of one name are noticed.
    """

    def __init__(self, http: Any, *, pool: str, node: str, session: str) -> None:
        super().__init__(http)
        self.node = node
        self._path = f"{path_of('pools', pool)}/nodes/{segment(node)}"
        self._session = session

    @classmethod
    def at(cls, settings: "Settings", *, pool: str, node: str, session: str, backoff: float = 0.2) -> Self:
        """The requests to the API of these settings."""
        from minutehand.client.bounds import Bounds  # noqa: PLC0415 - only a call needs urllib3
        from minutehand.client.transport import opened  # noqa: PLC0415 - as above

        http = opened(
            settings.url,
            settings.token,
            timeout=TIMEOUT,
            retries=RETRIES,
            backoff=backoff,
            origin=settings.origin,
            auth=settings.auth,
            bounds=Bounds(ANSWER_WITHIN, LONGEST_ANSWER),
        )
        return cls(http, pool=pool, node=node, session=session)

    def close(self) -> None:
        """Close the connections; leaving the context manager does so too."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def register(self, *, host: str, version: str, tags: Mapping[str, str], slots: int, boot: str = "") -> Registered:
        """Enter the node in its pool. `slots`: how many commands it runs at once. `boot`: a text that differs between two starts of the
        machine. Raises Conflict while another process has its name."""
        body = {"session": self._session, "host": host, "version": version, "tags": dict(tags), "slots": slots}
        if boot:
            body["boot"] = boot
        answer = self._http.send("PUT", self._path, body=body)
        return cast("Registered", self._checked(answer, "node", "pool_queue_url", "inbox_url", "region", "beat_every"))

    def leave(self) -> None:
        """Remove the node from its pool."""
        with suppress(NotFound):  # its row has gone, be it by an earlier try
            self._http.send("DELETE", self._path, query={"session": self._session})

    def starts(self, runs: Sequence[AskedStart]) -> list[Decision]:
        """Ask to start runs, `MOST_AT_ONCE` at most. Returns a decision for each, in their order. Those whose orders are too large for one
        answer are asked about again, by halves: with the same tokens, they get the same orders."""
        try:
            return cast("list[Decision]", self._each("starts", "runs", runs, "decision"))
        except Invalid as error:
            if error.status != TOO_LARGE or len(runs) == 1:
                raise
        half = len(runs) // 2
        return [*self.starts(runs[:half]), *self.starts(runs[half:])]

    def beat(self, running: Sequence[RunningAttempt]) -> Beat:
        """Send the heartbeat of the node, and of the attempts that it holds."""
        body = {"session": self._session, "running": list(running)}
        answer = self._http.send("POST", f"{self._path}/beats", body=body)
        return cast("Beat", self._checked(answer, "registered", "unwanted", "asked", "beat_every"))

    def report(self, reports: Sequence[Report]) -> list[Recorded]:
        """Report how attempts ended, `MOST_AT_ONCE` at most. Returns for each, in their order, whether it was recorded."""
        return cast("list[Recorded]", self._each("reports", "reports", reports, "recorded"))

    def uploads(self, uploads: Sequence[Upload]) -> tuple[list[UploadPlace], float]:
        """Ask for places to upload logs to, `MOST_AT_ONCE` at most. Returns one for each, in their order, and the seconds between two parts."""
        body = {"session": self._session, "uploads": list(uploads)}
        answer = self._checked(self._http.send("POST", f"{self._path}/uploads", body=body), "items", "every")
        places = self._matched(answer["items"], uploads, "url")
        return cast("list[UploadPlace]", places), float(answer["every"])

    def upload(self, url: str, data: bytes) -> None:
        """Put a log, or a part of one, where `uploads` said."""
        self._http.put(url, data)

    def credentials(self) -> TemporaryCredentials:
        """Temporary credentials of AWS, for the two queues of the node alone."""
        answer = self._http.send("POST", f"{self._path}/credentials", body={"session": self._session})
        needs = ("access_key_id", "secret_access_key", "session_token", "expires_at")
        return cast("TemporaryCredentials", self._checked(answer, *needs))

    def _checked(self, body: Any, *needs: str) -> dict[str, Any]:
        found = super()._checked(body, *needs)
        for key, kind in KINDS.items():
            if key in found and not kind.fits(found[key]):
                raise AnswerError(
                    f"the server at {self.url} does not speak Minutehand's API: {key!r} of its answer is not {kind.words}",
                    hint="check the address, and that the agent and the stack have the same version",
                )
        return found

    def _each(self, what: str, name: str, asked: Sequence[Any], needs: str) -> list[dict[str, Any]]:
        """Send a list, and return the answered items, one for each that was sent, with what they are about."""
        body = {"session": self._session, name: list(asked)}
        items = self._checked(self._http.send("POST", f"{self._path}/{what}", body=body), "items")["items"]
        return self._matched(items, asked, needs)

    def _matched(self, items: list[Any], asked: Sequence[Any], needs: str) -> list[dict[str, Any]]:
        """The answered items, one for each that was sent, with what they are about."""
        if len(items) != len(asked):
            raise self._unfit("items")
        found = []
        for item, of in zip(items, asked, strict=True):
            about = {key: of[key] for key in ("job", "run_id", "attempt")}
            whole = about | self._checked(item, needs)
            if any(whole[key] != value for key, value in about.items()):
                raise AnswerError(
                    f"the server at {self.url} answered about {whole['job']} {whole['run_id']} instead of {of['job']} {of['run_id']}",
                    hint="this is a bug of the API: report it",
                )
            found.append(whole)
        return found
