"""Endpoints in the API: registration with a service, and those of a job."""

from __future__ import annotations

from datetime import timedelta

import pytest

from minutehand.adapters.memory import MemoryBalances
from minutehand.domain.balance import CallEnd, Ejection, hold_of
from minutehand.domain.endpoint import Endpoint
from minutehand.domain.service import MOST_REGISTERED, Registration, Service, ServiceKey
from minutehand.entrypoints.api.app import make_app
from minutehand.entrypoints.api.call import Deployment
from minutehand.entrypoints.api.forms.accept import Terms
from minutehand.targets.http.allow_list import AllowList
from minutehand.targets.terms import TargetTerms
from tests.support.memory_ports import memory_balancing
from tests.unit.api.conftest import HEARTBEAT, NOON, Api, known_tokens

SERVICE = "/v1/namespaces/demo/services/reports/endpoints"
A = {"url": "https://10.0.3.7:8443", "weight": 3, "ttl": "30s"}
SECOND = timedelta(seconds=1)


def job(**endpoints: object) -> dict[str, object]:
    url = "http://reports.internal/clean"
    return {"schedule": "0 * * * *", "target": {"type": "http", "url": url, "endpoints": endpoints}}


def test_an_endpoint_registers_itself_and_renews_that_before_its_time_is_over(api, clock):
    first = api.put(A, f"{SERVICE}/a")
    assert first.status == 201
    assert first.body == {
        "name": "a",
        "url": "https://10.0.3.7:8443",
        "weight": 3,
        "expires_at": "2026-11-20T12:01:00Z",
    }
    clock.move(seconds=20)
    again = api.put(A, f"{SERVICE}/a")
    assert (again.status, again.body["expires_at"]) == (200, "2026-11-20T12:01:20Z")
    assert api.get(SERVICE).body == {"items": [again.body], "next": None}
    clock.move(seconds=30)
    assert api.get(SERVICE).body == {"items": [], "next": None}


def test_by_default_a_registration_lasts_a_minute_with_weight_one(api):
    answer = api.put({"url": "http://10.0.3.7/base/"}, f"{SERVICE}/a")
    assert answer.body == {
        "name": "a",
        "url": "http://10.0.3.7/base",
        "weight": 1,
        "expires_at": "2026-11-20T12:01:30Z",
    }


def test_a_registered_endpoint_is_removed(api):
    api.put(A, f"{SERVICE}/a")
    assert api.delete(f"{SERVICE}/a").status == 204
    answer = api.delete(f"{SERVICE}/a")
    assert (answer.status, answer.body["detail"]) == (404, "the service demo/reports has no endpoint a")


@pytest.mark.parametrize(
    ("role", "allowed"),
    [("viewer", {"GET"}), ("operator", {"GET", "PUT", "DELETE"}), ("admin", {"GET", "PUT", "DELETE"})],
)
def test_an_operator_of_the_namespace_may_register_and_a_viewer_may_look(api, role, allowed):
    api.put(A, f"{SERVICE}/a")
    asked = api.by(role=role, namespaces="demo")
    answers = {
        "GET": asked.get(SERVICE),
        "PUT": asked.put(A, f"{SERVICE}/a"),
        "DELETE": asked.delete(f"{SERVICE}/a"),
    }
    assert {method for method, answer in answers.items() if answer.status < 300} == allowed
    assert api.by(role="admin", namespaces="shop").put(A, f"{SERVICE}/a").status == 403


@pytest.mark.parametrize(
    ("change", "path", "message"),
    [
        ({"url": "reports"}, "url", "the URL does not begin with http:// or https://"),
        ({"url": "https://10.0.3.7/?x=1"}, "url", "an endpoint has no query and no fragment"),
        ({"url": "https://ada:secret@10.0.3.7"}, "url", "the URL contains a user or password"),
        ({"url": "http://169.254.169.254"}, "url", "no job may call this host: it is link-local"),
        ({"url": "http://0xa9fea9fe/"}, "url", "no job may call this host: it is link-local"),
        ({"url": "http://[v1.x]"}, "url", "this is not a URL"),
        ({"url": "HTTP://10.0.3.7"}, "url", "the URL does not begin with http:// or https://"),
        ({"url": "http://localhost:1"}, "url", "no job may call this host: it is loopback"),
        ({"url": "https://" + "a" * 200}, "url", "this has 208 characters"),
        ({"weight": 0}, "weight", "0 is out of range"),
        ({"ttl": "9s"}, "ttl", "9s is too short"),
        ({"ttl": "2d"}, "ttl", "2d is too long"),
        ({"wieght": 1}, "wieght", "unknown field"),
    ],
)
def test_bad_input_is_refused_with_its_place_and_what_would_be_right(api, change, path, message):
    answer = api.put(A | change, f"{SERVICE}/a")
    assert answer.status == 422
    error = answer.errors[path]
    assert error["message"].startswith(message), error
    assert error["hint"]


