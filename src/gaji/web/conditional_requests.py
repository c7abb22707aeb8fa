"""Entity tags and conditional requests: If-None-Match on reads, If-Match on writes (RFC 9110, section 13)."""

from hashlib import blake2b

import msgspec

from gaji.core.errors import PreconditionFailed
from gaji.db.tenancy import JoinedTransactions
from gaji.web.asgi import header
from gaji.web.operations import Handler, Operation, Request, Response

ANY = "*"
DIGEST_BYTES = 16


def entity_tag(body: bytes) -> str:
    """Return the entity tag of a body."""
    return f'"{blake2b(body, digest_size=DIGEST_BYTES).hexdigest()}"'


def includes_tag(condition: str, tag: str) -> bool:
    """Return whether If-Match or If-None-Match names a tag. Compression makes tags weak, so `W/` is ignored.

    >>> includes_tag('"a", W/"b"', '"b"'), includes_tag("*", '"b"'), includes_tag('"a"', '"b"')
    (True, True, False)
    """
    if condition in (tag, ANY):  # what nearly all callers send
        return True
    return condition.strip() == ANY or tag in (part.strip().removeprefix("W/") for part in condition.split(","))


def add_entity_tag(request: Request, response: Response) -> Response:
    """Return the response to a read with its entity tag, or a 304 if the caller has it already."""
    if response.status != 200:
        return response
    tag = entity_tag(response.body)
    headers = {**response.headers, "ETag": tag}
    condition = header(request.scope, b"if-none-match")
    if condition is not None and includes_tag(condition, tag):
        return Response(b"", 304, headers)
    return msgspec.structs.replace(response, headers=headers)


async def run_if_unchanged(request: Request, read: Operation | None, condition: str, run: Handler) -> Response:
    """Run a write if the record still has the entity tag in If-Match. Raises PreconditionFailed.

    The use case checks it when the record is locked, in its own transaction.
    """
    if read is None:
        raise PreconditionFailed("This operation changes no record with an ETag; send it without If-Match")
    reading = Request(request.tenant, read, request.ids, request.names, {}, request.scope, b"")

    async def require_unchanged() -> None:
        response = await read.handler(reading)
        if not includes_tag(condition, entity_tag(response.body)):
            raise PreconditionFailed("The record has changed since it was read; read it again and repeat the change")

    async with JoinedTransactions(request.tenant) as tx:
        tx.precondition = require_unchanged
        return await run(request)
