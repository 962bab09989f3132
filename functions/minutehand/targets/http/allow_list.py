"""The allow-list: the hosts and networks that whoever runs the service lets its jobs call."""

from __future__ import annotations

import re
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_network
from typing import NamedTuple

from minutehand.targets.http.addresses import Address, as_ipv4, literal

_NAME = re.compile(r"[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*", re.ASCII)
_EXAMPLES = "write a host (api.example.com), all names below one (*.example.com) or a network (10.0.0.0/8)"
_SHOWN = 200


class HostRule(NamedTuple):
    """A name, or with `below` every name under it, however deep; `port` is None for any."""

    name: str
    below: bool
    port: int | None

    def fits(self, host: str, port: int) -> bool:
        """Whether a URL's host, in lower case and without a final dot, is meant."""
        named = host.endswith(f".{self.name}") if self.below else host == self.name
        return named and self.port in (None, port)


class NetworkRule(NamedTuple):
    """A network, or a single address as a network of one; `port` is None for any."""

    network: IPv4Network | IPv6Network
    port: int | None

    def fits(self, address: Address, port: int) -> bool:
        """Whether an address is within."""
        return address in self.network and self.port in (None, port)


class AllowList(NamedTuple):
    """What jobs may call, of that which is not forbidden anyway. Without any rule, everything.

    A host rule trusts the name, wherever it leads; a network rule trusts the address that is connected to, whatever name
    led there. One that fits is enough.
    """

    hosts: tuple[HostRule, ...] = ()
    networks: tuple[NetworkRule, ...] = ()

    @classmethod
    def parse(cls, text: str) -> AllowList:
        """The list of a text: entries between commas, blanks around them; empty for everything.

        An entry is a host (`api.example.com`, any port; `api.example.com:8443`, that port), all names below one
        (`*.example.com`), an address (`10.1.2.3`, `[2001:db8::1]:8443`) or a network (`10.0.0.0/8`, `2001:db8::/32`).

        Raises:
            ValueError: naming the entry that is none of these, and what would be right.
        """
        hosts: list[HostRule] = []
        networks: list[NetworkRule] = []
        for entry in text.split(","):
            stripped = entry.strip()
            if not stripped:
                if text.strip():
                    raise ValueError("an entry is empty; leave out the comma before or after it")
                continue
            rule = _rule(stripped)
            if isinstance(rule, HostRule):
                hosts.append(rule)
            else:
                networks.append(rule)
        return cls(tuple(hosts), tuple(networks))

    def named(self, host: str, port: int) -> bool:
        """Whether the host is allowed by its name, wherever it leads."""
        plain = host.lower().rstrip(".")
        return not (self.hosts or self.networks) or any(rule.fits(plain, port) for rule in self.hosts)

    def reaches(self, address: Address, port: int) -> bool:
        """Whether the address is allowed, whatever name led there.

        IPv6 addresses that stand for an IPv4 one (mapped, or by NAT64) are also judged by that.
        """
        carried = as_ipv4(address) if isinstance(address, IPv6Address) else None
        seen = (address, carried) if carried else (address,)
        return not (self.hosts or self.networks) or any(rule.fits(a, port) for rule in self.networks for a in seen)

    def may_allow(self, host: str, port: int) -> bool:
        """Whether a URL's host might be allowed: a name may lead into a network, which only looking it up shows."""
        address = literal(host)
        if address is not None:
            return self.reaches(address, port)
        return self.named(host, port) or any(rule.port in (None, port) for rule in self.networks)

    def __str__(self) -> str:
        """The entries, for messages; not too many of them."""
        text = ", ".join([*map(_host_text, self.hosts), *map(_network_text, self.networks)])
        return text if len(text) <= _SHOWN else text[:_SHOWN].rpartition(", ")[0] + ", …"


EVERYTHING = AllowList()


def _rule(entry: str) -> HostRule | NetworkRule:
    if "%" in entry:
        raise _wrong(entry, "leave out the % and what follows: zones have a meaning on one machine only")
    if "/" in entry:
        return NetworkRule(_network(entry), None)
    host, port = _host_and_port(entry)
    address = literal(host)
    if address is not None:
        return NetworkRule(ip_network(address), port)
    name = host.lower().rstrip(".")
    below = name.startswith("*.")
    bare = name.removeprefix("*.")
    if name == "*":
        raise _wrong(entry, "leave the whole list empty to allow every host")
    if "*" in bare:
        raise _wrong(entry, "a * stands for whole labels at the beginning alone, as in *.example.com")
    if re.fullmatch(r"[0-9.]+|0x[0-9a-f.x]+", bare):
        raise _wrong(entry, "write an address in full, such as 10.1.2.3, or a network, such as 10.0.0.0/8")
    if len(bare) > 253 or not _NAME.fullmatch(bare):
        raise _wrong(entry, _EXAMPLES)
    return HostRule(bare, below, port)


def _network(entry: str) -> IPv4Network | IPv6Network:
    if "://" in entry:
        raise _wrong(entry, "leave out the scheme and the path: api.example.com or api.example.com:8443")
    try:
        return ip_network(entry)
    except ValueError as error:
        try:
            whole = ip_network(entry, strict=False)
        except ValueError:
            raise _wrong(entry, "write a network as address/length, such as 10.0.0.0/8 or 2001:db8::/32") from None
        raise _wrong(entry, f"the address has bits beyond the length; the network is {whole}") from error


def _host_and_port(entry: str) -> tuple[str, int | None]:
    if literal(entry) is not None:  # IPv6 without brackets, too
        return entry, None
    host, colon, digits = entry.rpartition(":")
    if not colon or entry.endswith("]"):
        host, digits = entry, ""
    elif not re.fullmatch(r"[0-9]{1,5}", digits, re.ASCII) or not 1 <= int(digits) <= 65535:
        raise _wrong(entry, "a port is a number from 1 to 65535; leave it out to allow every port")
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
    return host, int(digits) if digits else None


def _wrong(entry: str, hint: str) -> ValueError:
    return ValueError(f"{entry!r:.80} is no host and no network: {hint}")


def _host_text(rule: HostRule) -> str:
    return ("*." if rule.below else "") + rule.name + (f":{rule.port}" if rule.port else "")


def _network_text(rule: NetworkRule) -> str:
    if rule.network.num_addresses > 1:
        return str(rule.network)
    address = rule.network.network_address
    if rule.port is None:
        return str(address)
    return f"[{address}]:{rule.port}" if address.version == 6 else f"{address}:{rule.port}"
