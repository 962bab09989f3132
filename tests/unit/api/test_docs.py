"""The API's documentation names every route, field, parameter and kind of problem, and its schema is current."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from minutehand.cli.documents.files import parse_text
from minutehand.domain import findings
from minutehand.domain.calendar import MOST_SPANS, MOST_WEEKLY
from minutehand.domain.declaration.conversion import shown
from minutehand.domain.job_key import JobKey
from minutehand.domain.revision_history import MOST_NAMED, Did
from minutehand.domain.run import Result, Run
from minutehand.domain.run_key import RunKey
from minutehand.entrypoints.api import generate
from minutehand.entrypoints.api.documents.calendar import CalendarDocument
from minutehand.entrypoints.api.documents.job import JobDocument
from minutehand.entrypoints.api.documents.namespace import NamespaceDocument, QuotaDocument
from minutehand.entrypoints.api.documents.requests import ProgressRequest, ReportRequest
from minutehand.entrypoints.api.documents.tokens import CreatedTokenDocument, TokenRequest
from minutehand.entrypoints.api.forms.accept import Terms, accept
from minutehand.entrypoints.api.forms.model import flat
from minutehand.entrypoints.api.forms.schema import schema_of
from minutehand.entrypoints.api.problems import KINDS, Kind, WrongMethod
from minutehand.entrypoints.api.rendering.run import output_document, whole_document
from minutehand.entrypoints.api.routes import ROUTES
from minutehand.schedule.words import LONGEST
from minutehand.targets.terms import AwsTerms, TargetTerms
from minutehand.usecases.ports.stores import TICKS_LOOKED_FOR
from minutehand.usecases.queries.explain import MOST_BESIDE, MOST_FINDINGS
from minutehand.usecases.queries.show_output import LINK_LASTS, MOST_IN_AN_ANSWER, Shown
from tests.unit.api.conftest import NOON, PATH, Api, FakeClock

ROOT = Path(__file__).parents[3]
DOCS = ROOT / "docs" / "reference"
TEXT = (DOCS / "api.md").read_text(encoding="utf-8")
CALENDARS = "/v1/namespaces/shop/calendars"
ROWS = [line.split("|") for line in TEXT.splitlines() if line.startswith("| ")]
OF_OUTPUTS = TEXT.partition("\n### Outputs\n")[2].partition("\n### ")[0]
OF_CALENDARS = TEXT.partition("\n### Calendars\n")[2].partition("\n## ")[0]
IN_FIRST_CELLS = " ".join(row[1] for row in ROWS)


def test_every_route_is_documented_with_its_role() -> None:
    documented = {(row[1].strip(" `"), row[2].strip()) for row in ROWS if " /" in row[1]}
    agents = {True: " or agent", False: ""}
    of_all = {True: " for `*`", False: ""}
    roles = {
        route: f"{route.role.value}{agents[route.agents]}{of_all[route.everywhere]}" if route.role else "none"
        for route in ROUTES
    }
    assert documented == {(f"{route.method} {route.path}", role) for route, role in roles.items()}


@pytest.mark.parametrize("parameter", sorted(set().union(*(endpoint.query for endpoint in ROUTES))))
def test_every_query_parameter_is_documented(parameter: str) -> None:
    assert f"`{parameter}`" in IN_FIRST_CELLS


@pytest.mark.parametrize("field", [each.name for cls in (ReportRequest, ProgressRequest) for each in flat(cls)])
def test_every_field_of_what_a_target_says_is_documented(field: str) -> None:
    assert f"| `{field}` |" in TEXT.partition("\n### Answering later\n")[2].partition("\n### ")[0]


@pytest.mark.parametrize("field", [each.name for each in flat(CalendarDocument)])
def test_every_field_of_a_calendar_is_documented(field: str) -> None:
    assert f"`{field}`" in " ".join(re.findall(r"^\| (.+?) \|", OF_CALENDARS, re.MULTILINE))


@pytest.mark.parametrize("file", sorted(ROOT.glob("examples/**/*.yaml")), ids=lambda file: file.name)
def test_every_example_is_a_job_that_the_api_takes(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    for name, value in {"ECHO_URL": "http://127.0.0.1:8080", "REGION": "eu-west-1", "ACCOUNT": "111122223333"}.items():
        text = text.replace(f"${{{name}}}", value)
    targets = TargetTerms(allow_loopback=True, workers=frozenset({"http", "aws"}), aws=AwsTerms(arns=("*",)))
    for _, document in parse_text(file.name, text):
        key = JobKey(namespace=document["namespace"], name=document["name"])
        assert accept(document, key, Terms(targets=targets), now=NOON).key == key


def test_every_field_of_the_status_is_documented(api: Api) -> None:
    for field in api.put().body["status"]:
        assert f"`{field}`" in IN_FIRST_CELLS


def test_every_field_of_what_lies_ahead_and_of_a_preview_is_documented(api: Api) -> None:
    api.put({"weekly": ["SAT"]}, path="/v1/namespaces/demo/calendars/weekend")
    job = {"schedule": "30 2 * * *", "timezone": "America/New_York", "dialect": "robfig", "calendars": ["weekend"]}
    api.put(job | {"start_at": "2027-03-12T00:00:00Z", "target": {"type": "http", "url": "https://example.com"}})
    ahead = api.get(f"{PATH}/next").body
    edit = api.put(api.get().body | {"schedule": "0 9 * * *"}, query={"dry_run": "true"}).body["preview"]
    assert ahead.keys() - edit.keys() == {"description", "timezone", "dialect", "idle_because", "shadow_of"}
    rows = {name: next(row for row in ROWS if f"`{name}`" in row[1])[2] for name in edit}
    for name in ("items", "blocked", "skipped"):
        assert all(f"`{field}`" in rows[name] for field in ahead[name][0])
    assert all(f"`{field}`" in rows["diff"] for field in edit["diff"])
    assert all(f"`{field}`" in IN_FIRST_CELLS for field in ahead)


def test_every_field_of_a_summary_is_documented(api: Api) -> None:
    api.put()
    [item] = api.get(PATH.rpartition("/")[0]).body["items"]
    line = next(line for line in TEXT.splitlines() if line.startswith("Jobs are listed by name."))
    assert all(f"`{field}`" in line for field in item)


def test_every_field_of_a_calendar_s_answers_is_documented(api: Api) -> None:
    status = api.put({}, path=f"{CALENDARS}/quiet").body["status"]
    [item] = api.get(CALENDARS).body["items"]
    for field in (*status, *item, *item["entries"]):
        assert f"`{field}`" in OF_CALENDARS


def test_the_example_of_a_calendar_is_answered_as_the_page_says(api: Api, clock: FakeClock) -> None:
    [example] = re.findall(r"-d '(\{.+?\})'\n(\{.+?\})\n```", OF_CALENDARS, re.DOTALL)
    answer = api.by(token="admin").put(json.loads(example[0]), path=f"{CALENDARS}/quiet")
    assert answer.body == json.loads(example[1])


def test_every_field_of_a_namespace_is_documented_and_the_example_is_answered_as_the_page_says(api: Api) -> None:
    page = TEXT.partition("\n### Namespaces\n")[2].partition("\n### ")[0]
    [(sent, answered)] = re.findall(r"-X PUT .+?-d '(\{.+?\})'\n(\{.+?\})\n", page)
    assert api.by(token="admin").put(json.loads(sent), path="/v1/namespaces/shop").body == json.loads(answered)
    status = api.post("/v1/namespaces/shop/pause").body["status"]
    for field in (*(each.name for each in flat(NamespaceDocument)), *status, *status["pauses"][0]):
        assert f"`{field}`" in page


def test_every_field_of_a_quota_is_documented(api: Api) -> None:
    page = TEXT.partition("\n### Quotas\n")[2].partition("\n### ")[0]
    [(sent, answered)] = re.findall(r"-X PUT .+?-d '(\{.+?\})'\n(\{.+?\})\n", page)
    answer = api.by(token="admin").put(json.loads(sent), path="/v1/namespaces/shop/quota").body
    assert answer == {**json.loads(answered), "used": {"jobs": 0, "runs_this_minute": 0}}
    for field in (*(each.name for each in flat(QuotaDocument)), *answer["used"]):
        assert f"`{field}`" in page


@pytest.mark.parametrize("field", [each.name for cls in (TokenRequest, CreatedTokenDocument) for each in flat(cls)])
def test_every_field_of_a_token_is_documented(field: str) -> None:
    page = TEXT.partition("\n## Tokens\n")[2].partition("\n## ")[0]
    assert f"`{field}`" in page


def test_the_example_of_a_token_is_made_as_the_page_says(api: Api) -> None:
    page = TEXT.partition("\n## Tokens\n")[2].partition("\n## ")[0]
    [(sent, answered)] = re.findall(r"-d '(\{.+?\})'\n(\{.+?\})\n", page)
    answer = api.by(token="admin").post("/v1/tokens", body=json.loads(sent))
    assert (answer.status, answer.body.keys()) == (201, (shown := json.loads(answered)).keys())
    varying = ("id", "secret")
    assert {**answer.body, **dict.fromkeys(varying)} == {**shown, **dict.fromkeys(varying)}


@pytest.mark.parametrize("limit", [MOST_SPANS, MOST_WEEKLY])
def test_the_limits_of_a_calendar_are_documented(limit: int) -> None:
    assert f"at most {limit:,} " in OF_CALENDARS


def test_every_field_of_attempts_and_outputs_is_documented() -> None:
    key = RunKey.scheduled(JobKey(namespace="a", name="b"), NOON)
    run = Run(key=key, target="http", revision=1, claimed_at=NOON, expires_at=NOON + timedelta(days=1), attempt=1)
    run = replace(run, started_at=NOON, result=Result(type="http", status=200, body="done"))
    detailed = shown(whole_document(run, None))
    rows = {name: next(row for row in ROWS if f"`{name}`" in row[1])[2] for name in ("attempts", "output")}
    assert all(f'"{field}"' in rows["attempts"] for field in detailed["attempts"][0])
    assert all(f'"{field}"' in rows["output"] for field in detailed["output"])
    output = shown(output_document(run, Shown(1, 4, truncated=False, cut=False, text="done")))
    assert all(f'"{field}":' in OF_OUTPUTS for field in output)
    assert f"more than {MOST_IN_AN_ANSWER // 1024} KiB" in OF_OUTPUTS
    assert timedelta(minutes=5) == LINK_LASTS
    assert "five minutes" in OF_OUTPUTS


def test_every_field_and_every_kind_of_a_finding_is_documented(api: Api, clock: FakeClock) -> None:
    api.put()
    clock.move(hours=2)
    explained = api.get(f"{PATH}/explain").body
    for field in (*explained, *explained["items"][0], *(kind.value for kind in findings.Kind)):
        assert f"`{field}`" in IN_FIRST_CELLS
    documented = {row[1].strip(" `"): row[2] for row in ROWS}
    for of, fields in (("revision", explained["items"][0]["revision"]), ("ticks", explained["items"][-1]["ticks"])):
        assert all(f"`{field}`" in documented[of] for field in fields)
    assert all(f"`{did.value}`" in documented["revision"] for did in Did)


def test_the_limits_of_an_explanation_are_documented() -> None:
    for limit in (MOST_FINDINGS, MOST_NAMED, MOST_BESIDE, TICKS_LOOKED_FOR.days):
        assert re.search(rf"(at most|within) {limit:,}\b", TEXT)


# The gateway knows the routes and their methods, and answers the rest itself; the function's own answer is for callers of it alone.
_NEVER_SEEN = WrongMethod


@pytest.mark.parametrize(
    "kind", [kind for error, kind in KINDS.items() if error is not _NEVER_SEEN], ids=lambda kind: kind.name
)
def test_every_kind_of_problem_is_documented_with_its_status(kind: Kind) -> None:
    documented = {(row[1].strip(), row[2].strip(" `")) for row in ROWS if len(row) == 5}
    assert (str(kind.status), kind.name) in documented


def test_a_kind_of_problem_that_no_caller_can_see_is_not_documented() -> None:
    assert f"`{KINDS[_NEVER_SEEN].name}`" not in TEXT


def test_the_longest_schedule_is_documented_as_the_library_has_it() -> None:
    row = next(row for row in ROWS if "`schedule`" in row[1])
    assert f"At most {LONGEST:,} characters" in row[3]


@pytest.mark.parametrize("file", generate.FILES, ids=lambda file: file.name)
def test_what_is_generated_from_declarations_is_current(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    assert generate.FILES[file](text) == text


def test_the_schema_of_a_job_names_each_field_that_the_api_takes() -> None:
    published = json.loads(schema_of(JobDocument))
    assert list(published["properties"]) == [each.name for each in flat(JobDocument)]
    assert published["required"] == ["target"]
    assert published["anyOf"] == [{"required": ["schedule"]}, {"required": ["depends_on"]}]
    assert published["additionalProperties"] is False


def test_the_schema_of_a_calendar_names_each_field_and_its_patterns_match_its_examples() -> None:
    published = json.loads(schema_of(CalendarDocument))
    assert list(published["properties"]) == [each.name for each in flat(CalendarDocument)]
    assert published["additionalProperties"] is False
    for name in ("dates", "weekly", "periods"):
        field = published["properties"][name]
        assert all(re.fullmatch(field["items"]["pattern"], text) for text in field["examples"][0])
