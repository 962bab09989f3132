"""URLs of targets and endpoints: what is judged when they are saved is what is called."""

from __future__ import annotations

import pytest

from minutehand.domain.declaration.conversion import read_shown
from minutehand.domain.declaration.field import Refused
from minutehand.domain.job import Job
from minutehand.targets import fields_by_type
from minutehand.targets.http.endpoints.calling import at
from minutehand.targets.http.request import url_of
from minutehand.targets.http.texts import check_url, normal_url, place_of

FORMS = [
    ("https://Example.COM/A?b=C#D", "https://example.com/A?b=C#D"),
    ("https://example.com", "https://example.com"),
    ("https://example.com.:443/", "https://example.com./"),
    ("http://example.com:", "http://example.com"),
    ("http://127.0.0.1:04792", "http://127.0.0.1:4792"),
    ("http://a:00080?x", "http://a?x"),
    ("http://a:443", "http://a:443"),
    ("http://a/%7e/../b", "http://a/%7e/../b"),
    ("http://[2001:DB8:0:0::1]:81/", "http://[2001:db8::1]:81/"),
    ("http://0x0a.3/x", "http://10.0.0.3/x"),
    ("http://167772163", "http://10.0.0.3"),
    ("http://012.0.0.3", "http://10.0.0.3"),
    ("http://10.0.0.3.", "http://10.0.0.3"),
    ("http://10.0.0.300.example", "http://10.0.0.300.example"),
    ("http://db_1.shop.internal:8080/", "http://db_1.shop.internal:8080/"),
]


@pytest.mark.parametrize(("given", "stored"), FORMS)
def test_a_place_has_one_form_in_which_it_is_stored(given: str, stored: str) -> None:
    assert normal_url(given) == stored
    assert normal_url(stored) == stored


@pytest.mark.parametrize(("given", "stored"), FORMS)
def test_a_call_goes_to_the_host_and_the_port_that_were_judged(given: str, stored: str) -> None:
    judged = place_of(given)
    called = url_of(stored)
    assert called.scheme == judged.scheme
    assert (called.host or "").strip("[]") == judged.host
    assert (called.port or {"http": 80, "https": 443}[judged.scheme]) == judged.port


@pytest.mark.parametrize(
    "text",
    [
        "http://[v1.x]",
        "http://[::127.0.0.999]",
        "http://a/b#c",
        "http://a#",
        "http://a:0",
        "http://a:70000",
        "http://a:b",
        "http://@a",
        "http://a:b@c",
        "http://",
        "http:/a",
        "http:a",
        "//a",
        "HTTP://a",
        "ftp://a",
        "http://a%2eb",
        "http://[fe80::1%25eth0]",
        "http://a b",
        "http://a\n",
        "",
    ],
)
def test_what_no_call_could_use_is_refused(text: str) -> None:
    with pytest.raises(Refused) as caught:
        check_url(text)
    assert caught.value.hint


def test_a_job_is_saved_with_its_urls_in_one_form() -> None:
    document = {
        "namespace": "demo",
        "name": "a",
        "target": {
            "type": "http",
            "url": "https://Example.com:0443/A",
            "endpoints": {"listed": [{"url": "https://10.3:08443/Base/"}]},
        },
    }
    target = read_shown(Job, document | {"schedule": "@daily"}, fields_by_type()).target
    assert getattr(target, "url") == "https://example.com/A"  # noqa: B009 - a target of any type
    assert getattr(target, "endpoints").listed[0].url == "https://10.0.0.3:8443/Base/"  # noqa: B009 - the same


@pytest.mark.parametrize(
    ("endpoint", "url", "called"),
    [
        ("http://a", "https://b/c?d=1#e", "http://a/c?d=1"),
        ("http://a:81/base/", "https://b:82", "http://a:81/base/"),
        ("http://[fd00::1]:81/base", "https://b?x", "http://[fd00::1]:81/base/?x"),
        ("http://a/base", "https://b/../c", "http://a/base/c"),
    ],
)
def test_an_endpoint_replaces_scheme_host_and_port_and_may_have_a_base_path(
    endpoint: str, url: str, called: str
) -> None:
    assert at(endpoint, url) == called


def test_a_placeholder_in_a_url_is_refused_with_the_places_for_it() -> None:
    with pytest.raises(Refused) as refused:
        check_url("https://shop.test/{{payload.day}}")
    assert refused.value.column == len("https://shop.test/")
    assert "write values of the run into target.query" in refused.value.hint
