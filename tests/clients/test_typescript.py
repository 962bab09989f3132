"""The TypeScript package: its generated types are current, its own tests pass against the application, and its page is right."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import minutehand
from tests.clients.conftest import TYPESCRIPT, Program, made, run, tsc
from tests.support.api_server import TOKEN, ApiServer
from tests.support.attempt import TOKEN as ATTEMPT_TOKEN
from tests.support.attempt import Attempt
from tests.support.http_server import Request, closed_port

_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.fixture
def ending(api: ApiServer) -> ApiServer:
    """The API, in which the runs of the jobs `ends` and `report` have ended when they are read."""

    def end(request: Request) -> None:
        job = re.search(r"/namespaces/(\w+)/jobs/(ends|report)/runs/.", request.path)
        if job:
            api.move_all("/".join(job.groups()), "succeeded")

    api.before = end
    return api


def _npm(*words: str, api: ApiServer | None = None) -> Program:
    return run(["npm", *words], cwd=TYPESCRIPT, more=_settings(api) if api else None)


def _settings(api: ApiServer) -> dict[str, str]:
    return {"MINUTEHAND_URL": api.url, "MINUTEHAND_TOKEN": TOKEN, "NO_COLOR": "1"}


def _blocks(language: str) -> list[str]:
    page = (TYPESCRIPT / "README.md").read_text(encoding="utf-8")
    return [text for found, text in _BLOCK.findall(page) if found == language]


def _compiled(project: Path, name: str, source: str) -> Path:
    (project / f"{name}.ts").write_text(source, encoding="utf-8")
    made(run([*tsc(), "--project", project], cwd=project))
    return project / f"{name}.js"


def test_the_types_are_those_of_the_openapi_description(typescript: Path) -> None:
    made(_npm("run", "check"))


def test_the_package_has_the_version_of_the_api_and_no_dependencies() -> None:
    package = json.loads((TYPESCRIPT / "package.json").read_text(encoding="utf-8"))
    assert (package["version"], package["license"]) == (minutehand.__version__, "Apache-2.0")
    assert "dependencies" not in package


def test_its_own_tests_pass(typescript: Path, ending: ApiServer) -> None:
    tested = _npm("test", api=ending)
    made(tested)
    assert re.search(r"^# pass [1-9]", tested.output, re.MULTILINE)


def test_the_readmes_example_prints_what_the_readme_shows(typescript: Path, ending: ApiServer) -> None:
    example = _compiled(typescript, "example", _blocks("ts")[0])
    shown = run(["node", example], more=_settings(ending))
    assert shown.lines == _blocks("")[0].splitlines()


def test_the_readmes_target_reports_its_result(typescript: Path, attempt: Attempt, api: ApiServer) -> None:
    port = closed_port()
    call = f"""
    for (;;) {{
      const headers = {{ "Minutehand-Callback-Url": "{attempt.url}", "Minutehand-Token": "{ATTEMPT_TOKEN}" }};
      const answer = await fetch("http://127.0.0.1:{port}", {{ method: "POST", headers }}).catch(() => undefined);
      if (answer) {{ console.log(answer.status); break; }}
    }}
    """
    source = _blocks("ts")[1].replace("listen(8080)", f"listen({port}, '127.0.0.1').unref()")
    served = run(["node", _compiled(typescript, "target", source + call)])
    assert served.lines == ["202"]
    assert attempt.reports() == [{"state": "succeeded", "result": {"files": 2}}]
    assert [body["percent"] for what, body in attempt.said if what == "progress"] == [50, 100]
