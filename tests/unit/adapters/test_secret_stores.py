"""The answers of AWS's stores of secrets, and what each of their refusals means."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.exceptions import EndpointConnectionError

from minutehand.adapters.secret_stores import AwsSecretStores
from minutehand.domain.errors import NotAllowed, NotFound, Unavailable
from minutehand.domain.secret_reference import SecretReference, Unusable
from tests.unit.adapters.fakes import Scripted, client_error

PARAMETER, SECRET = SecretReference.parse("ssm:/shop/key"), SecretReference.parse("secretsmanager:shop/db")


def stores(*answers: Any) -> AwsSecretStores:
    client: Any = Scripted(*answers)
    return AwsSecretStores(lambda: client, lambda: client)


def test_each_store_answers_in_its_own_form() -> None:
    assert stores({"Parameter": {"Value": "a text"}})(PARAMETER) == "a text"
    assert stores({"SecretString": "a text"})(SECRET) == "a text"


def test_a_binary_secret_is_no_text() -> None:
    with pytest.raises(Unusable, match="secretsmanager:shop/db is not a text but binary"):
        stores({"SecretBinary": b"abc"})(SECRET)


@pytest.mark.parametrize(
    ("reference", "code", "message", "kind", "said"),
    [
        (PARAMETER, "ParameterNotFound", "", NotFound, "there is no secret ssm:/shop/key"),
        (SECRET, "ResourceNotFoundException", "", NotFound, "there is no secret secretsmanager:shop/db"),
        (SECRET, "InvalidRequestException", "marked for deletion", NotFound, "there is no secret"),
        (PARAMETER, "AccessDeniedException", "not authorized to perform: ssm:GetParameter", NotAllowed, "SecretArns"),
        (PARAMETER, "AccessDeniedException", "not authorized: kms:Decrypt", NotAllowed, "SecretKeyArns"),
        (SECRET, "AccessDeniedException", "Access to KMS is not allowed", NotAllowed, "SecretKeyArns"),
        (
            PARAMETER,
            "AccessDeniedException",
            "The ciphertext refers to a customer master key that does not exist, or you are not allowed to access. (Service: AWSKMS)",
            NotAllowed,
            "SecretKeyArns",
        ),
        (
            PARAMETER,
            "AccessDeniedException",
            "not authorized to perform: ssm:GetParameter on resource: arn:aws:ssm:eu-west-1:111122223333:parameter/KMS",
            NotAllowed,
            "SecretArns",
        ),
        (PARAMETER, "ValidationException", "not a valid name", Unusable, "ssm refuses to read ssm:/shop/key: .*name"),
        (SECRET, "InvalidParameterException", "", Unusable, "secretsmanager refuses to read secretsmanager:shop/db"),
        (PARAMETER, "InvalidKeyId", "", NotAllowed, "SecretKeyArns"),
        (SECRET, "DecryptionFailure", "", NotAllowed, "SecretKeyArns"),
        (PARAMETER, "ThrottlingException", "", Unavailable, "ssm did not answer: ThrottlingException"),
        (SECRET, "InternalServiceError", "", Unavailable, "secretsmanager did not answer: InternalServiceError"),
    ],
)
def test_a_refusal_is_explained(
    reference: SecretReference, code: str, message: str, kind: type[Exception], said: str
) -> None:
    error = client_error(code)
    error.response["Error"]["Message"] = message
    with pytest.raises(kind, match=said):
        stores(error)(reference)


def test_a_store_that_cannot_be_reached_is_unavailable() -> None:
    with pytest.raises(Unavailable, match="ssm did not answer: EndpointConnectionError"):
        stores(EndpointConnectionError(endpoint_url="https://ssm"))(PARAMETER)
