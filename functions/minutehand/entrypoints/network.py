"""The targets that a deployment allows, from its settings. Only the functions that save jobs or call targets load this."""

from __future__ import annotations

from typing import TYPE_CHECKING

from minutehand.targets.http.allow_list import AllowList
from minutehand.targets.terms import DEFAULT_TERMS, AwsTerms, TargetTerms

if TYPE_CHECKING:
    from minutehand.domain.secret_prefixes import SecretPrefix
    from minutehand.entrypoints.settings import Settings
    from minutehand.usecases.ports.secrets import Secrets


def target_terms(settings: Settings, secrets: Secrets | None = None) -> TargetTerms:
    """Which targets jobs may call, by the settings: the allow-list, whether loopback addresses are allowed,
    the workers of the stack, what jobs may reach in AWS, which secrets they may use, and where in AWS Cloud Map they may look for endpoints.

    Args:
        secrets: reads secrets, in a function that calls targets.

    Raises:
        ValueError: for an entry of `ALLOWED_TARGETS` that is neither a host nor a network, and for one of `SECRET_PREFIXES` that cannot be
            read; the function does not start.
    """
    try:
        allowed = AllowList.parse(settings.allowed_targets)
    except ValueError as error:
        raise ValueError(f"ALLOWED_TARGETS is invalid: {error}") from None
    account, queues = _own_queues(settings)
    aws = AwsTerms(
        arns=_listed(settings.aws_target_arns),
        roles=_listed(settings.aws_target_roles),
        tagged=settings.aws_tagged_targets,
        account=account,
        region=settings.region if account else "",
        queues=queues,
    )
    return TargetTerms(
        allow_loopback=settings.allow_loopback,
        allowed=allowed,
        workers=DEFAULT_TERMS.workers | settings.workers,
        aws=aws,
        cloud_map=_listed(settings.cloud_map_namespaces),
        secret_prefixes=_prefixes(settings.secret_prefixes),
        secrets=secrets,
    )


def _own_queues(settings: Settings) -> tuple[str, frozenset[str]]:
    """The account of the stack and the names of its queues that this function knows, from their URLs (`https://HOST/ACCOUNT/NAME`). Only
    jobs of the worker `aws` can name queues."""
    if not settings.workers > DEFAULT_TERMS.workers:
        return "", frozenset()
    found = [url.rsplit("/", 2)[1:] for url in settings.queue_urls.values()]
    return found[0][0], frozenset(name for _, name in found)


def _prefixes(text: str) -> tuple[SecretPrefix, ...]:
    if not text:
        return ()
    from minutehand.domain.secret_prefixes import parse_prefixes  # noqa: PLC0415 - few stacks have secrets

    try:
        return parse_prefixes(text)
    except ValueError as error:
        raise ValueError(f"SECRET_PREFIXES is invalid: {error}") from None


def _listed(text: str) -> tuple[str, ...]:
    return tuple(stripped for entry in text.split(",") if (stripped := entry.strip()))
