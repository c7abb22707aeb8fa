"""How pages are made: templates that escape whatever they are given, and the few ways in which values are shown."""

import re
from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from functools import cache, lru_cache
from hashlib import sha256
from importlib import resources
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from gaji import __version__
from gaji.core import clock
from gaji.core.vault import masked
from gaji.engine.money import to_cents, format_dollars
from gaji.web.docs import ICON_PATH, prose

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
ACRONYMS = {"nric": "NRIC", "fin": "FIN", "sdl": "SDL", "cpf": "CPF", "pr": "PR", "ic": "IC", "uen": "UEN", "id": "ID"}
ACRONYMS |= {"cdac": "CDAC", "ecf": "ECF", "mbmf": "MBMF", "sinda": "SINDA", "ir21": "IR21", "eft": "EFT"}
WORDS = {"st": "street", "no": "number", "tx": "", "uf": "", "eft_manual": "GIRO", "wave": "pay frequency"}
LAST_DIGITS = re.compile(r"([a-z]{3})(\d+)$")

STATIC = {
    name: resources.files(__package__).joinpath("static", name).read_bytes()
    for name in ("console.css", "console.js", "grid.js")
}


def render(template: str, **values: Any) -> str:
    """The page that a template makes of these values."""
    return _environment.get_template(template).render(**values)


def money(amount: int | str | Decimal) -> str:
    """Cents, or a decimal text or number of dollars, as a person reads them.

    >>> money(123450), money("-0.5"), money(Decimal("1234567.89"))
    ('$1,234.50', '-$0.50', '$1,234,567.89')
    """
    return format_dollars(amount if isinstance(amount, int) else to_cents(amount))


@lru_cache(maxsize=4096)
def day(value: date | str | None) -> str:
    """A date as a person reads it.

    >>> day("2026-03-01"), day(date(2026, 12, 31)), day(None)
    ('1 Mar 2026', '31 Dec 2026', '–')
    """
    if not value:
        return "–"
    found = date.fromisoformat(value[:10]) if isinstance(value, str) else value
    return f"{found.day} {found:%b %Y}"


def month(value: date | str) -> str:
    """The month of a date.

    >>> month("2026-03"), month(date(2026, 12, 31))
    ('Mar 2026', 'Dec 2026')
    """
    found = date.fromisoformat(f"{value[:7]}-01") if isinstance(value, str) else value
    return f"{found:%b %Y}"


def moment(value: datetime | None) -> str:
    """A time as a person in Singapore reads it."""
    if value is None:
        return "never"
    here = value.astimezone(clock.SINGAPORE)
    return f"{day(here.date())}, {here:%H:%M}"


def words(name: str) -> str:
    """A name of the interface as a label.

    >>> words("cpf_employee"), words("pr_date"), words("bank_account.branch_code"), words("address_line1")
    ('CPF employee', 'PR date', 'Branch code', 'Address line 1')
    """
    plain = LAST_DIGITS.sub(r"\1_\2", name.rpartition(".")[2])
    parts = [ACRONYMS.get(part, WORDS.get(part, part)) for part in plain.split("_")]
    text = " ".join(part for part in parts if part)
    return text[:1].upper() + text[1:]


def count(number: int, one: str, many: str = "") -> str:
    """A number of things.

    >>> count(1, "payslip"), count(1200, "payslip"), count(0, "person", "people")
    ('1 payslip', '1,200 payslips', '0 people')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def initials(name: str) -> str:
    """Two letters for someone."""
    return "".join(part[0] for part in re.split(r"[\s@.]+", name) if part)[:2].upper()


def sentence(text: str) -> str:
    """A fault as a sentence of its own: it begins with a capital letter."""
    return text[:1].upper() + text[1:]


def usual(options: Sequence[tuple[str, str]], value: str) -> str:
    """What an empty choice means."""
    return f"{dict(options).get(value, value)}, as usual"


@cache
def static_path(name: str) -> str:
    """The address of a file, which changes with its content so that browsers may keep it."""
    return f"/console/{name}?{sha256(STATIC[name]).hexdigest()[:12]}"


_environment = Environment(
    loader=PackageLoader(__package__ or "", "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_environment.filters |= {
    "money": money,
    "day": day,
    "month": month,
    "moment": moment,
    "words": words,
    "initials": initials,
    "sentence": sentence,
    "masked": masked,
    "prose": prose,
    "usual": usual,
}
_environment.globals |= {
    "version": __version__,
    "icon": ICON_PATH,
    "count": count,
    "static": static_path,
    "today": clock.today,
}
