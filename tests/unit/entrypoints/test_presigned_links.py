"""Presigned links name the host of the bucket in its own region, from which S3 redirects nobody."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from urllib.parse import urlsplit

import pytest

from minutehand.adapters.s3 import S3Texts
from minutehand.entrypoints import clients

BRIEFLY = timedelta(minutes=5)


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A client made anew."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "test")
    for name in ("AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3"):
        monkeypatch.delenv(name, raising=False)
    clients._s3_client.cache_clear()
    yield
    clients._s3_client.cache_clear()


@pytest.mark.parametrize(
    ("region", "host"),
    [
        ("us-east-1", "outputs.s3.us-east-1.amazonaws.com"),
        ("eu-west-1", "outputs.s3.eu-west-1.amazonaws.com"),
        ("eu-south-2", "outputs.s3.eu-south-2.amazonaws.com"),
        ("cn-north-1", "outputs.s3.cn-north-1.amazonaws.com.cn"),
    ],
)
def test_a_link_names_the_host_of_the_region(monkeypatch: pytest.MonkeyPatch, region: str, host: str) -> None:
    monkeypatch.setenv("AWS_DEFAULT_REGION", region)
    texts = S3Texts(clients.s3, "outputs")
    links = [texts.link("30d/a.txt.gz", BRIEFLY), texts.upload("30d/a.log.gz", 3, BRIEFLY)]
    assert [urlsplit(link)[:3] for link in links] == [
        ("https", host, "/30d/a.txt.gz"),
        ("https", host, "/30d/a.log.gz"),
    ]


def test_a_link_to_an_emulator_has_the_bucket_in_its_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://localhost:4566")
    link = urlsplit(S3Texts(clients.s3, "outputs").link("30d/a.txt.gz", BRIEFLY))
    assert link[:3] == ("http", "localhost:4566", "/outputs/30d/a.txt.gz")
