"""What payslips show beyond what the law requires: the options of a client, its message and its logo."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from gaji.company.logos.rules import LogoImage
from gaji.core.field_types import Boolean, JsonSchema, Text
from gaji.core.validation import Attribute, Schema

MAX_MESSAGE_LENGTH = 500
MAX_LOGO_WIDTH_MM, MAX_LOGO_HEIGHT_MM = 55, 16
"""The space for the logo on a payslip."""


class PayslipOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What the built-in template shows."""

    address: bool = True
    bank_account: bool = True
    employer_contributions: bool = True
    year_to_date: bool = True
    leave_balances: bool = True
    message: str | None = None


@dataclass(frozen=True)
class PayslipDesign:
    """The options of a client and its logo."""

    options: PayslipOptions
    logo: LogoImage | None

    def complete(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """Return the data of a template with the message and the size of the logo, and everything else."""
        return {**data, "message": self.options.message or "", "logo": logo_size(self.logo)}


PAYSLIP_OPTIONS = Schema(
    "payslip_options",
    (
        Attribute("address", Boolean(), "Show the address of the employer.", default=True),
        Attribute("bank_account", Boolean(), "Show the account that is paid, with its last four digits.", default=True),
        Attribute(
            "employer_contributions",
            Boolean(),
            "Show the employer's CPF and other contributions, also in the year to date.",
            default=True,
        ),
        Attribute("year_to_date", Boolean(), "Show the totals of the calendar year.", default=True),
        Attribute("leave_balances", Boolean(), "Show leave added, taken and left.", default=True),
        Attribute(
            "message",
            Text(min_length=1, max_length=MAX_MESSAGE_LENGTH),
            "A message to all employees, printed on every payslip.",
            example="Our office is closed on 31 December.",
        ),
    ),
    read_only=(),
    struct=PayslipOptions,
)
OPTIONS_SCHEMA: JsonSchema = {
    "type": "object",
    "title": "PayslipOptions",
    "required": [attribute.name for attribute in PAYSLIP_OPTIONS.attributes],
    "properties": {
        **{
            attribute.name: {"type": "boolean", "description": attribute.description}
            for attribute in PAYSLIP_OPTIONS.attributes
            if isinstance(attribute.type, Boolean)
        },
        "message": {"type": ["string", "null"]},
    },
}
OPTIONS_EXAMPLE = {**msgspec.to_builtins(PayslipOptions()), "message": "Our office is closed on 31 December."}


def logo_size(logo: LogoImage | None) -> dict[str, float] | None:
    """Return width and height of a logo in millimetres, so that it fits into the space for it.

    >>> logo_size(LogoImage("image/png", 600, 100, b""))
    {'width': 55.0, 'height': 9.17}
    """
    if logo is None:
        return None
    scale = min(MAX_LOGO_WIDTH_MM / logo.width, MAX_LOGO_HEIGHT_MM / logo.height)
    return {"width": round(logo.width * scale, 2), "height": round(logo.height * scale, 2)}


def apply_options(data: Mapping[str, Any], options: PayslipOptions) -> dict[str, Any]:
    """Return the data of the built-in template without what is not shown. Required items always are."""
    employer = data["employer"] if options.address else {**data["employer"], "address": []}
    payment = data["payment"] if options.bank_account else {**data["payment"], "account": ""}
    year_to_date = {**data["year_to_date"], "shows_employer": options.employer_contributions}
    return {
        **data,
        "employer": employer,
        "payment": payment,
        "employer_contribution": data["employer_contribution"] if options.employer_contributions else [],
        "year_to_date": year_to_date if options.year_to_date else None,
        "leave": data["leave"] if options.leave_balances else [],
        "leave_notes": data["leave_notes"] if options.leave_balances else [],
    }
