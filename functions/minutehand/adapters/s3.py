"""Texts in an S3 bucket, gzipped: outputs that are too long for a table."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from minutehand.domain.errors import Unavailable
from minutehand.domain.run import RunKey

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

KEPT_DAYS = (1, 3, 7, 14, 30, 60, 90, 180, 365, 730, 1825, 3650)
"""For how long texts may be kept. S3 expires what it holds by prefix alone, so each of these is a prefix with a rule of its own in
infra/storage.yaml, and a text goes under the first that is as long as its run's record is still kept."""

MOST_PER_DELETE = 1000
"""Keys in one DeleteObjects: a limit of S3."""

_DAY = timedelta(days=1)
_THERE_ALREADY = "PreconditionFailed"
_GONE = frozenset(("AccessDenied", "NoSuchKey"))
"""S3 says AccessDenied of an object that is not there to whoever may not list the bucket."""


def place_of(run: RunKey, attempt: int, lasts: timedelta) -> str:
    """The key of an attempt's text that is to be kept for this long from now on: S3 counts the days from the upload, however old
    the run's instant is."""
    days = -(-lasts // _DAY)
    kept = next((known for known in KEPT_DAYS if known >= days), KEPT_DAYS[-1])
    return f"{kept}d/{run.job}/{run.run_id}/{attempt}.txt.gz"


class S3Texts:
    """Texts by their place in a bucket, each written once.

    Args:
        client_of: gives the client, which is not made before it is needed: most runs need none.
        bucket: its name; empty where a function was given none, and then nothing can be stored or found.
    """

    def __init__(self, client_of: Callable[[], S3Client], bucket: str) -> None:
        self._client_of = client_of
        self._bucket = bucket

    def put(self, place: str, text: str) -> None:
        """Store a text, unless there is one at its place."""
        body = gzip.compress(text.encode(), compresslevel=6, mtime=0)
        with self._asking("PutObject"):
            client = self._client_of()
            try:
                client.put_object(
                    Bucket=self._bucket,
                    Key=place,
                    Body=body,
                    ContentType="text/plain; charset=utf-8",
                    ContentEncoding="gzip",  # so that browsers and curl --compressed show it as it was
                    IfNoneMatch="*",
                )
            except ClientError as error:
                if error.response["Error"]["Code"] != _THERE_ALREADY:
                    raise

    def get(self, place: str) -> str | None:
        """The text, or None when it is gone."""
        with self._asking("GetObject"):
            client = self._client_of()
            try:
                body = client.get_object(Bucket=self._bucket, Key=place)["Body"].read()
            except ClientError as error:
                if error.response["Error"]["Code"] in _GONE:
                    return None
                raise
        try:
            return gzip.decompress(body).decode()
        except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
            raise Unavailable(f"object {place} of bucket {self._bucket} is not a gzipped text: {error}") from error

    def link(self, place: str, lasts: timedelta) -> str:
        """A URL that gives the text to anybody for this long, still gzipped, as its Content-Encoding says. S3 is not asked."""
        with self._asking("GetObject"):
            signer = self._client_of()
            return signer.generate_presigned_url(
                "get_object",
                Params={"Bucket": self._bucket, "Key": place},
                ExpiresIn=int(lasts.total_seconds()),
            )

    def delete(self, places: Sequence[str]) -> None:
        """Delete texts; no error where there is none."""
        for start in range(0, len(places), MOST_PER_DELETE):
            part = places[start : start + MOST_PER_DELETE]
            with self._asking("DeleteObjects"):
                client = self._client_of()
                answer = client.delete_objects(
                    Bucket=self._bucket, Delete={"Objects": [{"Key": place} for place in part], "Quiet": True}
                )
                for left in answer.get("Errors", ()):
                    said = f"{left.get('Code')}: {left.get('Message')}"
                    raise Unavailable(f"object {left.get('Key')} of bucket {self._bucket} is not deleted: {said}")

    @contextmanager
    def _asking(self, operation: str) -> Iterator[None]:
        """Tell an error of boto3's as `Unavailable`, with the bucket and the operation."""
        if not self._bucket:
            raise Unavailable(f"{operation} has no bucket: OUTPUT_BUCKET is not set")
        try:
            yield
        except ClientError as error:
            detail = error.response["Error"]
            message = f"{operation} on bucket {self._bucket} failed: {detail['Code']}: {detail.get('Message', '')}"
            raise Unavailable(message) from error
        except BotoCoreError as error:
            raise Unavailable(f"{operation} on bucket {self._bucket} failed: {error}") from error
