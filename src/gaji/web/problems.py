"""Problem documents: the body of every response with status 400 and above (RFC 9457)."""

import tomllib
from importlib import resources
from typing import Any

import asyncpg
import msgspec

from gaji.core.error_codes import REQUIRED, WRONG_LENGTH
from gaji.core.errors import Conflict, Errors, GajiError, Unavailable, ValidationError
from gaji.db.errors import as_unavailable

PROBLEM_JSON = "application/problem+json"
PROBLEM_TEXTS: dict[str, dict[str, Any]] = tomllib.loads(
    resources.files("gaji.web").joinpath("problems.toml").read_text()
)
"""For each kind of problem: what it means, when it happens, what to do, and an example of its message."""


def encode_problem(error: GajiError, public_url: str, request_id: str) -> bytes:
    """Return the problem document for an error. Without a public URL, its type is a relative reference."""
    document: dict[str, object] = {
        "type": f"{public_url}/problems/{error.kind}",
        "title": error.title,
        "status": error.status,
        "detail": error.message,
        "message": error.message,
    }
    if isinstance(error, ValidationError) or (isinstance(error, Conflict) and error.errors):
        document["errors"] = error.errors.messages()
        document["error_details"] = error.errors.details()
    if error.warnings:
        document["warnings"] = error.warnings
    document["request_id"] = request_id
    return msgspec.json.encode(document)


def to_http_error(error: BaseException) -> GajiError:
    """Return the error to report for an exception: the exception itself, Unavailable, or an internal error."""
    if isinstance(error, GajiError):
        return error
    if unavailable := as_unavailable(error):
        return unavailable
    if isinstance(error, asyncpg.DeadlockDetectedError | asyncpg.SerializationError):
        return Unavailable("Another request was changing the same records; try again", retry_after_s=1)
    return GajiError(PROBLEM_TEXTS[GajiError.kind]["message"])


def sample_error(kind: type[GajiError]) -> GajiError:
    """Return an error of this kind, as an example for the documentation."""
    if issubclass(kind, ValidationError):
        errors = Errors.single("name", REQUIRED)
        errors.add("bank_account.branch_code", WRONG_LENGTH, length=3)
        return ValidationError(errors)
    return kind(PROBLEM_TEXTS[kind.kind]["message"])
