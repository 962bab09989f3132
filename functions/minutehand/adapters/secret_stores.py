"""Secrets in AWS's Parameter Store and Secrets Manager."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from minutehand.domain.errors import MinutehandError, NotAllowed, NotFound, Unavailable
from minutehand.domain.secret_reference import SecretReference, Store, Unusable

if TYPE_CHECKING:
    from mypy_boto3_secretsmanager import SecretsManagerClient
    from mypy_boto3_ssm import SSMClient

_MISSING = frozenset(("ParameterNotFound", "ResourceNotFoundException", "InvalidRequestException"))
"""Codes of a secret that does not exist; the last one is Secrets Manager's for a secret that is to be deleted."""
_KEY = frozenset(("InvalidKeyId", "DecryptionFailure", "KMSAccessDeniedException"))
"""Codes of a secret whose KMS key the worker cannot use."""
_DENIED = "AccessDeniedException"
_KEY_DENIED = ("kms:", "Access to KMS", "customer master key")
"""What the message of a denial has, if the secret may be read but its KMS key may not be used."""
_REFUSED = frozenset(("ValidationException", "InvalidParameterException"))
"""Codes of a request that a store will never answer."""
_OPERATOR = "the operator of this service can allow it"


class AwsSecretStores:
    """Reads a secret from the store that its reference names; the `Fetch` of a `SecretCache`. Safe for many threads.

    Args:
        ssm_of: returns the client of Parameter Store; called when it is first needed, since most workers need none.
        secrets_manager_of: returns that of Secrets Manager, in the same way.
    """

    def __init__(self, ssm_of: Callable[[], SSMClient], secrets_manager_of: Callable[[], SecretsManagerClient]) -> None:
        self._ssm_of = ssm_of
        self._secrets_manager_of = secrets_manager_of

    def __call__(self, reference: SecretReference) -> str:
        """The text of a secret.

        Raises:
            NotFound, NotAllowed, Unusable, Unavailable: as `Secrets` says. No message contains the secret.
        """
        try:
            if reference.store is Store.SSM:
                return self._parameter(reference.name)
            return self._secret(reference)
        except ClientError as error:
            raise _explained(error, reference) from None
        except BotoCoreError as error:
            raise Unavailable(f"{reference.store.value} did not answer: {type(error).__name__}") from None

    def _parameter(self, name: str) -> str:
        ssm_client = self._ssm_of()
        return ssm_client.get_parameter(Name=name, WithDecryption=True)["Parameter"]["Value"]

    def _secret(self, reference: SecretReference) -> str:
        secrets_client = self._secrets_manager_of()
        found = secrets_client.get_secret_value(SecretId=reference.name)
        if "SecretString" not in found:
            raise Unusable(f"{reference} is not a text but binary")
        return found["SecretString"]


def _explained(error: ClientError, reference: SecretReference) -> MinutehandError:
    code, message = error.response["Error"]["Code"], error.response["Error"].get("Message", "")
    if code in _MISSING:
        return NotFound(f"there is no secret {reference} in this account and region")
    if code in _KEY or (code == _DENIED and any(words in message for words in _KEY_DENIED)):
        return NotAllowed(f"the worker may not use the KMS key of {reference}; {_OPERATOR} (SecretKeyArns)")
    if code == _DENIED:
        return NotAllowed(f"the worker may not read {reference}; {_OPERATOR} (SecretArns)")
    if code in _REFUSED:
        return Unusable(f"{reference.store.value} refuses to read {reference}: {code}: {message}")
    return Unavailable(f"{reference.store.value} did not answer: {code}")
