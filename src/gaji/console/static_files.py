"""The stylesheet and the scripts of the console."""

from gaji.console.pages import PageRouter
from gaji.console.rendering import STATIC, STATIC_TYPES
from gaji.console.request import PageRequest
from gaji.core.errors import NotFound
from gaji.web.responses import Response, response

router = PageRouter()

KEPT_BY_BROWSERS = (("Cache-Control", "public, max-age=31536000, immutable"), ("X-Content-Type-Options", "nosniff"))


@router.get("/console/{name}", for_whoever=True)
async def static_file(request: PageRequest) -> Response:
    """One of them; their addresses change with their contents."""
    name = request.names["name"]
    if name not in STATIC:
        raise NotFound(f"There is nothing at {request.path[:200]}")
    return response(200, STATIC[name], STATIC_TYPES[name.rpartition(".")[2]], KEPT_BY_BROWSERS)
