"""The endpoints of the API's own description, and of the pages that show it."""

from __future__ import annotations

from importlib import resources

from aws_lambda_powertools.event_handler import Response, openapi

import minutehand
from minutehand.domain.errors import NotFound
from minutehand.entrypoints.api.call import Call

_DAY = "public, max-age=86400"
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_PAGE = f"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Minutehand API</title>
<link rel="stylesheet" href="docs/swagger-ui.css?{minutehand.__version__}">
<div id="api">This page needs JavaScript. <a href="v1/openapi.json">The description as a file</a></div>
<script src="docs/swagger-ui.js?{minutehand.__version__}"></script>
<script src="docs/start.js?{minutehand.__version__}"></script>
"""
_START = """SwaggerUIBundle({ url: new URL("v1/openapi.json", document.baseURI).href, dom_id: "#api", deepLinking: true, docExpansion: "none",
  filter: true, tryItOutEnabled: false, displayRequestDuration: true });
"""
_ASSETS = {
    "swagger-ui.css": ("text/css", "swagger-ui.min.css"),
    "swagger-ui.js": ("text/javascript", "swagger-ui-bundle.min.js"),
}
"""The files of Swagger UI, with their media types and their names in Powertools, which brings them."""


def get_openapi(call: Call) -> Response[str]:  # noqa: ARG001 - every endpoint is given its call
    """Get this API's description in OpenAPI 3.1."""
    text = resources.files("minutehand.entrypoints.api").joinpath("openapi.json").read_text("utf-8")
    return _answer("application/json", text, "no-cache")


def get_docs(call: Call) -> Response[str]:  # noqa: ARG001 - every endpoint is given its call
    """Show the API's description as a page."""
    return _answer("text/html; charset=utf-8", _PAGE, "no-cache")


def get_asset(call: Call) -> Response[str]:
    """Get a file of that page.

    Raises:
        NotFound: if the page has no such file.
    """
    name = call.path["asset"]
    if name == "start.js":
        return _answer("text/javascript", _START, _DAY)
    if name not in _ASSETS:
        raise NotFound(f"the page has no file {name!r:.80}")
    media_type, file = _ASSETS[name]
    return _answer(media_type, resources.files(openapi).joinpath("swagger_ui", file).read_text("utf-8"), _DAY)


def _answer(media_type: str, text: str, cached: str) -> Response[str]:
    headers = {"Cache-Control": cached, "Content-Security-Policy": _POLICY, "X-Content-Type-Options": "nosniff"}
    return Response(status_code=200, content_type=media_type, body=text, headers=headers)