def test_a_registration_without_url_and_with_a_bad_name_is_told_both(api):
    answer = api.put({}, f"{SERVICE}/A")
    assert set(answer.errors) == {"url", "endpoint"}
    assert answer.errors["endpoint"]["hint"].startswith("did you mean 'a'?")
    assert api.get("/v1/namespaces/demo/services/Reports/endpoints").errors["service"]


def test_an_endpoint_outside_the_allowed_targets_is_refused(ports, state, clock):
    allowed = TargetTerms(allowed=AllowList.parse("10.1.0.0/16"))
    api = Api(
        app=make_app(
            Deployment(
                tokens_of=known_tokens,
                ports_of=lambda: ports,
                terms=Terms(targets=allowed),
                balancing_of=lambda: memory_balancing(state, clock),
            )
        )
    )
    assert "AllowedTargets" in api.put(A, f"{SERVICE}/a").errors["url"]["hint"]
    assert api.put(A | {"url": "http://10.1.2.3"}, f"{SERVICE}/a").status == 201


def test_a_service_has_a_bounded_number_of_endpoints_at_a_time(api, state, clock):
    for number in range(MOST_REGISTERED):
        assert api.put(A, f"{SERVICE}/a-{number}").status == 201
    full = api.put(A, f"{SERVICE}/one-more")
    assert (full.status, full.body["title"]) == (409, "Conflict with the current state")
    assert full.body["detail"].startswith("the service demo/reports has 50 endpoints, which is the most; remove one")
    assert api.put(A, f"{SERVICE}/a-7").status == 200, "those that are there may renew"
    clock.move(seconds=30)
    assert api.put(A, f"{SERVICE}/one-more").status == 201
    [service] = state.services.values()
    assert len(service.registrations) == 1, "those whose time is over are dropped"


def test_registrations_that_meet_others_each_time_are_asked_to_come_again(api, state, monkeypatch):
    monkeypatch.setattr("minutehand.adapters.memory.MemoryServices.add", lambda *_: False)
    answer = api.put(A, f"{SERVICE}/a")
    assert (answer.status, "send the request again" in answer.body["detail"]) == (409, True)


def test_only_the_first_registration_is_logged(api, lines):
    api.put(A, f"{SERVICE}/a")
    api.put(A, f"{SERVICE}/a")
    api.delete(f"{SERVICE}/a")
    logged = [line for line in lines() if line.get("action") in ("register", "deregister")]
    assert [(line["action"], line["endpoint"], line["namespace"], line["token"]) for line in logged] == [
        ("register", "reports/a", "demo", "ada"),
        ("deregister", "reports/a", "demo", "ada"),
    ]


def test_the_endpoints_of_a_job_are_shown_with_how_they_fare(api, state):
    listed = [{"url": "https://a/"}, {"url": "https://b", "weight": 2}]
    assert api.put(job(listed=listed, choose="fewest")).status == 201
    balances, fails = MemoryBalances(state), CallEnd("https://a", None, True, Ejection(1, 30 * SECOND))
    balances.record(HEARTBEAT, fails, NOON)
    balances.take(HEARTBEAT, balances.get(HEARTBEAT), hold_of("https://b", NOON, 5 * SECOND), NOON)
    answer = api.by(role="viewer").get("/v1/namespaces/demo/jobs/heartbeat/endpoints")
    assert answer.body == {
        "job": "demo/heartbeat",
        "source": "listed",
        "choose": "fewest",
        "calls": 1,
        "items": [
            {
                "url": "https://a",
                "weight": 1,
                "failures": 1,
                "ejected_until": "2026-11-20T12:01:00Z",
                "in_flight": 0,
                "expires_at": None,
            },
            {
                "url": "https://b",
                "weight": 2,
                "failures": 0,
                "ejected_until": None,
                "in_flight": 1,
                "expires_at": None,
            },
        ],
    }


def test_the_endpoints_of_a_job_with_a_service_are_those_that_are_registered_now(api, state):
    api.put(job(registered="reports"))
    api.put(A, f"{SERVICE}/a")
    answer = api.get("/v1/namespaces/demo/jobs/heartbeat/endpoints").body
    assert (answer["source"], answer["items"]) == (
        "registered",
        [
            {
                "url": A["url"],
                "weight": 3,
                "failures": 0,
                "ejected_until": None,
                "in_flight": None,
                "expires_at": "2026-11-20T12:01:00Z",
            }
        ],
    )


def test_of_a_service_in_cloud_map_those_are_shown_that_failed(ports, state, clock):
    terms = Terms(targets=TargetTerms(cloud_map=("shop.*",)))
    api = Api(
        app=make_app(
            Deployment(
                tokens_of=known_tokens,
                ports_of=lambda: ports,
                terms=terms,
                balancing_of=lambda: memory_balancing(state, clock),
            )
        )
    )
    assert api.put(job(cloud_map={"namespace": "shop.internal", "service": "reports"})).status == 201
    MemoryBalances(state).record(HEARTBEAT, CallEnd("https://a", None, True, Ejection(3, SECOND)), NOON)
    answer = api.get("/v1/namespaces/demo/jobs/heartbeat/endpoints").body
    assert (answer["source"], [(each["url"], each["weight"]) for each in answer["items"]]) == (
        "cloud_map",
        [("https://a", None)],
    )


