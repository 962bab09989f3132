"""A secret text in SSM's Parameter Store, which costs nothing there (standard tier)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from minutehand.domain.errors import Unavailable

if TYPE_CHECKING:
    from mypy_boto3_ssm import SSMClient

_AWS_KEY = "alias/aws/ssm"
_MISSING, _EXISTS, _REFUSED = "ParameterNotFound", "ParameterAlreadyExists", "AccessDeniedException"


class SecretParameter:
    """One encrypted parameter (`SecureString`).

    Args:
        name: the parameter's full name.
        key: the KMS key that encrypts a new value; empty for AWS's own (`aws/ssm`).
    """

    def __init__(self, client: SSMClient, name: str, key: str) -> None:
        self._client = client
        self.name = name
        self._key = key

    def read(self) -> str | None:
        """The secret; None if there is no such parameter.

        Raises:
            Unavailable: if Parameter Store does not answer, or refuses.
        """
        try:
            return self._client.get_parameter(Name=self.name, WithDecryption=True)["Parameter"]["Value"]
        except (BotoCoreError, ClientError) as error:
            if _code(error) == _MISSING:
                return None
            raise self._unavailable("read", error) from error

    def create(self, secret: str, description: str) -> bool:
        """Store a secret unless the parameter exists. Returns whether it was stored.

        Raises:
            Unavailable: as `read`.
        """
        try:
            self._client.put_parameter(
                Name=self.name,
                Description=description,
                Value=secret,
                Type="SecureString",
                Tier="Standard",
                Overwrite=False,
                KeyId=self._key or _AWS_KEY,
            )
        except (BotoCoreError, ClientError) as error:
            if _code(error) == _EXISTS:
                return False
            raise self._unavailable("stored", error) from error
        return True

    def delete(self) -> bool:
        """Delete the parameter, if it exists. Returns whether this function may.

        Raises:
            Unavailable: if Parameter Store does not answer.
        """
        try:
            self._client.delete_parameter(Name=self.name)
        except (BotoCoreError, ClientError) as error:
            if _code(error) not in (_MISSING, _REFUSED):
                raise self._unavailable("deleted", error) from error
            return _code(error) == _MISSING
        return True

    def _unavailable(self, what: str, error: Exception) -> Unavailable:
        return Unavailable(f"the parameter {self.name} could not be {what}: {error}")


def _code(error: BotoCoreError | ClientError) -> str:
    return error.response["Error"]["Code"] if isinstance(error, ClientError) else ""
