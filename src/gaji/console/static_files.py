"""Stylesheet and scripts."""

from gaji.console.pages import PageRouter
from gaji.console.rendering import STATIC, STATIC_TYPES
from gaji.console.request import PageRequest, page_not_found
from gaji.web.responses import HttpResponse, build_response

router = PageRouter()

CACHE_HEADERS = (("Cache-Control", "public, max-age=31536000, immutable"), ("X-Content-Type-Options", "nosniff"))
"""The URL of a file changes with its content, so browsers can cache it forever."""


@router.get("/console/{name}", static=True)
async def static_file(request: PageRequest) -> HttpResponse:
    """Return a static file."""
    name = request.names["name"]
    if name not in STATIC:
        raise page_not_found(request)
    return build_response(200, STATIC[name], STATIC_TYPES[name.rpartition(".")[2]], CACHE_HEADERS)
