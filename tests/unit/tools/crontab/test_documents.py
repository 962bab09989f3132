from collections.abc import Mapping
from typing import Any

import pytest

from minutehand.tools.crontab.documents import TemplateFault, document_of, make_template
from minutehand.tools.crontab.reading import read_crontab

URL = "https://example.com/run"


def document(text: str, fields: Mapping[str, Any] | None = None, *, user: str | None = None, **more: Any) -> Any:
    [line] = read_crontab(text, system=False).lines
    template = make_template(fields or {}, **({"url": URL, "method": None, "headers": ()} | more))
    return document_of(line, name="job", source="web", namespace="ops", timezone="UTC", user=user, template=template)


def test_a_line_is_a_job_with_its_command_in_the_payload() -> None:
    found = document("MAILTO=team\n# Why.\n0 3 * * 1 run it%now", user="www-data")
    line = found["labels"].pop("crontab/line")
    assert len(line) == 12
    assert found == {
        "namespace": "ops",
        "name": "job",
        "description": "Why.",
        "owner": "team",
        "labels": {"crontab/source": "web", "crontab/user": "www-data", "crontab/mailto": "team"},
        "schedule": "0 3 * * 1",
        "timezone": "UTC",
        "dialect": "vixie",
        "target": {"type": "http", "url": URL},
        "payload": {"command": "run it", "stdin": "now\n", "user": "www-data", "environment": {"MAILTO": "team"}},
    }


def test_the_identity_of_a_line_is_what_runs_not_when() -> None:
    def line(text: str, user: str | None = None) -> str:
        return str(document(text, user=user)["labels"]["crontab/line"])

    assert line("@daily a") == line("A=1\n# Why.\n0 3 * * * a")
    assert (
        len({line("@daily a"), line("@daily a", "root"), line("@daily b"), line("@daily a%"), line("@daily a%b")}) == 5
    )


def test_the_template_fills_in_what_the_line_does_not_say() -> None:
    fields = {
        "description": "ours",
        "owner": "platform",
        "labels": {"team": "a", "crontab/source": "no"},
        "timeout": "5m",
        "payload": {"host": "web-1"},
        "target": {"type": "http", "url": "https://other", "method": "PUT", "headers": {"x-a": "1", "X-B": "2"}},
    }
    plain = document("@daily a", fields, method="POST", headers=(("X-A", "3"),))
    assert (plain["description"], plain["owner"], plain["timeout"]) == ("ours", "platform", "5m")
    assert (plain["labels"]["team"], plain["labels"]["crontab/source"]) == ("a", "web")
    assert plain["payload"]["host"] == "web-1"
    assert plain["target"] == {"type": "http", "url": URL, "method": "POST", "headers": {"X-B": "2", "X-A": "3"}}
    said = document("MAILTO=me\n# mine\n@daily a", fields)
    assert (said["description"], said["owner"]) == ("mine", "me")


@pytest.mark.parametrize(
    ("mailto", "owner", "label"),
    [('""', None, ""), ("a" * 128, "a" * 128, "a" * 128), ("a" * 129, None, "a" * 129), ("a" * 256, None, None)],
)
def test_mailto_is_kept_where_it_fits(mailto: str, owner: str | None, label: str | None) -> None:
    found = document(f"MAILTO={mailto}\n@daily a")
    assert found.get("owner") == owner
    assert found["labels"].get("crontab/mailto") == label
    assert found["payload"]["environment"]["MAILTO"] == mailto.strip('"')


def test_a_url_may_hold_the_name_the_user_and_the_source() -> None:
    found = document("@daily a", url="https://x/{source}/{user}/{name}?n={name}", user="me/ü")
    assert found["target"]["url"] == "https://x/web/me%2F%C3%BC/job?n=job"


@pytest.mark.parametrize(
    ("fields", "more", "path"),
    [
        ({"name": "a"}, {}, "name"),
        ({"schedule": "@daily"}, {}, "schedule"),
        ({"dialect": "robfig"}, {}, "dialect"),
        ({"labels": ["a"]}, {}, "labels"),
        ({"payload": "text"}, {}, "payload"),
        ({"target": "text"}, {}, "target"),
        ({"payload": {"command": "a"}}, {}, "payload.command"),
        ({"target": {"type": "sqs"}}, {}, "target.type"),
        ({}, {"url": None}, "target.url"),
        ({}, {"url": "https://{host}"}, "target.url"),
        ({}, {"url": "https://x/{user}"}, "target.url"),
    ],
)
def test_a_template_that_cannot_be_used_is_refused_with_its_field_and_a_hint(
    fields: dict[str, Any], more: dict[str, Any], path: str
) -> None:
    with pytest.raises(TemplateFault) as error:
        document("@daily a", fields, **more)
    assert error.value.path == path
    assert error.value.hint


def test_a_target_of_another_type_is_taken_as_it_is() -> None:
    target = {"type": "sqs", "queue_url": "https://queue"}
    assert document("@daily a", {"target": target}, url=None)["target"] == target
