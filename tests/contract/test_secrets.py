"""The same questions to the stores of secrets in memory, and on MiniStack as AWS."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import boto3
import pytest

from minutehand.adapters.memory.secrets import MemorySecretStores
from minutehand.adapters.secret_cache import SecretCache
from minutehand.adapters.secret_stores import AwsSecretStores
from minutehand.domain.errors import NotFound, Unavailable
from minutehand.domain.secret_reference import SecretReference, Unusable
from minutehand.usecases.ports.secrets import Secrets

TEXT = 'grün "quoted"\nsecond line\n'
Put = Callable[[str, str | None], None]


class Bench(NamedTuple):
    """Secrets, and a function that stores one: a text, or something else for None."""

    secrets: Secrets
    put: Put


def _in_memory() -> Bench:
    stores = MemorySecretStores({})
    return Bench(SecretCache(stores), lambda name, text: stores.texts.update({name: text}))


def _on(endpoint: str) -> Bench:
    keys = {"aws_access_key_id": "test", "aws_secret_access_key": "test", "region_name": "us-east-1"}
    ssm, manager = (boto3.client(name, endpoint_url=endpoint, **keys) for name in ("ssm", "secretsmanager"))

    def put(written: str, text: str | None) -> None:
        reference = SecretReference.parse(written)
        if written.startswith("ssm:"):
            ssm.put_parameter(Name=reference.name, Value=text or "", Type="SecureString", Overwrite=True)
        elif text is None:
            manager.create_secret(Name=reference.name, SecretBinary=b"\0\1")
        else:
            manager.create_secret(Name=reference.name, SecretString=text)

    return Bench(SecretCache(AwsSecretStores(lambda: ssm, lambda: manager)), put)


@pytest.fixture(params=["memory", pytest.param("ministack", marks=pytest.mark.services)])
def bench(request: pytest.FixtureRequest) -> Iterator[Bench]:
    if request.param == "memory":
        yield _in_memory()
    else:
        server: Any = request.getfixturevalue("ministack")
        yield _on(server.client.meta.endpoint_url)


def read(bench: Bench, reference: str) -> str:
    return bench.secrets(SecretReference.parse(reference)).result(20)


@pytest.mark.parametrize("store", ["ssm:/", "secretsmanager:"])
def test_the_text_of_a_secret_comes_as_it_was_stored(bench: Bench, namespace: str, store: str) -> None:
    reference = f"{store}{namespace}/deep/key"
    bench.put(reference, TEXT)
    assert read(bench, reference) == TEXT


@pytest.mark.parametrize("store", ["ssm:/", "secretsmanager:"])
def test_a_secret_that_does_not_exist_is_not_found(bench: Bench, namespace: str, store: str) -> None:
    with pytest.raises(NotFound, match=f"there is no secret {store}{namespace}/none"):
        read(bench, f"{store}{namespace}/none")


def test_a_name_is_the_name_of_one_store_only(bench: Bench, namespace: str) -> None:
    bench.put(f"ssm:/{namespace}/key", TEXT)
    with pytest.raises(NotFound):
        read(bench, f"secretsmanager:/{namespace}/key")


def test_a_secret_that_is_no_text_is_unusable(bench: Bench, namespace: str) -> None:
    bench.put(f"secretsmanager:{namespace}/binary", None)
    with pytest.raises(Unusable, match="is not a text"):
        read(bench, f"secretsmanager:{namespace}/binary")


def test_a_store_that_cannot_be_reached_is_unavailable() -> None:
    stores = MemorySecretStores({})
    stores.answers = False
    for secrets in (SecretCache(stores), _on("http://127.0.0.1:9").secrets):
        with pytest.raises(Unavailable, match="ssm did not answer"):
            secrets(SecretReference.parse("ssm:/a/key")).result(60)
