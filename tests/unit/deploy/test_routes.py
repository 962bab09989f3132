from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml
from infra import routes

TEMPLATE = f"Resources:\n  paths:\n    {routes.BEGIN}\n    /v1/old: {{}}\n    {routes.END}\n  After: 1\n"


@dataclass(frozen=True)
class Route:
    method: str
    path: str
    role: str | None
    function: str = "Api"


TABLE = [
    Route("GET", "/v1/health", None),
    Route("GET", "/v1/jobs/{name}", "viewer"),
    Route("GET", "/v1/jobs", "viewer"),
    Route("PUT", "/v1/jobs/{name}", "operator"),
]


def _security(text: str) -> dict[str, dict[str, object]]:
    """Each path's methods with their ``security``."""
    paths = yaml.safe_load(text.replace("!Sub", ""))
    return {path: {name: one["security"] for name, one in methods.items()} for path, methods in paths.items()}


def test_a_path_holds_its_methods_and_only_a_route_without_a_role_is_open() -> None:
    token, none = [{"Token": []}], [{"NONE": []}]
    assert _security("\n".join(routes.openapi_paths(TABLE))) == {
        "/v1/health": {"get": none},
        "/v1/jobs/{name}": {"get": token, "put": token},
        "/v1/jobs": {"get": token},
    }


def test_a_route_calls_the_function_that_serves_it() -> None:
    [_, line] = routes.openapi_paths([Route("POST", "/v1/tokens", "admin", "Access")])
    assert "functions/${AccessFunction.Arn}/invocations" in line


def test_routes_replace_what_was_between_the_marks_and_nothing_else() -> None:
    written = routes.with_routes(TEMPLATE, TABLE)
    assert "/v1/old" not in written
    before, _, rest = written.partition(f"    {routes.BEGIN}\n")
    block, _, after = rest.partition(f"    {routes.END}\n")
    assert (before, after) == ("Resources:\n  paths:\n", "  After: 1\n")
    assert block.splitlines() == [f"    {line}" for line in routes.openapi_paths(TABLE)]
    assert routes.with_routes(written, TABLE) == written


@pytest.mark.parametrize("template", [TEMPLATE.replace(routes.END, "# other"), TEMPLATE + TEMPLATE])
def test_a_template_without_each_mark_once_is_refused(template: str) -> None:
    with pytest.raises(ValueError, match="must have this line once"):
        routes.with_routes(template, TABLE)


def test_the_check_names_the_command_that_makes_the_routes_current(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    template = tmp_path / "template.yaml"
    template.write_text(TEMPLATE)
    assert routes.main(["--check"], template) == 1
    assert "template.yaml does not have the routes" in (message := capsys.readouterr().err)
    assert "make generate" in message
    assert template.read_text() == TEMPLATE
    assert routes.main([], template) == 0
    assert routes.main(["--check"], template) == 0


def test_an_unknown_argument_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert routes.main(["--chekc"]) == 2
    assert capsys.readouterr().err == "usage: python -m infra.routes [--check]\n"


def test_the_repository_has_the_routes_of_the_table() -> None:
    assert routes.main(["--check"]) == 0
