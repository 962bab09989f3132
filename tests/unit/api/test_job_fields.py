"""A job's fields over HTTP: each is answered as it was sent, or with its default."""

from __future__ import annotations

from datetime import timedelta

from minutehand.domain.job import Job
from minutehand.entrypoints.api.app import make_app
from minutehand.entrypoints.api.call import Deployment
from minutehand.entrypoints.api.forms.accept import Terms
from minutehand.targets.http.fields import HttpTarget
from minutehand.usecases.definitions import manage
from minutehand.usecases.ports.bundle import Ports
from tests.unit.api.conftest import HEARTBEAT, JOB, Answer, Api, known_tokens

FULL = {
    "namespace": "demo",
    "name": "heartbeat",
    "description": "Says that we live.\nEvery hour.",
    "owner": "ops@example.com",
    "labels": {"team": "a", "tier": "1"},
    "schedule": "30 9 * * MON-FRI",
    "timezone": "Europe/Paris",
    "dialect": "vixie",
    "calendars": ["holidays", "inventory"],
    "on_blocked": "next_day",
    "start_at": "2026-11-21T00:00:00Z",
    "end_at": "2027-11-21T00:00:00Z",
    "max_runs": 12,
    "jitter": "1m30s",
    "depends_on": [{"job": "demo/extract", "on": "success"}, {"job": "other/load", "on": "end"}],
    "join": "any",
    "join_window": "1d",
    "paused": False,
    "target": {
        "type": "http",
        "method": "PUT",
        "url": "https://example.com:8443/hook?x=1",
        "endpoints": {
            "listed": [{"url": "https://10.0.3.7:8443", "weight": 2}, {"url": "https://10.0.3.8/base", "weight": 1}],
            "cloud_map": None,
            "registered": None,
            "choose": "fewest",
            "next_endpoint": "retry",
            "eject": {"after": 5, "for": "1m"},
        },
        "headers": {"X-A": "b", "Content-Type": "text/plain"},
        "query": {"day": "{{scheduled_for}}"},
        "body": {"json": {"id": "{{payload.a[0]}}", "rows": '{{parents["other/load"].state}}'}, "form": {}, "text": ""},
        "tls": {"ca": "", "client_certificate": ""},
        "signing_key": "",
        "redirects": 2,
        "expect": {"status": ["200", "4xx"], "body": "queued|accepted"},
        "mode": "callback",
        "heartbeat": "30s",
    },
    "payload": {"a": [1, 2.5, None, True, "ü"]},
    "misfire_grace": "90s",
    "catch_up": "all",
    "catchup_window": "2d",
    "max_catch_up": 150,
    "overlap": "replace",
    "start_within": "45m",
    "max_concurrency": 3,
    "limits": [{"name": "db", "max": 3}, {"name": "licence", "max": 1}],
    "timeout": "2h",
    "run_timeout": "1d",
    "retry": {
        "max_attempts": 5,
        "backoff": {"initial": "1m", "factor": 1.5, "max": "1h", "jitter": 0},
        "retry_on": ["5xx", "429", "timed_out", "ConnectionRefused"],
        "give_up_on": ["501"],
    },
    "takeovers": 0,
    "retention": "7d",
    "retention_count": 100,
    "shadow": True,
    "record_units": True,
}


def put_full(api: Api) -> Answer:
    """Save the calendars and the parents that `FULL` names, and the job."""
    for name in ("demo/jobs/extract", "other/jobs/load"):
        api.put(path=f"/v1/namespaces/{name}")
    for name in FULL["calendars"]:
        api.put({}, path=f"/v1/namespaces/demo/calendars/{name}")
    return api.put(FULL)


def test_a_status_may_be_written_as_a_number(api: Api) -> None:
    target = JOB["target"] | {"expect": {"status": [404, "2xx"]}}
    retry = {"max_attempts": 2, "retry_on": [503, "timed_out"], "give_up_on": [501]}
    answer = api.put(JOB | {"target": target, "retry": retry})
    assert (answer.status, answer.body.get("errors")) == (201, None)
    assert answer.body["target"]["expect"]["status"] == ["404", "2xx"]
    assert (answer.body["retry"]["retry_on"], answer.body["retry"]["give_up_on"]) == (["503", "timed_out"], ["501"])


