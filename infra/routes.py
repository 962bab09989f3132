"""Generator of the REST API's routes in ``template.yaml``, from the API's own table: ``python -m infra.routes [--check]``.

The routes are OpenAPI and not SAM events: for each event of a function, SAM adds a statement of about 400 bytes to the function's
policy, which Lambda limits to 20 KB. Instead, one statement for each function covers all of its routes: ``ApiPermission``,
``AccessPermission`` and ``AgentsPermission`` in the template.
"""

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Protocol

from minutehand.entrypoints.api.routes import ROUTES

TEMPLATE = Path(__file__).parents[1] / "template.yaml"
BEGIN = "# Routes begin. Generated from the API's table of routes; do not edit. To change them: make generate"
END = "# Routes end."
_INTEGRATION = "x-amazon-apigateway-integration: { type: aws_proxy, httpMethod: POST, uri: %s }"
_URI = '!Sub "arn:${AWS::Partition}:apigateway:${AWS::Region}:lambda:path/2015-03-31/functions/${%sFunction.Arn}/invocations"'
_OPTIONAL = {"Agents": "HasAgents"}
"""The functions that not every stack has, each with its condition. Without it, the API function says what is missing."""


class Route(Protocol):
    """What the template needs of a route; without a role, the gateway lets requests through without a token.

    `function` is the name of the function that serves it, such as `Api` for the resource `ApiFunction`.
    """

    @property
    def method(self) -> str: ...
    @property
    def path(self) -> str: ...
    @property
    def role(self) -> object | None: ...
    @property
    def function(self) -> str: ...


def openapi_paths(routes: Iterable[Route]) -> list[str]:
    """Lines of an OpenAPI ``paths`` object, not indented; one line for each method of a path."""
    by_path: dict[str, list[Route]] = {}
    for route in routes:
        by_path.setdefault(route.path, []).append(route)
    lines = []
    for path, methods in by_path.items():
        lines.append(f"{path}:")
        for route in methods:
            # SAM reads NONE as "without the default authorizer".
            security = f"security: [{{ {'Token' if route.role else 'NONE'}: [] }}]"
            integration = _INTEGRATION % _uri(route.function)
            lines.append(f"  {route.method.lower()}: {{ {security}, responses: {{}}, {integration} }}")
    return lines


def _uri(function: str) -> str:
    condition = _OPTIONAL.get(function)
    return f"!If [{condition}, {_URI % function}, {_URI % 'Api'}]" if condition else _URI % function


def with_routes(template: str, routes: Iterable[Route]) -> str:
    """The template's text with these routes between its two marks, indented as the first mark is.

    Raises:
        ValueError: if the template does not have each mark once.
    """
    lines = template.splitlines()
    begin, end = (_only(lines, mark) for mark in (BEGIN, END))
    indent = lines[begin].partition("#")[0]
    block = [indent + line for line in openapi_paths(routes)]
    return "\n".join([*lines[: begin + 1], *block, *lines[end:]]) + "\n"


def _only(lines: list[str], mark: str) -> int:
    found = [number for number, line in enumerate(lines) if line.strip() == mark]
    if len(found) != 1:
        raise ValueError(f"the template must have this line once, and has it {len(found)} times: {mark}")
    return found[0]


def main(arguments: list[str], template: Path = TEMPLATE) -> int:
    """Write the routes into the template, or with ``--check`` only compare them. Returns the exit status: 1 if stale."""
    if not set(arguments) <= {"--check"}:
        sys.stderr.write("usage: python -m infra.routes [--check]\n")
        return 2
    before = template.read_text(encoding="utf-8")
    after = with_routes(before, ROUTES)
    if after == before:
        return 0
    if "--check" in arguments:
        sys.stderr.write(f"{template.name} does not have the routes of the API's table. Run: make generate\n")
        return 1
    template.write_text(after, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
