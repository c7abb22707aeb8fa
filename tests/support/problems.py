"""Checks of problem documents, which every failing response must pass."""

from importlib import import_module
from typing import Any

import httpx

from gaji.core.errors import ERROR_CODES, PROBLEMS

import_module("gaji.app")  # every error code is declared by a module of the application

PROBLEM_TYPES = {f"/problems/{error.kind}" for error in PROBLEMS}
"""References to the page about each kind of problem. They are relative, because no public URL is configured."""


def assert_problem(answer: httpx.Response, status: int) -> dict[str, Any]:
    """Return the problem document of a response with this status, after checking its form."""
    assert answer.status_code == status, f"{answer.status_code}: {answer.text[:1000]}"
    assert answer.headers.get_list("content-type") == ["application/problem+json"]
    assert len(answer.headers.get_list("content-length")) == 1
    document: dict[str, Any] = answer.json()
    names = [*_error_names(document), *(["warnings"] if "warnings" in document else [])]
    assert list(document) == ["type", "title", "status", "detail", "message", *names, "request_id"]
    assert document["status"] == status
    assert document["detail"] == document["message"]
    assert document["type"] in PROBLEM_TYPES
    assert ("retry-after" in answer.headers) == (document["type"] == "/problems/in-progress" or status in (429, 503))
    for name in ("title", "message", "request_id"):
        assert isinstance(document[name], str)
        assert document[name]
    assert answer.headers.get_list("x-request-id") == [document["request_id"]]
    if "errors" in document:
        _check_details(document)
    return document


def field_errors(answer: httpx.Response) -> dict[str, str]:
    """Return the message for each invalid attribute of a 422 response."""
    errors: dict[str, str] = assert_problem(answer, 422)["errors"]
    assert errors
    assert all(isinstance(message, str) and message for message in errors.values())
    return errors


def _error_names(document: dict[str, Any]) -> list[str]:
    """A 422 always lists its errors. A 409 does so if other records are the reason."""
    has_errors = document["status"] == 422 or (document["status"] == 409 and "errors" in document)
    return ["errors", "error_details"] if has_errors else []


def _check_details(document: dict[str, Any]) -> None:
    details = document["error_details"]
    messages: dict[str, list[str]] = {}
    for detail in details:
        message = " ".join([*([detail["attribute"]] if "attribute" in detail else []), detail["message"]])
        messages.setdefault(detail["path"], []).append(message)
    assert {path: "; ".join(parts) for path, parts in messages.items()} == document["errors"]
    for detail in details:
        names = [name for name in detail if name not in ("attribute", "person", "column", "value")]
        assert names == ["path", "code", "message", "params"]
        assert detail["code"] in ERROR_CODES
        assert ERROR_CODES[detail["code"]].render(detail["params"]) == detail["message"]
