"""Problem documents: the one form of every answer of 400 and above (RFC 9457)."""

import asyncpg
import msgspec

from gaji.core.errors import Conflict, GajiError, Unavailable, ValidationError
from gaji.db.errors import is_unreachable, out_of_reach

PROBLEM_JSON = "application/problem+json"


def encode_problem(error: GajiError, origin: str, request_id: str) -> bytes:
    """The body that tells the caller what was refused and why; `origin` is scheme and host."""
    body: dict[str, object] = {
        "type": f"{origin}/problems/{error.kind}",
        "title": error.title,
        "status": error.status,
        "detail": error.message,
        "message": error.message,
    }
    if isinstance(error, ValidationError) or (isinstance(error, Conflict) and error.errors):
        body["errors"] = error.errors
    body["request_id"] = request_id
    return msgspec.json.encode(body)


def to_http_error(error: BaseException) -> GajiError:
    """The refusal that an exception amounts to: its own, the database being out of reach, or our fault."""
    if isinstance(error, GajiError):
        return error
    if is_unreachable(error):
        return out_of_reach()
    if isinstance(error, asyncpg.DeadlockDetectedError | asyncpg.SerializationError):
        return Unavailable("Another request was changing the same records; please try again", retry_after_s=1)
    return GajiError("Something went wrong on our side. It was logged under this request_id")
