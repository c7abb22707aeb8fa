"""Jinja environment, static files and the headers of pages."""

from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from importlib import resources
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from gaji import __version__
from gaji.console import explanation_text, formats
from gaji.console.company_names import company_name
from gaji.console.error_messages import can_be_late, error_text, file_error_sentence, summarise
from gaji.console.glossary import company_label, input_label, label, pay_item_hint
from gaji.console.return_paths import return_text
from gaji.console.week_form import lay_out_week
from gaji.core import clock
from gaji.core.vault import mask
from gaji.engine.money import to_cents
from gaji.web.docs.rendering import ICON_PATH, prose

HTML = "text/html; charset=utf-8"
PAGE_HEADERS = (
    (
        "Content-Security-Policy",
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; "
        "base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    ),
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "same-origin"),
    ("Cache-Control", "no-store"),
)
STATIC_TYPES = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8"}
STATIC = {
    name: resources.files(__package__).joinpath("static", name).read_bytes()
    for name in ("console.css", "console.js", "grid.js", "passkeys.js")
}


def render(template: str, /, **values: Any) -> str:
    """Return the rendered template."""
    return _environment.get_template(template).render(**values)


def default_option(options: Sequence[tuple[str, str]], value: str) -> str:
    """Return the text of the empty option of a select that has a default."""
    return f"Usual: {dict(options).get(value, value)}"


@cache
def static_path(name: str) -> str:
    """Return the URL of a static file. It contains a hash of the content, so browsers can cache the file."""
    return f"/console/{name}?{sha256(STATIC[name]).hexdigest()[:12]}"


_environment = Environment(
    loader=PackageLoader(__package__ or "", "templates"),
    autoescape=True,
    auto_reload=False,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_environment.filters |= {
    "money": formats.format_money,
    "cents": to_cents,
    "figure_caption": explanation_text.figure_caption,
    "formula_text": explanation_text.formula_text,
    "input_text": explanation_text.input_text,
    "item_input": explanation_text.item_input,
    "day": formats.format_day,
    "month": formats.format_month,
    "timestamp": formats.format_timestamp,
    "label": label,
    "company_label": company_label,
    "company_name": company_name,
    "initials": formats.initials,
    "capitalise": formats.capitalise,
    "masked": mask,
    "prose": prose,
    "default_option": default_option,
    "error_text": error_text,
    "file_error_sentence": file_error_sentence,
    "return_text": return_text,
    "summarise": summarise,
    "can_be_late": can_be_late,
    "week_layout": lay_out_week,
    "input_label": input_label,
    "pay_item_hint": pay_item_hint,
}
_environment.globals |= {
    "version": __version__,
    "icon": ICON_PATH,
    "count": formats.format_count,
    "leave_time": formats.format_leave,
    "unpaid_holidays_sentence": formats.unpaid_holidays_sentence,
    "period": formats.format_period,
    "static": static_path,
    "today": clock.today,
}
