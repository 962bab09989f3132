"""Addresses that no job may call: those of the machine that makes the call, and the services on it."""

from __future__ import annotations

import socket
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

Address = IPv4Address | IPv6Address

LOOPBACK = "loopback, which is the machine that makes the call"
_LINK_LOCAL = "link-local, where instance metadata and the Lambda runtime listen"
_UNSPECIFIED = "unspecified, which means this machine"
_METADATA = "instance metadata"
_MULTICAST = "multicast"
_RESERVED = "reserved"

# Written out, because what ipaddress counts as private or reserved differs between versions of Python.
_FORBIDDEN_V4 = (
    (IPv4Network("0.0.0.0/8"), _UNSPECIFIED),
    (IPv4Network("127.0.0.0/8"), LOOPBACK),
    (IPv4Network("100.100.100.200/32"), _METADATA),  # Alibaba Cloud
    (IPv4Network("192.0.0.192/32"), _METADATA),  # Oracle Cloud
    (IPv4Network("169.254.0.0/16"), _LINK_LOCAL),
    (IPv4Network("224.0.0.0/4"), _MULTICAST),
    (IPv4Network("240.0.0.0/4"), _RESERVED),
)
_FORBIDDEN_V6 = (
    (IPv6Network("::/128"), _UNSPECIFIED),
    (IPv6Network("::1/128"), LOOPBACK),
    (IPv6Network("fe80::/10"), _LINK_LOCAL),
    (IPv6Network("ff00::/8"), _MULTICAST),
    # Local services of AWS: instance metadata is fd00:ec2::254, EKS Pod Identity fd00:ec2::23.
    (IPv6Network("fd00:ec2::/32"), _METADATA),
)
_USABLE_V6 = (IPv6Network("2000::/3"), IPv6Network("fc00::/7"))
"""Global unicast and unique local addresses (RFC 4291, RFC 4193); the rest of IPv6 is reserved."""
_ISATAP = (b"\x00\x00\x5e\xfe", b"\x02\x00\x5e\xfe")
"""How the second half of an IPv6 address begins that contains an IPv4 address to which a router tunnels (RFC 5214)."""
_NAT64 = IPv6Network("64:ff9b::/96")
"""Prefix by which a VPC with DNS64 reaches IPv4 hosts (RFC 6052)."""


def forbidden(address: Address, *, allow_loopback: bool) -> str | None:
    """Why no job may call an address, in words that follow "is"; None if jobs may.

    Private networks (RFC 1918, RFC 6598, RFC 4193) are allowed: targets in a VPC have such addresses. `allow_loopback`
    allows loopback and nothing else. For an IPv6 address that contains an IPv4 address, the IPv4 address decides.
    """
    kind = _kind(address)
    return None if kind == LOOPBACK and allow_loopback else kind


def literal(host: str) -> Address | None:
    """A URL's host as an address, if it is written as one (IPv6 without brackets); None for a name."""
    try:
        return ip_address(host)
    except ValueError:
        return None


def spelled(host: str) -> Address | None:
    """The address that a URL's host means, also in the spellings of inet_aton(3), such as 0x7f.1, which resolvers read; None for a name."""
    plain = host.rstrip(".")
    try:
        return literal(plain) or IPv4Address(socket.inet_aton(plain))
    except OSError:
        return None


def as_ipv4(address: IPv6Address) -> IPv4Address | None:
    """The IPv4 address inside a mapped or a NAT64 address."""
    return address.ipv4_mapped or (IPv4Address(address.packed[-4:]) if address in _NAT64 else None)


def _kind(address: Address) -> str | None:
    if isinstance(address, IPv4Address):
        return next((kind for network, kind in _FORBIDDEN_V4 if address in network), None)
    # The IPv4 addresses inside an IPv6 address: mapped, translated (NAT64, 6to4) or tunnelled (Teredo).
    same = as_ipv4(address) or address.sixtofour
    carried = (same,) if same else address.teredo
    if carried:
        return next((kind for kind in map(_kind, carried) if kind), None)
    kind = next((kind for network, kind in _FORBIDDEN_V6 if address in network), None)
    if kind is None and not any(address in network for network in _USABLE_V6):
        kind = _RESERVED
    tunnelled = address.packed[8:12] in _ISATAP
    return kind or (_kind(IPv4Address(address.packed[12:])) if tunnelled else None)
