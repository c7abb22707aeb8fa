"""The OpenAPI document and the documentation pages over HTTP."""

import asyncio
from collections.abc import Sequence
from functools import cache

import msgspec

from gaji.core.errors import NotFound
from gaji.web import openapi
from gaji.web.docs import reference
from gaji.web.docs.postman import postman_collection
from gaji.web.docs.problem_pages import problem_pages
from gaji.web.docs.rendering import ICON, ICON_PATH, SCRIPT, SCRIPT_PATH, STYLESHEET, STYLESHEET_PATH
from gaji.web.operations import Operation
from gaji.web.public_pages import PublicPage, PublicRequest
from gaji.web.responses import HttpResponse, build_response

PAGE_HEADERS = (
    (
        "Content-Security-Policy",
        "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
)
CACHE_HEADERS = (("Cache-Control", "public, max-age=86400"), ("X-Content-Type-Options", "nosniff"))


def docs_pages(operations: Sequence[Operation], origin: str) -> list[PublicPage]:
    """Return the documentation pages, whose addresses start with this origin.

    Large ones are rendered in a thread when they are first read.
    """
    problems = problem_pages()

    @cache
    def openapi_bytes() -> bytes:
        return msgspec.json.encode(openapi.document(operations, origin))

    @cache
    def reference_pages() -> dict[str, str]:
        pages = reference.reference_pages(openapi.inline_document(operations))
        return {path: reference.with_origin(page, origin) for path, page in pages.items()}

    @cache
    def postman_bytes() -> bytes:
        return msgspec.json.encode(postman_collection(openapi.inline_document(operations, origin)))

    @cache
    def search_index() -> bytes:
        return reference.search_index(openapi.inline_document(operations))

    constants_page = cache(reference.constants_page)

    async def openapi_json(request: PublicRequest) -> HttpResponse:
        return build_response(200, await asyncio.to_thread(openapi_bytes), "application/json")

    async def docs(request: PublicRequest) -> HttpResponse:
        pages = await asyncio.to_thread(reference_pages)
        return _html_response(pages[reference.START_PATH])

    async def docs_section(request: PublicRequest) -> HttpResponse:
        path = f"{reference.START_PATH}/{request.names['section']}"
        page = (await asyncio.to_thread(reference_pages)).get(path)
        if page is None:
            raise NotFound("This page of the API reference does not exist")
        return _html_response(page)

    async def docs_search(request: PublicRequest) -> HttpResponse:
        return build_response(200, await asyncio.to_thread(search_index), "application/json")

    async def docs_postman(request: PublicRequest) -> HttpResponse:
        return build_response(200, await asyncio.to_thread(postman_bytes), "application/json")

    async def docs_constants(request: PublicRequest) -> HttpResponse:
        return _html_response(await asyncio.to_thread(constants_page))

    async def stylesheet(request: PublicRequest) -> HttpResponse:
        return build_response(200, STYLESHEET, "text/css; charset=utf-8", CACHE_HEADERS)

    async def script(request: PublicRequest) -> HttpResponse:
        return build_response(200, SCRIPT, "text/javascript; charset=utf-8", CACHE_HEADERS)

    async def icon(request: PublicRequest) -> HttpResponse:
        return build_response(200, ICON, "image/svg+xml", CACHE_HEADERS)

    async def problem(request: PublicRequest) -> HttpResponse:
        kind = request.names["kind"]
        if kind not in problems:
            raise NotFound(f"Problem type {kind[:60]!r} does not exist")
        return _html_response(problems[kind])

    return [
        PublicPage("/openapi.json", openapi_json),
        PublicPage("/docs", docs),
        PublicPage("/docs/constants", docs_constants),
        PublicPage("/docs/search.json", docs_search),
        PublicPage("/docs/postman.json", docs_postman),
        PublicPage("/docs/{section}", docs_section),
        PublicPage(STYLESHEET_PATH, stylesheet),
        PublicPage(SCRIPT_PATH, script),
        PublicPage(ICON_PATH, icon),
        PublicPage("/problems/{kind}", problem),
    ]


def _html_response(page: str) -> HttpResponse:
    return build_response(200, page.encode(), "text/html; charset=utf-8", PAGE_HEADERS)
