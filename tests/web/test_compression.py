"""Compression by Accept-Encoding"""

import asyncio
import zlib
from collections.abc import Mapping
from typing import Any

import httpx
import pytest
import zstandard

from gaji.core.errors import Unavailable
from gaji.core.threads import ThreadPool
from gaji.web import compression
from gaji.web.compression import choose_encoding, compress_response
from gaji.web.responses import build_response
from tests.support.running import Member, Service
from tests.web.every_operation import TenantRecords

LARGE = b'{"text":"' + b"payroll " * 100_000 + b'"}'


def decoded(encoding: str | None, body: bytes) -> bytes:
    if encoding == "zstd":
        return zstandard.ZstdDecompressor().decompressobj().decompress(body)
    return zlib.decompress(body, 31) if encoding == "gzip" else body


def raw_get(member: Member, path: str, headers: Mapping[str, str]) -> tuple[httpx.Response, bytes]:
    """Return a response and its body as it was sent."""
    url = f"{member.service.url}/v1{path}"
    with httpx.Client() as http, http.stream("GET", url, headers={"Authorization": member.key, **headers}) as response:
        return response, b"".join(response.iter_raw())


@pytest.mark.parametrize(
    ("accepted", "encoding"),
    [
        ("gzip", "gzip"),
        ("zstd", "zstd"),
        ("gzip, deflate, br, zstd", "zstd"),
        ("GZIP;q=0.5", "gzip"),
        ("*", "gzip"),
        ("zstd;q=0, gzip", "gzip"),
        ("zstd;q=0.5, gzip;q=0.9", "gzip"),
        ("zstd;q=0.5, *", "gzip"),
        ("gzip;q=0.5, identity", None),
        ("gzip;q=0, *", None),
        ("gzip;q=x", None),
        ("identity", None),
        ("br", None),
        ("", None),
    ],
)
def test_the_encoding_is_one_that_the_caller_accepts(accepted: str, encoding: str | None) -> None:
    assert choose_encoding(accepted) == encoding


@pytest.mark.parametrize("encoding", ["gzip", "zstd", None])
def test_a_list_is_the_same_after_decoding(tenant: TenantRecords, encoding: str | None) -> None:
    where = f"/clients/{tenant.ids['client_id']}/calculation_types"
    _, plain = raw_get(tenant.member, where, {"Accept-Encoding": "identity"})
    response, body = raw_get(tenant.member, where, {"Accept-Encoding": encoding or "identity"})
    assert response.headers.get("content-encoding") == encoding
    assert response.headers["vary"] == "Accept-Encoding"
    assert int(response.headers["content-length"]) == len(body)
    assert decoded(encoding, body) == plain
    assert encoding is None or len(body) < len(plain) / 3


@pytest.mark.parametrize("encoding", ["gzip", "zstd"])
def test_the_file_of_a_report_is_compressed(tenant: TenantRecords, encoding: str) -> None:
    where = f"/clients/{tenant.ids['client_id']}/reports/tracked_balances?date=2026-03-31"
    for accepted in ("application/json", "text/csv"):
        _, plain = raw_get(tenant.member, where, {"Accept": accepted, "Accept-Encoding": "identity"})
        response, body = raw_get(tenant.member, where, {"Accept": accepted, "Accept-Encoding": encoding})
        assert response.headers["vary"] == "Accept, Accept-Encoding"
        assert decoded(response.headers["content-encoding"], body) == plain


def test_small_and_compressed_responses_are_sent_as_they_are(tenant: TenantRecords) -> None:
    for where in ("/clients?per_page=1", f"/payslips/{tenant.ids['payslip_id']}.pdf"):
        response, _ = raw_get(tenant.member, where, {"Accept-Encoding": "gzip"})
        assert "content-encoding" not in response.headers


def test_pages_with_tokens_are_never_compressed(service: Service) -> None:
    response = service.http.get(f"{service.url}/sign-in", headers={"Accept-Encoding": "gzip, zstd"})
    assert "form_token" in response.text
    assert "content-encoding" not in response.headers


def test_the_tag_of_a_compressed_response_is_weak() -> None:
    response = build_response(200, LARGE, "application/json", [("ETag", '"a"')])
    assert (b"etag", b'"a"') in asyncio.run(compress_response(response, "")).headers
    assert (b"etag", b'W/"a"') in asyncio.run(compress_response(response, "gzip")).headers


def test_large_bodies_are_compressed_in_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    class FullPool(ThreadPool):
        async def run(self, *_: Any, **__: Any) -> Any:
            raise Unavailable("busy", retry_after_s=1)

    response = build_response(200, LARGE, "application/json")
    compressed = asyncio.run(compress_response(response, "gzip"))
    assert decoded("gzip", compressed.body) == LARGE
    monkeypatch.setattr(compression, "COMPRESSION", FullPool("full", threads=1, max_waiting=0))
    untouched = asyncio.run(compress_response(response, "gzip"))
    assert untouched.body == LARGE
    assert (b"content-encoding", b"gzip") not in untouched.headers