def test_a_new_job_is_answered_with_201_and_every_field_filled_in(api: Api) -> None:
    answer = api.put()
    assert answer.status == 201
    assert answer.headers["content-type"] == "application/json"
    assert answer.body == {
        "namespace": "demo",
        "name": "heartbeat",
        "description": "",
        "owner": "",
        "labels": {},
        "schedule": "0 * * * *",
        "timezone": "UTC",
        "dialect": None,
        "calendars": [],
        "on_blocked": "skip",
        "start_at": None,
        "end_at": None,
        "max_runs": None,
        "jitter": None,
        "depends_on": [],
        "join": "all",
        "join_window": None,
        "paused": False,
        "target": {
            "type": "http",
            "method": "POST",
            "url": "https://example.com/hook",
            "endpoints": None,
            "headers": {},
            "query": {},
            "body": None,
            "tls": {"ca": "", "client_certificate": ""},
            "signing_key": "",
            "redirects": 0,
            "expect": {"status": ["2xx"], "body": ""},
            "mode": "auto",
            "heartbeat": None,
        },
        "payload": None,
        "misfire_grace": "5m",
        "catch_up": "latest",
        "catchup_window": "1d",
        "max_catch_up": 100,
        "overlap": "allow",
        "start_within": None,
        "max_concurrency": None,
        "limits": [],
        "timeout": "1m",
        "run_timeout": None,
        "retry": {
            "max_attempts": 1,
            "backoff": {"initial": "10s", "factor": 2, "max": "15m", "jitter": 0.1},
            "retry_on": [],
            "give_up_on": [],
        },
        "takeovers": 2,
        "retention": "30d",
        "retention_count": None,
        "shadow": False,
        "record_units": False,
        "status": {
            "revision": 1,
            "updated_at": "2026-11-20T12:00:30Z",
            "updated_by": "ada",
            "next_run_at": "2026-11-20T13:00:00Z",
            "idle_because": None,
            "paused_until": None,
            "runs_left": None,
            "shadow_of": None,
            "children": [],
            "deleted_parents": [],
            "description": "Every hour",
            "timezone": "UTC",
            "dialect": "vixie",
        },
        "warnings": [],
    }


def test_every_field_that_is_sent_is_answered_as_sent(api: Api) -> None:
    answer = put_full(api)
    assert answer.status == 201
    said = {name: value for name, value in answer.body.items() if name not in ("status", "warnings")}
    assert said == FULL | {"misfire_grace": "1m30s"}
    assert answer.body["status"]["next_run_at"] == "2026-11-23T08:30:00Z"


def test_the_defaults_of_the_form_are_those_of_a_job(api: Api, ports: Ports) -> None:
    api.put()
    stored = manage.get(ports, HEARTBEAT).job
    target = HttpTarget(method="POST", url="https://example.com/hook")
    assert stored == Job(key=HEARTBEAT, schedule="0 * * * *", target=target)


def test_a_job_of_parents_needs_no_schedule_and_parents_without_a_namespace_are_in_its_own(api: Api) -> None:
    api.put(path="/v1/namespaces/demo/jobs/extract")
    job = api.put({"target": JOB["target"], "depends_on": [{"job": "extract"}]}).body
    assert job["schedule"] == "@manual"
    assert job["depends_on"] == [{"job": "demo/extract", "on": "success"}]


def test_a_job_without_retention_gets_the_deployments(ports: Ports) -> None:
    brief = Api(
        app=make_app(
            Deployment(tokens_of=known_tokens, ports_of=lambda: ports, terms=Terms(retention=timedelta(days=7)))
        )
    )
    assert brief.put().body["retention"] == "7d"
    assert brief.put(JOB | {"retention": "90d"}).body["retention"] == "90d"


def test_the_deployments_retention_must_cover_the_longest_run(ports: Ports) -> None:
    short = Api(
        app=make_app(
            Deployment(tokens_of=known_tokens, ports_of=lambda: ports, terms=Terms(retention=timedelta(days=3)))
        )
    )
    [error] = short.put(JOB | {"run_timeout": "5d"}).body["errors"]
    assert error["path"] == "retention"
    assert "3d is shorter than run_timeout, which is 5d" in error["message"]
    assert short.put(JOB | {"run_timeout": "5d", "retention": "5d"}).status == 201


def test_saving_the_answer_of_get_changes_nothing(api: Api) -> None:
    put_full(api)
    shown = api.get().body
    again = api.put(shown)
    assert again.status == 200
    assert again.body == shown | {"warnings": []}


def test_the_order_of_labels_and_headers_does_not_matter(api: Api) -> None:
    put_full(api)
    turned = FULL | {"labels": dict(reversed(FULL["labels"].items()))}
    turned["target"] = FULL["target"] | {"headers": dict(reversed(FULL["target"]["headers"].items()))}
    assert api.put(turned).body["status"]["revision"] == 1


def test_a_summary_has_no_payload(api: Api) -> None:
    put_full(api)
    whole = api.get().body
    _, item = api.get("/v1/namespaces/demo/jobs").body["items"]
    shared = ("namespace", "name", "description", "owner", "labels", "schedule", "timezone", "paused", "status")
    described = whole["status"].keys() - item["status"].keys()
    assert described == {"description", "timezone", "dialect", "children", "deleted_parents"}
    whole["status"] = {name: value for name, value in whole["status"].items() if name not in described}
    assert item == {name: whole[name] for name in shared} | {"target_type": "http"}
