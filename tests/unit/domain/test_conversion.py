"""Stored and shown forms of declared things."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import Enum
from typing import Annotated, Any, NamedTuple

import pytest

from minutehand.domain.declaration.conversion import Unreadable, read_shown, read_stored, shown, stored
from minutehand.domain.declaration.field import Field, Pairs, features_of, needs_of
from minutehand.domain.job import DIALECTS, MOST_TEXTS
from minutehand.domain.job_key import JobKey
from minutehand.schedule import words
from minutehand.schedule.dialect import DIALECTS as KNOWN_DIALECTS

NINE = datetime(2026, 11, 20, 9, tzinfo=UTC)


class Shade(Enum):
    LIGHT = "light"
    DARK = "dark"
    STRIPED = "striped"


class Wheel(NamedTuple):
    size: int
    spare: bool = False


class Engine(NamedTuple):
    power: Annotated[float, Field("Kilowatts.")] = 50.0
    limit: Annotated[timedelta | None, Field("A limit.", needs="limited-engine")] = None


STANDARD = Engine()


@dataclass(frozen=True, kw_only=True)
class Car:
    """A thing with a field of each kind."""

    key: Annotated[JobKey, Field(inline=True)]
    name_of_owner: Annotated[str, Field(name="owner", stored="o")] = ""
    shade: Annotated[Shade, Field(needs_for={Shade.STRIPED: "stripes"})] = Shade.LIGHT
    wheels: tuple[Wheel, ...] = ()
    engine: Engine = STANDARD
    labels: Pairs = ()
    texts: str | tuple[str, ...] = ""
    service: timedelta = timedelta(hours=24)
    lap: Annotated[timedelta | None, Field(name="lap_ms", stored="lap_ms", unit="ms")] = None
    built_at: datetime | None = None
    expires_at: Annotated[datetime | None, Field(unit="epoch")] = None
    trips: Mapping[Shade, int] = field(default_factory=dict)
    count: Annotated[int, Field(always=True)] = 0
    secret: Annotated[str, Field(hidden=True)] = ""
    cache: Annotated[str, Field(apart=True)] = ""
    unknown: Annotated[Mapping[str, Any], Field(apart=True, hidden=True)] = field(default_factory=dict)


PLAIN = Car(key=JobKey("a", "b"))
FULL = Car(
    key=JobKey("a", "b"),
    name_of_owner="ada",
    shade=Shade.DARK,
    wheels=(Wheel(17), Wheel(15, spare=True)),
    engine=Engine(power=75.5),
    labels=(("x", "1"), ("y", "2")),
    texts=("one", "two"),
    service=timedelta(hours=36),
    lap=timedelta(milliseconds=1500),
    built_at=NINE,
    expires_at=NINE,
    trips={Shade.DARK: 3},
    count=7,
    secret="s",
)


def test_a_stored_form_leaves_out_defaults_but_what_is_always_stored() -> None:
    assert stored(PLAIN) == {"namespace": "a", "name": "b", "count": 0}


def test_a_stored_form_is_compact() -> None:
    assert stored(FULL) == {
        "namespace": "a",
        "name": "b",
        "o": "ada",
        "shade": "dark",
        "wheels": [{"size": 17}, {"size": 15, "spare": True}],
        "engine": {"power": 75.5},
        "labels": {"x": "1", "y": "2"},
        "texts": ["one", "two"],
        "service": 129_600,
        "lap_ms": 1500,
        "built_at": "2026-11-20T09:00:00Z",
        "expires_at": 1_795_165_200,
        "trips": {"dark": 3},
        "count": 7,
        "secret": "s",
    }


def test_a_document_shows_every_field_that_is_not_hidden() -> None:
    document = shown(FULL)
    assert "secret" not in document
    assert (document["owner"], document["service"], document["lap_ms"]) == ("ada", "1d12h", 1500)
    assert shown(PLAIN)["engine"] == {"power": 50, "limit": None}
    assert shown(PLAIN)["built_at"] is None


@pytest.mark.parametrize("car", [PLAIN, FULL])
def test_what_was_written_is_read_back(car: Car) -> None:
    assert read_stored(Car, stored(car)) == car
    document = {name: value for name, value in shown(car).items() if value is not None}
    assert read_shown(Car, document) == Car(**{**_fields(car), "secret": ""})


def test_unknown_fields_are_kept_at_their_place_and_written_again() -> None:
    plain = stored(FULL) | {"color": {"red": 255}, "engine": {"power": 75.5, "fuel": "gas"}}
    read = read_stored(Car, plain)
    assert read.unknown == {"color": {"red": 255}, "engine": {"fuel": "gas"}}
    assert stored(read) == plain


def test_an_unknown_field_of_one_thing_among_several_has_no_place_and_is_refused() -> None:
    with pytest.raises(Unreadable, match="field 'color' is not known to this version"):
        read_stored(Car, stored(PLAIN) | {"wheels": [{"size": 17, "color": "red"}]})


@pytest.mark.parametrize(
    ("damage", "words_"),
    [
        ({"count": "7"}, "field 'count' of Car cannot be read: '7' is not a whole number"),
        ({"count": True}, "True is not a whole number"),
        ({"shade": "grey"}, "'grey' is not a valid Shade"),
        ({"service": "24h"}, "'24h' is not a whole number"),
        ({"built_at": "yesterday"}, "field 'built_at' of Car cannot be read"),
        ({"wheels": [{}]}, "field 'size' of Wheel is missing"),
        ({"wheels": 5}, "field 'wheels' of Car cannot be read"),
        ({"o": 5}, "5 is not text"),
        ({"engine": "fast"}, "field 'engine' of Car cannot be read"),
    ],
)
def test_a_damaged_form_says_which_field_cannot_be_read(damage: dict[str, Any], words_: str) -> None:
    with pytest.raises(Unreadable, match=words_):
        read_stored(Car, stored(PLAIN) | damage)


def test_a_form_that_is_no_object_says_so() -> None:
    with pytest.raises(Unreadable, match="this is no Car: 'x'"):
        read_stored(Car, "x")


def test_a_form_without_its_key_says_so() -> None:
    with pytest.raises(Unreadable, match="'key' of Car is incomplete"):
        read_stored(Car, {"count": 0})


def test_a_thing_needs_the_features_of_the_fields_that_it_uses() -> None:
    assert features_of(Car) == {"limited-engine", "stripes"}
    assert needs_of(FULL) == frozenset()
    assert needs_of(Car(key=JobKey("a", "b"), engine=Engine(limit=timedelta(1)))) == {"limited-engine"}
    assert needs_of(Car(key=JobKey("a", "b"), shade=Shade.DARK)) == frozenset()
    assert needs_of(Car(key=JobKey("a", "b"), shade=Shade.STRIPED)) == {"stripes"}


def test_what_a_job_declares_of_schedules_is_what_the_library_has() -> None:
    assert set(DIALECTS) == set(KNOWN_DIALECTS)
    assert MOST_TEXTS == words.MOST_TEXTS


def _fields(car: Car) -> dict[str, Any]:
    return {name: getattr(car, name) for name in Car.__dataclass_fields__}
