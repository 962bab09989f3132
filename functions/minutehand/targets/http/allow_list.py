"""Allow-list: the hosts and networks that the operator of the service lets jobs call."""

from __future__ import annotations

import re
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_network
from typing import NamedTuple

from minutehand.targets.http.addresses import Address, as_ipv4, literal

_NAME = re.compile(r"[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*", re.ASCII)


class HostRule(NamedTuple):
    """A host name, or with `below` all its subdomains at any depth; `port` None means every port."""

    name: str
    below: bool
    port: int | None

    def fits(self, host: str, port: int) -> bool:
        """Whether the rule covers a URL's host, in lower case and without a final dot."""
        named = host.endswith(f".{self.name}") if self.below else host == self.name
        return named and self.port in (None, port)

    def __str__(self) -> str:
        return ("*." if self.below else "") + self.name + (f":{self.port}" if self.port else "")


class NetworkRule(NamedTuple):
    """A network, or a single address as a network of one; `port` None means every port."""

    network: IPv4Network | IPv6Network
    port: int | None

    def fits(self, address: Address, port: int) -> bool:
        """Whether the rule covers an address and a port."""
        return address in self.network and self.port in (None, port)

    def __str__(self) -> str:
        if self.network.num_addresses > 1:
            return str(self.network)
        address = self.network.network_address
        if self.port is None:
            return str(address)
        return f"[{address}]:{self.port}" if address.version == 6 else f"{address}:{self.port}"


class AllowList(NamedTuple):
    """The rules of an allow-list; without a rule, jobs may call every address that is not forbidden.

    A host rule trusts the name, whatever it resolves to. A network rule trusts the address, whatever name resolved to it.
    One rule that covers the target is enough.
    """

    hosts: tuple[HostRule, ...] = ()
    networks: tuple[NetworkRule, ...] = ()

    @classmethod
    def parse(cls, text: str) -> AllowList:
        """Parse entries separated by commas; blanks around them are ignored, and an empty text allows everything.

        An entry is a host (`api.example.com`, any port; `api.example.com:8443`, that port), all names below one
        (`*.example.com`), an address (`10.1.2.3`, `[2001:db8::1]:8443`) or a network (`10.0.0.0/8`, `2001:db8::/32`).

        Raises:
            ValueError: names the entry that is none of these, and what to write instead.
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

    def allows_name(self, host: str, port: int) -> bool:
        """Whether a host is allowed by its name alone, whatever its address."""
        plain = host.lower().rstrip(".")
        return not (self.hosts or self.networks) or any(rule.fits(plain, port) for rule in self.hosts)

    def allows_address(self, address: Address, port: int) -> bool:
        """Whether an address is allowed; for a mapped or NAT64 address, also if the IPv4 address inside it is."""
        carried = as_ipv4(address) if isinstance(address, IPv6Address) else None
        seen = (address, carried) if carried else (address,)
        return not (self.hosts or self.networks) or any(rule.fits(a, port) for rule in self.networks for a in seen)

    def may_allow(self, host: str, port: int) -> bool:
        """Whether a URL's host could be allowed; a name might resolve into an allowed network, which only a lookup shows."""
        address = literal(host)
        if address is not None:
            return self.allows_address(address, port)
        return self.allows_name(host, port) or any(rule.port in (None, port) for rule in self.networks)

    def __str__(self) -> str:
        """The entries, for messages; a long list is cut."""
        text = ", ".join(map(str, (*self.hosts, *self.networks)))
        return text if len(text) <= 200 else text[:200].rpartition(", ")[0] + ", …"


EVERYTHING = AllowList()


def _rule(entry: str) -> HostRule | NetworkRule:
    if "%" in entry:
        raise _wrong(entry, "leave out the % and what follows: a zone identifier has a meaning on one machine only")
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
        raise _wrong(entry, "a * is allowed only as the first label, as in *.example.com")
    if re.fullmatch(r"[0-9.]+|0x[0-9a-f.x]+", bare):
        raise _wrong(entry, "write an address in full, such as 10.1.2.3, or a network, such as 10.0.0.0/8")
    if len(bare) > 253 or not _NAME.fullmatch(bare):
        raise _wrong(
            entry, "write a host (api.example.com), all names below one (*.example.com) or a network (10.0.0.0/8)"
        )
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
    return ValueError(f"{entry!r:.80} is not a host or a network: {hint}")
