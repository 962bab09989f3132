"""Outputs that are too long for a table, as gzipped texts in an S3 bucket."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from minutehand.domain.errors import Unavailable
from minutehand.domain.run_key import RunKey

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

KEPT_DAYS = (1, 3, 7, 14, 30, 60, 90, 180, 365, 730, 1825, 3650)
"""Retentions of texts, in days. S3 expires objects by prefix, so each retention is a prefix with a lifecycle rule in infra/storage.yaml;
a text is stored under the first that is not shorter than the retention left of its run's record."""

MOST_PER_DELETE = 1000
"""Keys in one DeleteObjects request; a limit of S3."""

_DAY = timedelta(days=1)
_EXISTS = "PreconditionFailed"
_BEYOND = "InvalidRange"
"""Code of a range that begins at the end of an object, or beyond."""
_GONE = "NoSuchKey"
"""Code of a missing object. Only a caller that may list the bucket gets it; others get AccessDenied (see the API's role in
infra/access.yaml)."""


def place_of(run: RunKey, attempt: int, lasts: timedelta) -> str:
    """The S3 key for an attempt's output. Its prefix selects a lifecycle rule that keeps it for at least `lasts` (up to 3,650 days)
    from the upload."""
    return f"{_kept(lasts)}/{run.job}/{run.run_id}/{attempt}.txt.gz"


def log_place_of(run: RunKey, attempt: int, lasts: timedelta) -> str:
    """The S3 key for the whole log of an attempt, kept as `place_of` says."""
    return f"{_kept(lasts)}/{run.job}/{run.run_id}/{attempt}.log.gz"


def parts_place_of(run: RunKey, attempt: int, lasts: timedelta) -> str:
    """The beginning of the S3 keys for the parts of an attempt's log, kept as `place_of` says."""
    return f"{_kept(lasts)}/{run.job}/{run.run_id}/{attempt}/"


def _kept(lasts: timedelta) -> str:
    days = -(-lasts // _DAY)
    return f"{next((known for known in KEPT_DAYS if known >= days), KEPT_DAYS[-1])}d"


class S3Texts:
    """Texts in a bucket, by their key (`place`), each written once.

    Args:
        client_of: returns the S3 client; called on first use, because most runs need none.
        bucket: name of the bucket; empty if the function has none, and then every call raises.
    """

    def __init__(self, client_of: Callable[[], S3Client], bucket: str) -> None:
        self._client_of = client_of
        self._bucket = bucket

    def put(self, place: str, text: str) -> None:
        """Store a text unless its place already has one."""
        body = gzip.compress(text.encode(), compresslevel=6, mtime=0)
        with self._errors_of("PutObject"):
            client = self._client_of()
            try:
                client.put_object(
                    Bucket=self._bucket,
                    Key=place,
                    Body=body,
                    ContentType="text/plain; charset=utf-8",
                    ContentEncoding="gzip",  # browsers and curl --compressed decode it
                    IfNoneMatch="*",
                )
            except ClientError as error:
                if error.response["Error"]["Code"] != _EXISTS:
                    raise

    def get(self, place: str) -> str | None:
        """The text at a place; None if it does not exist (any more)."""
        with self._errors_of("GetObject"):
            client = self._client_of()
            try:
                body = client.get_object(Bucket=self._bucket, Key=place)["Body"].read()
            except ClientError as error:
                if error.response["Error"]["Code"] == _GONE:
                    return None
                raise
        try:
            return gzip.decompress(body).decode()
        except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
            raise Unavailable(f"object {place} of bucket {self._bucket} is not a gzipped text: {error}") from error

    def stretch(self, place: str, offset: int, most: int) -> tuple[bytes, int] | None:
        """Up to `most` stored bytes from an offset on, as they are, and the object's size; no bytes beyond its end. None if it does not exist
        (any more)."""
        with self._errors_of("GetObject"):
            client = self._client_of()
            try:
                answer = client.get_object(Bucket=self._bucket, Key=place, Range=f"bytes={offset}-{offset + most - 1}")
                size = int(answer["ContentRange"].rpartition("/")[2])
                return answer["Body"].read(), size
            except ClientError as error:
                code = error.response["Error"]["Code"]
                if code == _GONE:
                    return None
                if code == _BEYOND:
                    return b"", offset
                raise

    def upload(self, place: str, length: int, lasts: timedelta) -> str:
        """A presigned URL to which anybody may PUT an object of exactly so many bytes for this long. Makes no request."""
        with self._errors_of("PutObject"):
            signer = self._client_of()
            return signer.generate_presigned_url(
                "put_object",
                Params={"Bucket": self._bucket, "Key": place, "ContentLength": length},
                ExpiresIn=int(lasts.total_seconds()),
            )

    def link(self, place: str, lasts: timedelta) -> str:
        """A presigned URL that gives anybody the gzipped text for this long. Makes no request."""
        with self._errors_of("GetObject"):
            signer = self._client_of()
            return signer.generate_presigned_url(
                "get_object",
                Params={"Bucket": self._bucket, "Key": place},
                ExpiresIn=int(lasts.total_seconds()),
            )

    def delete(self, places: Sequence[str]) -> None:
        """Delete texts; a missing one is no error."""
        for start in range(0, len(places), MOST_PER_DELETE):
            part = places[start : start + MOST_PER_DELETE]
            with self._errors_of("DeleteObjects"):
                client = self._client_of()
                answer = client.delete_objects(
                    Bucket=self._bucket, Delete={"Objects": [{"Key": place} for place in part], "Quiet": True}
                )
                for left in answer.get("Errors", ()):
                    reason = f"{left.get('Code')}: {left.get('Message')}"
                    raise Unavailable(
                        f"object {left.get('Key')} of bucket {self._bucket} could not be deleted: {reason}"
                    )

    @contextmanager
    def _errors_of(self, operation: str) -> Iterator[None]:
        """Raise errors of boto3 as `Unavailable`, with the bucket and the operation."""
        if not self._bucket:
            raise Unavailable(f"{operation} needs a bucket, but OUTPUT_BUCKET is not set")
        try:
            yield
        except ClientError as error:
            detail = error.response["Error"]
            message = f"{operation} on bucket {self._bucket} failed: {detail['Code']}: {detail.get('Message', '')}"
            raise Unavailable(message) from error
        except BotoCoreError as error:
            raise Unavailable(f"{operation} on bucket {self._bucket} failed: {error}") from error
