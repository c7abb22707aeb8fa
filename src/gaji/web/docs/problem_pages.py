"""A page for each kind of problem, and the list of error codes."""

from http import HTTPStatus
from typing import Any

import msgspec

from gaji.core.errors import ERROR_CODES, PROBLEMS, GajiError, ValidationError
from gaji.web.docs.rendering import render
from gaji.web.problems import PROBLEM_TEXTS, encode_problem, sample_error

SAMPLE_REQUEST_ID = "5f2c1d0e9b8a7c6d5e4f3a2b"


def problem_pages() -> dict[str, str]:
    """Return the page for every kind of problem, by kind."""
    return {error.kind: problem_page(error) for error in PROBLEMS}


def problem_page(error: type[GajiError]) -> str:
    """Return the page for one kind of problem."""
    texts = PROBLEM_TEXTS[error.kind]
    codes = sorted(ERROR_CODES.values(), key=lambda code: code.code)
    return render(
        "problem.html",
        error=error,
        texts=texts,
        phrase=HTTPStatus(error.status).phrase,
        headers=sample_error(error).headers | texts.get("headers", {}),
        document=problem_document(error),
        problems=PROBLEMS,
        codes=codes if error is ValidationError else [],
    )


def problem_document(error: type[GajiError]) -> Any:
    """Return an example of the problem document."""
    return msgspec.json.decode(encode_problem(sample_error(error), "", SAMPLE_REQUEST_ID))
