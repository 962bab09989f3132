"""Signatures of AWS (SigV4), with which principals of AWS IAM call the API at an address of its own (stack output `IamApiUrl`).

Needs botocore, which `pip install 'minutehand[iam]'` installs. Credentials are those that every tool of AWS finds: variables, profiles, roles.
"""

import os
import re
from collections.abc import Callable, Mapping

from minutehand.client.errors import ConfigurationError

Sign = Callable[[str, str, bytes | None], Mapping[str, str]]
"""Makes the headers that sign a request, from its method, its URL and its body."""

_SERVICE = "execute-api"
_HOST = re.compile(r"https?://[^/]+\.execute-api\.([a-z0-9-]+)\.[^/]+(/|$)", re.IGNORECASE)


def signer(url: str) -> Sign:
    """A function that signs requests to the API at an address, with the credentials of this process, renewed when they expire.

    Raises:
        ConfigurationError: without botocore, credentials or a region.
    """
    try:
        from botocore.auth import SigV4Auth  # noqa: PLC0415 - slow, and only needed to sign
        from botocore.awsrequest import AWSRequest  # noqa: PLC0415
        from botocore.exceptions import BotoCoreError  # noqa: PLC0415
        from botocore.session import Session  # noqa: PLC0415
    except ImportError as error:
        raise ConfigurationError(
            "signing requests with AWS IAM needs botocore, which is not installed",
            hint="run: pip install 'minutehand[iam]'",
        ) from error

    session = Session()
    try:
        credentials = session.get_credentials()
        region = _region(url, session.get_config_variable("region"))
    except BotoCoreError as error:
        raise ConfigurationError(
            f"the credentials of AWS cannot be read: {error}", hint="check AWS_PROFILE and AWS's configuration files"
        ) from error
    if credentials is None:
        raise ConfigurationError(
            "requests are to be signed with AWS IAM, but there are no credentials of AWS",
            hint="set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or run this with a role of AWS",
        )

    def sign(method: str, target: str, body: bytes | None) -> Mapping[str, str]:
        request = AWSRequest(method=method, url=target, data=body)
        try:
            SigV4Auth(credentials.get_frozen_credentials(), _SERVICE, region).add_auth(request)
        except BotoCoreError as error:
            raise ConfigurationError(
                f"the request cannot be signed: {error}", hint="sign in to AWS again, such as by `aws sso login`"
            ) from error
        return dict(request.headers.items())

    return sign


def _region(url: str, configured: str | None) -> str:
    """The region in the address of an API of AWS, else the one that is configured, such as for a domain of one's own."""
    found = _HOST.match(url)
    region = found[1] if found else os.environ.get("AWS_REGION") or configured
    if not region:
        raise ConfigurationError(
            f"the address {url} names no region of AWS, for which requests could be signed", hint="set AWS_REGION"
        )
    return region
