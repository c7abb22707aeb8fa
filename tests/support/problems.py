"""What every failing answer looks like."""

from typing import Any

import httpx


def refused(answer: httpx.Response, status: int) -> dict[str, Any]:
    """The problem document of an answer that failed with this status, checked to have the one form."""
    assert answer.status_code == status, f"{answer.status_code}: {answer.text[:1000]}"
    assert answer.headers.get_list("content-type") == ["application/problem+json"]
    assert len(answer.headers.get_list("content-length")) == 1
    document: dict[str, Any] = answer.json()
    assert list(document) == ["type", "title", "status", "detail", "message", *_errors(document), "request_id"]
    assert document["status"] == status
    assert document["detail"] == document["message"]
    assert document["type"].startswith(("http://127.0.0.1:", "http://localhost:"))
    assert "/problems/" in document["type"]
    for name in ("title", "message", "request_id"):
        assert isinstance(document[name], str)
        assert document[name]
    assert answer.headers.get_list("x-request-id") == [document["request_id"]]
    return document


def faults(answer: httpx.Response) -> dict[str, str]:
    """What a validation failure says about each attribute."""
    errors: dict[str, str] = refused(answer, 422)["errors"]
    assert errors
    assert all(isinstance(fault, str) and fault for fault in errors.values())
    return errors


def _errors(document: dict[str, Any]) -> list[str]:
    """A validation failure always says what is wrong with what; a conflict does when other records are the reason."""
    named = document["status"] == 422 or (document["status"] == 409 and "errors" in document)
    return ["errors"] if named else []
