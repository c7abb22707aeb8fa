"""The pages for people who read the API's documentation: plain HTML, no script, nothing from elsewhere."""

from typing import Any

from gaji.errors import GajiError


def page(document: dict[str, Any]) -> str:
    """The whole reference on one page."""
    return f"<h1>{document['info']['title']}</h1>"


def problem_page(error: type[GajiError]) -> str:
    """What one kind of problem means."""
    return f"<h1>{error.title}</h1>"
