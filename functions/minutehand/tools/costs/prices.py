"""Prices by region, from the package's dated file or the user's own."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from minutehand.tools.costs.units import Unit, Usage

_SHIPPED = Path(__file__).with_name("prices.json")
_KEYS = {unit.key: unit for unit in Unit}
_EXAMPLE = '{"as_of": "2026-11-21", "regions": {"eu-north-1": {"dynamodb_write": 0.66}}}'


class PriceError(Exception):
    """An invalid price file or an unknown region, with a hint."""

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


@dataclass(frozen=True, kw_only=True)
class PriceList:
    """The prices of one region, in dollars per quantity as `Unit` says; missing ones are unknown."""

    region: str
    as_of: str
    source: str
    prices: Mapping[Unit, float]

    def dollars(self, unit: Unit, amount: float) -> float | None:
        """The cost of an amount; None where the price is unknown."""
        price = self.prices.get(unit)
        return None if price is None else amount * price / unit.value.per

    def cost(self, usage: Usage) -> float:
        """The total cost, without units of unknown price."""
        return sum(self.dollars(unit, amount) or 0.0 for unit, amount in usage.amounts.items())


@dataclass(frozen=True, kw_only=True)
class PriceBook:
    """The price lists of a file. `as_of` is their date."""

    as_of: str
    source: str
    regions: Mapping[str, Mapping[Unit, float]]

    def region(self, name: str) -> PriceList:
        """The prices of a region. Raises PriceError, which lists the regions."""
        if name not in self.regions:
            raise PriceError(
                f"there are no prices for the region {name!r:.40}",
                hint=f"there are: {', '.join(sorted(self.regions))}; --prices reads a file of your own",
            )
        return PriceList(region=name, as_of=self.as_of, source=self.source, prices=self.regions[name])


def shipped_prices() -> PriceBook:
    """The prices in the price file that comes with the package."""
    return read_prices(_SHIPPED.read_text(encoding="utf-8"))


def read_prices(text: str) -> PriceBook:
    """The prices in a JSON text: `as_of`, `source`, and `regions` with a price, or `{"usd": …, "as_of": …}`, for each key of
    `Unit`. Raises PriceError."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise PriceError(f"it is not JSON: {error}", hint=f"such as {_EXAMPLE}") from error
    regions = document.get("regions") if isinstance(document, dict) else None
    if not isinstance(regions, dict) or not regions:
        raise PriceError("it has no `regions`", hint=f"such as {_EXAMPLE}")
    for word in ("as_of", "source"):
        if not isinstance(document.get(word, ""), str):
            raise PriceError(f"{word} is not a text", hint=f"such as {_EXAMPLE}")
    return PriceBook(
        as_of=document.get("as_of", "an unknown day"),
        source=document.get("source", "a file of your own"),
        regions={name: _prices(name, prices) for name, prices in regions.items()},
    )


def _prices(region: str, prices: Any) -> Mapping[Unit, float]:
    if not isinstance(prices, dict):
        raise PriceError(f"regions.{region} is not a mapping of prices", hint=f"such as {_EXAMPLE}")
    unknown = sorted(prices.keys() - _KEYS.keys())
    if unknown:
        raise PriceError(f"regions.{region}.{unknown[0]}: unknown key", hint=f"there are: {', '.join(_KEYS)}")
    found = {}
    for key, value in prices.items():
        price = value.get("usd") if isinstance(value, dict) else value
        if isinstance(price, bool) or not isinstance(price, int | float) or not 0 <= price < float("inf"):
            hint = "write dollars, 0 or more, such as 0.625"
            raise PriceError(f"regions.{region}.{key}: {value!r:.40} is not a price", hint=hint)
        found[_KEYS[key]] = float(price)
    return found
