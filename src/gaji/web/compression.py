"""Compression of API responses with zstd or gzip.

Pages of the console are never compressed: they contain tokens next to what a request can choose, and the size of a
compressed page would reveal them (BREACH). API callers authenticate with a header that no other site can send.
"""

import importlib
import re
import zlib
from typing import IO, Any, Protocol

from gaji.core.errors import Unavailable
from gaji.core.temporary_files import new_temporary_file
from gaji.core.threads import COMPRESSION
from gaji.web.responses import CHUNK_BYTES, HttpResponse

GZIP = "gzip"
ZSTD = "zstd"
IDENTITY = "identity"
"""No compression."""
MIN_BYTES = 1400
"""Smaller bodies fit into one packet."""
THREAD_BYTES = 64 * 1024
"""Larger bodies are compressed in a thread."""
GZIP_LEVEL = 4
GZIP_WINDOW_BITS = 31
"""The largest window, with the header and trailer of gzip."""
ZSTD_LEVEL = 3
WEIGHT = re.compile(r"[01](\.[0-9]*)?", re.ASCII)
COMPRESSIBLE = (b"application/json", b"application/problem+json", b"application/xml", b"text/")

Headers = list[tuple[bytes, bytes]]


class Compressor(Protocol):
    """Compresses one body."""

    def compress(self, data: bytes, /) -> bytes: ...

    def flush(self) -> bytes: ...


def choose_encoding(accept_encoding: str) -> str | None:
    """Return the encoding for a caller with this Accept-Encoding: zstd, gzip or None, by their weights.

    >>> choose_encoding("gzip, deflate, br, zstd"), choose_encoding("zstd;q=0.5, gzip"), choose_encoding("identity")
    ('zstd', 'gzip', None)
    """
    weights = dict(map(_parse_weight, accept_encoding.lower().split(",")))
    zstd, gzip = weights.get(ZSTD, 0), weights.get(GZIP, weights.get("*", 0))
    weight = max(zstd, gzip)
    if weight <= 0 or weights.get(IDENTITY, 0) > weight:
        return None
    return ZSTD if zstd >= gzip else GZIP


async def compress_response(response: HttpResponse, accept_encoding: str) -> HttpResponse:
    """Return the response as its caller accepts it. Small and already compressed ones are unchanged."""
    if not _is_compressible(response):
        return response
    encoding = choose_encoding(accept_encoding) if accept_encoding else None
    response = HttpResponse(response.status, _with_vary(response.headers), response.body, response.file)
    return response if encoding is None else await _compress(response, encoding)


async def _compress(response: HttpResponse, encoding: str) -> HttpResponse:
    try:
        if response.file is not None:
            file, size = await COMPRESSION.run(_compress_file, response.file, encoding)
            return HttpResponse(response.status, _encoded_headers(response.headers, encoding, size), b"", file)
        if len(response.body) > THREAD_BYTES:
            body = await COMPRESSION.run(_compress_body, response.body, encoding)
        else:
            body = _compress_body(response.body, encoding)
    except Unavailable:  # Too many bodies are waiting for compression. The caller gets this one as it is.
        return response
    return HttpResponse(response.status, _encoded_headers(response.headers, encoding, len(body)), body)


def _is_compressible(response: HttpResponse) -> bool:
    if response.file is None and len(response.body) < MIN_BYTES:
        return False
    return any(name == b"content-type" and value.startswith(COMPRESSIBLE) for name, value in response.headers)


def _parse_weight(part: str) -> tuple[str, float]:
    """Return an encoding and its weight. A weight that is not a number is 0."""
    name, _, parameter = part.partition(";")
    weight = parameter.strip().removeprefix("q=") or "1"
    return name.strip(), float(weight) if WEIGHT.fullmatch(weight) else 0


def _compressor(encoding: str) -> Compressor:
    if encoding == GZIP:
        return zlib.compressobj(GZIP_LEVEL, zlib.DEFLATED, GZIP_WINDOW_BITS)
    zstandard: Any = importlib.import_module("zstandard")  # Only few callers accept it.
    compressor: Compressor = zstandard.ZstdCompressor(level=ZSTD_LEVEL).compressobj()
    return compressor


def _compress_body(body: bytes, encoding: str) -> bytes:
    compressor = _compressor(encoding)
    return compressor.compress(body) + compressor.flush()


def _compress_file(file: IO[bytes], encoding: str) -> tuple[IO[bytes], int]:
    """Return a compressed copy of a file and its size. Closes the file."""
    compressor = _compressor(encoding)
    copy = new_temporary_file()  # closed when the response has been sent
    with file:
        while chunk := file.read(CHUNK_BYTES):
            copy.write(compressor.compress(chunk))
    copy.write(compressor.flush())
    size = copy.tell()
    copy.seek(0)
    return copy, size


def _with_vary(headers: Headers) -> Headers:
    values = [value for name, value in headers if name == b"vary"]
    vary = b", ".join([*values, b"Accept-Encoding"])
    return [*((name, value) for name, value in headers if name != b"vary"), (b"vary", vary)]


def _encoded_headers(headers: Headers, encoding: str, size: int) -> Headers:
    """Return the headers of a compressed response. Its entity tag is weak, because the bytes are other ones."""
    weak = [(name, b"W/" + value if name == b"etag" else value) for name, value in headers if name != b"content-length"]
    return [*weak, (b"content-encoding", encoding.encode()), (b"content-length", str(size).encode())]
