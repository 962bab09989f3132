"""The queues of a node in SQS, with temporary credentials that the API gives for these two queues alone."""

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from minutehand.agent.command import boot_seconds
from minutehand.agent.queues import LONGEST_HIDING, QueueMessage, QueueMissing, QueueTrouble
from minutehand.client.agents import TemporaryCredentials

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient

T = TypeVar("T")

VALID_FOR = 900.0
"""Seconds for which credentials are valid, as the API promises."""
RENEWED_BEFORE = 180.0
"""How many seconds before their end credentials are replaced."""
_EXPIRED = frozenset(("ExpiredToken", "ExpiredTokenException", "InvalidClientTokenId", "UnrecognizedClientException"))
_MISSING = frozenset(("AWS.SimpleQueueService.NonExistentQueue", "QueueDoesNotExist"))
_SKEWED = frozenset(("RequestExpired", "RequestTimeTooSkewed"))
"""Codes of requests whose time is not that of AWS. Others name a wrong signature, and the time in their message alone."""
_SKEWED_TEXTS = ("Signature expired", "Signature not yet current")


class SqsQueues:
    """The queues of a node; see the port `Queues`.

    Args:
        url: that of one of the queues; it tells where SQS is.
        credentials: asks the API for credentials.
        clock: gives seconds by which their age is counted, whatever the time of day of this machine.
    """

    def __init__(
        self,
        url: str,
        region: str,
        credentials: Callable[[], TemporaryCredentials],
        *,
        clock: Callable[[], float] = boot_seconds,
    ) -> None:
        parts = urlsplit(url)
        self._endpoint = f"{parts.scheme}://{parts.netloc}"
        self._region = region
        self._credentials = credentials
        self._clock = clock
        self._lock = threading.Lock()
        self._client: SQSClient | None = None
        self._renewed_at = 0.0

    def receive(self, url: str, most: int, wait: int) -> Sequence[QueueMessage]:
        """See the port."""
        answer = self._tried(
            lambda client: client.receive_message(QueueUrl=url, MaxNumberOfMessages=most, WaitTimeSeconds=wait)
        )
        return [QueueMessage(each["Body"], each["ReceiptHandle"]) for each in answer.get("Messages", ())]

    def delete(self, url: str, receipts: Sequence[str]) -> None:
        """See the port."""
        if len(receipts) == 1:
            self._tried(lambda client: client.delete_message(QueueUrl=url, ReceiptHandle=receipts[0]))
        elif receipts:
            entries = [{"Id": str(place), "ReceiptHandle": receipt} for place, receipt in enumerate(receipts)]
            done = self._tried(lambda client: client.delete_message_batch(QueueUrl=url, Entries=entries))  # type: ignore[arg-type]  # what it takes
            _require_all(done, len(receipts), "deleted")

    def hide(self, url: str, seconds: Mapping[str, int]) -> None:
        """See the port."""
        if seconds:
            entries = [
                {"Id": str(place), "ReceiptHandle": receipt, "VisibilityTimeout": min(max(0, each), LONGEST_HIDING)}
                for place, (receipt, each) in enumerate(seconds.items())
            ]
            done = self._tried(lambda client: client.change_message_visibility_batch(QueueUrl=url, Entries=entries))  # type: ignore[arg-type]  # as above
            _require_all(done, len(entries), "hidden for as long as asked")

    def close(self) -> None:
        """See the port."""
        with self._lock:
            self._drop()

    def _tried(self, call: Callable[["SQSClient"], T]) -> T:
        """Make a call; once more with new credentials if they had expired."""
        try:
            try:
                return call(self._valid())
            except ClientError as error:
                if _code(error) not in _EXPIRED:
                    raise
                with self._lock:
                    self._drop()
                return call(self._valid())
        except (BotoCoreError, ClientError) as error:
            if isinstance(error, ClientError) and _code(error) in _MISSING:
                raise QueueMissing(str(error)) from error
            if isinstance(error, ClientError) and _is_skewed(error):
                raise QueueTrouble(
                    f"the clock of this machine is wrong, so AWS refuses its signatures; set the clock, best by NTP: {error}"
                ) from error
            raise QueueTrouble(str(error)) from error

    def _valid(self) -> "SQSClient":
        """The client, with credentials that do not end soon."""
        with self._lock:
            now = self._clock()
            if self._client is None or now >= self._renewed_at + VALID_FOR - RENEWED_BEFORE:
                found = self._credentials()
                self._drop()
                self._client = self._made(found)
                self._renewed_at = now
            return self._client

    def _made(self, found: TemporaryCredentials) -> "SQSClient":
        made = boto3.session.Session(
            aws_access_key_id=found["access_key_id"],
            aws_secret_access_key=found["secret_access_key"],
            aws_session_token=found["session_token"],
            region_name=self._region,
        )
        config = Config(connect_timeout=5, read_timeout=30, retries={"mode": "standard", "total_max_attempts": 3})
        return made.client("sqs", endpoint_url=self._endpoint, config=config)

    def _drop(self) -> None:
        # Its connections close with it, when the last call that uses it returns.
        self._client = None


def _code(error: ClientError) -> str:
    return str(error.response.get("Error", {}).get("Code", ""))


def _is_skewed(error: ClientError) -> bool:
    return _code(error) in _SKEWED or any(text in str(error) for text in _SKEWED_TEXTS)


def _require_all(answer: Mapping[str, Any], count: int, what: str) -> None:
    """Raise QueueTrouble unless a batch was carried out for all its messages."""
    if failed := answer.get("Failed", ()):
        codes = ", ".join(sorted({str(entry.get("Code")) for entry in failed}))
        raise QueueTrouble(f"{len(failed)} of {count} messages could not be {what}: {codes}")
