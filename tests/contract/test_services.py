"""Contract of stores of services whose endpoints register themselves."""

from __future__ import annotations

import pytest

from minutehand.domain.endpoint import Endpoint
from minutehand.domain.service import MOST_REGISTERED, Registration, Service, ServiceKey
from tests.contract.examples import HOUR, MILLISECONDS, MINUTE, NINE
from tests.contract.together import together

A = Registration("a.größe", Endpoint("https://10.0.3.7:8443", 7), NINE + MINUTE + MILLISECONDS)
B = Registration("b", Endpoint("http://[fd00::1]/base"), NINE + HOUR)


@pytest.fixture
def key(namespace: str) -> ServiceKey:
    return ServiceKey(namespace, "reports")


def test_a_service_is_made_by_its_first_registration(stores, key):
    assert stores.services.get(key) is None
    assert stores.services.add(Service(key=key), A, NINE)
    assert stores.services.get(key) == Service(key=key, changes=1, registrations=(A,))
    assert stores.services.get(ServiceKey(key.namespace, "report")) is None


def test_a_renewal_replaces_only_a_registration_that_is_there(stores, key):
    assert not stores.services.renew(key, A, NINE)
    assert stores.services.get(key) is None
    stores.services.add(Service(key=key), A, NINE)
    assert not stores.services.renew(key, B, NINE)
    later = A._replace(until=NINE + HOUR, endpoint=Endpoint("http://10.0.3.8"))
    assert stores.services.renew(key, later, NINE)
    assert stores.services.get(key) == Service(key=key, changes=1, registrations=(later,))


def test_an_addition_drops_registrations_that_are_over(stores, key):
    stores.services.add(Service(key=key), A, NINE)
    before = stores.services.get(key)
    assert stores.services.add(before, B, A.until)
    assert stores.services.get(key) == Service(key=key, changes=2, registrations=(B,))


def test_an_addition_drops_no_registration_that_was_renewed_or_removed_meanwhile(stores, key):
    stores.services.add(Service(key=key), A, NINE)
    before = stores.services.get(key)
    renewed = A._replace(until=NINE + HOUR)
    assert stores.services.renew(key, renewed, A.until)
    assert not stores.services.add(before, B, A.until)
    assert stores.services.get(key) == Service(key=key, changes=1, registrations=(renewed,))
    assert stores.services.remove(key, A.name)
    assert not stores.services.add(before, B, A.until)
    assert stores.services.add(stores.services.get(key), B, A.until)


def test_an_addition_drops_as_many_registrations_as_a_service_has(stores, key):
    service = Service(key=key)
    for number in range(MOST_REGISTERED):
        assert stores.services.add(service, A._replace(name=f"{number:03d}{'n' * 60}"), NINE)
        service = stores.services.get(key)
    assert stores.services.add(service, B, A.until)
    assert stores.services.get(key).registrations == (B,)


def test_an_addition_may_take_the_place_of_one_that_is_over(stores, key):
    stores.services.add(Service(key=key), A, NINE)
    again = A._replace(until=NINE + HOUR)
    assert stores.services.add(stores.services.get(key), again, A.until)
    assert stores.services.get(key).registrations == (again,)


def test_of_additions_at_once_one_succeeds_so_that_their_number_is_bounded(stores, key):
    empty = Service(key=key)
    added = together(lambda n: stores.services.add(empty, A._replace(name=str(n)), NINE))
    assert sum(added) == 1
    assert [each.name for each in stores.services.get(key).registrations] == [str(added.index(True))]


def test_a_registration_is_removed_once(stores, key):
    assert not stores.services.remove(key, A.name)
    stores.services.add(Service(key=key), A, NINE)
    stores.services.add(stores.services.get(key), B, NINE)
    assert stores.services.remove(key, A.name)
    assert not stores.services.remove(key, A.name)
    assert stores.services.get(key) == Service(key=key, changes=2, registrations=(B,))


def test_a_full_service_is_stored(stores, key):
    service = Service(key=key)
    for number in range(MOST_REGISTERED):
        url = f"https://{number:03d}{'x' * 190}"
        assert stores.services.add(service, replace_name(A, f"{number:03d}{'n' * 60}", url), NINE)
        service = stores.services.get(key)
    assert len(service.registrations) == MOST_REGISTERED


def test_a_service_is_not_listed_as_a_job_or_a_calendar(stores, key):
    stores.services.add(Service(key=key), A, NINE)
    assert stores.definitions.page(key.namespace, 10, None).items == ()
    assert stores.calendars.page(key.namespace, 10, None).items == ()


def replace_name(registration: Registration, name: str, url: str) -> Registration:
    return registration._replace(name=name, endpoint=Endpoint(url))


def test_the_services_of_a_namespace_are_listed_by_name_page_by_page(stores, namespace):
    for name in ("b", "a.1", "c"):
        stores.services.add(Service(key=ServiceKey(namespace, name)), A, NINE)
    first = stores.services.page(namespace, 2, None)
    second = stores.services.page(namespace, 2, first.next)
    assert [each.key.name for each in (*first.items, *second.items)] == ["a.1", "b", "c"]
    assert first.items[0].registrations == (A,)
    assert second.next is None