def test_a_job_with_one_url_has_no_endpoints(api):
    path = "/v1/namespaces/demo/jobs/heartbeat/endpoints"
    assert api.get(path).status == 404
    api.put()
    assert api.get(path).body["detail"].startswith("the job demo/heartbeat has no endpoints")


def test_a_registration_that_is_over_is_not_listed_even_if_the_store_still_has_it(api, state, clock):
    key = ServiceKey("demo", "reports")
    over = Registration("a", Endpoint("http://a"), NOON)
    state.services[key] = Service(key=key, changes=1, registrations=(over,))
    assert api.get(SERVICE).body["items"] == []


def test_services_are_listed_by_pages_with_the_number_of_their_endpoints_that_count_now(api, clock):
    for service, ttl in (("reports", "1m"), ("web", "1h"), ("b", "1h")):
        api.put({"url": "https://10.0.3.7", "ttl": ttl}, f"/v1/namespaces/demo/services/{service}/endpoints/a")
    clock.move(minutes=2)
    path = "/v1/namespaces/demo/services"
    first = api.get(path, query={"limit": "2"}).body
    second = api.get(path, query={"limit": "2", "cursor": first["next"]}).body
    found = [*first["items"], *second["items"]]
    assert [(each["name"], each["endpoints"]) for each in found] == [("b", 1), ("reports", 0), ("web", 1)]
    assert second["next"] is None
    assert api.get("/v1/namespaces/other/services").body == {"items": [], "next": None}


@pytest.mark.parametrize(
    ("endpoints", "path", "message"),
    [
        ({}, "target.endpoints", "this gives none of listed, cloud_map and registered"),
        ({"listed": []}, "target.endpoints", "this gives none of listed, cloud_map and registered"),
        ({"listed": [{"url": "https://a"}], "registered": "a"}, "target.endpoints", "this gives listed and registered"),
        ({"listed": [{"url": "https://a/?q"}]}, "target.endpoints.listed[0].url", "an endpoint has no query"),
        ({"listed": [{"weight": 1}]}, "target.endpoints.listed[0].url", "this is required"),
        ({"listed": [{"url": "https://a", "weight": 101}]}, "target.endpoints.listed[0].weight", "101 is out of range"),
        (
            {"listed": [{"url": "https://a"}, {"url": "https://a/"}]},
            "target.endpoints.listed[1].url",
            "https://a/ is listed twice",
        ),
        (
            {"listed": [{"url": "https://a"}, {"url": "https://[::1]:80"}]},
            "target.endpoints.listed[1].url",
            "no job may call this host: it is loopback",
        ),
        ({"listed": [{"url": "https://a"}] * 51}, "target.endpoints.listed", "this has 51 entries"),
        ({"registered": "Reports"}, "target.endpoints.registered", "'Reports' is not a valid name"),
        (
            {"cloud_map": {"namespace": "shop.internal", "service": "reports"}},
            "target.endpoints.cloud_map.namespace",
            "jobs here may not look for endpoints in the namespace shop.internal",
        ),
        ({"cloud_map": {"service": "reports"}}, "target.endpoints.cloud_map.namespace", "this is required"),
        (
            {"cloud_map": {"namespace": "arn:aws:x", "service": "r"}},
            "target.endpoints.cloud_map.namespace",
            "'arn:aws:x' is not a name in AWS Cloud Map",
        ),
        ({"registered": "r", "choose": "random"}, "target.endpoints.choose", "'random' is not a valid value"),
        ({"registered": "r", "eject": {"after": 0}}, "target.endpoints.eject.after", "0 is out of range"),
        ({"registered": "r", "eject": {"for": "2h"}}, "target.endpoints.eject.for", "2h is too long"),
        ({"registered": "r", "wieghts": 1}, "target.endpoints.wieghts", "unknown field"),
    ],
)
def test_bad_endpoints_of_a_job_are_refused_with_their_place(api, endpoints, path, message):
    answer = api.put(job(**endpoints))
    assert answer.status == 422
    assert path in answer.errors, answer.errors
    assert answer.errors[path]["message"].startswith(message), answer.errors
    assert answer.errors[path].get("hint")


def test_the_url_of_a_job_with_endpoints_is_not_judged_since_nobody_calls_its_host(api):
    document = job(registered="reports")
    document["target"]["url"] = "http://localhost/clean"  # type: ignore[index]
    assert api.put(document).status == 201
    shown = api.get().body["target"]["endpoints"]
    assert shown == {
        "listed": [],
        "cloud_map": None,
        "registered": "reports",
        "choose": "round_robin",
        "next_endpoint": "attempt",
        "eject": {"after": 3, "for": "30s"},
    }


def test_a_job_whose_url_is_https_lists_no_http_endpoint(api):
    wanted = job(listed=[{"url": "https://a"}, {"url": "http://b"}])
    wanted["target"]["url"] = "https://reports.internal/clean"
    [(path, problem)] = api.put(wanted).errors.items()
    assert path == "target.endpoints.listed[1].url"
    assert problem["message"].startswith("this is an http URL, while target.url is https")
