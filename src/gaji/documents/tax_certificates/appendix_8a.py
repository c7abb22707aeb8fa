"""Appendix 8A of form IR8A: the benefits in kind of a year."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

import msgspec

from gaji.core.constants import CONSTANT_LISTS
from gaji.core.errors import Conflict
from gaji.core.law_loader import current_law
from gaji.core.threads import run_in_thread_if_many
from gaji.db.tenancy import Transaction
from gaji.engine.money import decimal_text
from gaji.law import benefits_in_kind
from gaji.law.benefits_in_kind import SECTIONS, AppendixSection, BenefitCategory
from gaji.law.explanation import Explanation
from gaji.law.parameters import MonthNotCovered
from gaji.law.rounding import whole_dollars
from gaji.people.benefits_in_kind.queries import RecordedBenefit, load_year

CATEGORY_NAMES: Mapping[str, str] = {str(entry.value): entry.name for entry in CONSTANT_LISTS["benefit_category"]}
SECTION_NAMES: Mapping[AppendixSection, str] = {
    AppendixSection.RESIDENCE: "Place of residence",
    AppendixSection.UTILITIES: "Utilities and housekeeping",
    AppendixSection.HOTEL: "Hotel accommodation",
    AppendixSection.OTHERS: "Other benefits",
}


class BenefitLine(msgspec.Struct, frozen=True, omit_defaults=True):
    """A benefit on the appendix. It is stored as JSON, so the field names are fixed. Amounts are in cents."""

    id: int
    category: str
    first: date
    last: date
    taxable: int
    description: str = ""
    address: str = ""
    sharing: int = 0
    """The employees who share a residence. Zero for other benefits."""
    furnishing: str = ""
    rent: int | None = None
    annual_value: int | None = None
    premises: int = 0
    """The value of a residence without furniture."""
    furniture: int = 0
    paid_by_employee: int = 0

    @property
    def section(self) -> AppendixSection:
        """The section of the appendix."""
        return SECTIONS[BenefitCategory(self.category)]

    @property
    def caption(self) -> str:
        """The category, with the description or the address."""
        return ": ".join(filter(None, (CATEGORY_NAMES[self.category], self.description or self.address)))

    @property
    def summary(self) -> str:
        """The benefit in one line."""
        return f"{self.caption}, {self.first} to {self.last}: {decimal_text(self.taxable)}"

    def to_json(self) -> dict[str, Any]:
        """Return the benefit as the API returns it and as it is exported."""
        residence = {
            "address": self.address,
            "employees_sharing": self.sharing,
            "furnishing": self.furnishing,
            "rent": None if self.rent is None else decimal_text(self.rent),
            "annual_value": None if self.annual_value is None else decimal_text(self.annual_value),
            "premises": decimal_text(self.premises),
            "furniture": decimal_text(self.furniture),
        }
        return {
            "id": self.id,
            "category": self.category,
            "section": self.section,
            "provided_from": self.first,
            "provided_to": self.last,
            "days": (self.last - self.first).days + 1,
            "description": self.description or None,
            **(residence if self.category == BenefitCategory.RESIDENCE else dict.fromkeys(residence)),
            "paid_by_employee": decimal_text(self.paid_by_employee),
            "taxable_value": decimal_text(self.taxable),
        }


async def load_benefit_lines(
    tx: Transaction, client_id: int, year: int, employee_ids: Sequence[int] | None = None
) -> dict[int, list[BenefitLine]]:
    """Return the benefits of a year by employee, whether or not they were cleared."""
    recorded = await load_year(tx, client_id, year, employee_ids)
    return await run_in_thread_if_many(
        len(recorded), lambda: {employee_id: [*map(benefit_line, rows)] for employee_id, rows in recorded.items()}
    )


def benefit_line(recorded: RecordedBenefit) -> BenefitLine:
    """Return a recorded benefit with its taxable value."""
    data, benefit, law = recorded.data, recorded.data.benefit, current_law().benefits_in_kind
    line = BenefitLine(
        id=recorded.id,
        category=data.category,
        first=data.provided_from,
        last=data.provided_to,
        taxable=explain_benefit(recorded).amount_cents,
        description=data.description or "",
        paid_by_employee=benefit.paid_by_employee_cents,
    )
    if benefit.category != BenefitCategory.RESIDENCE:
        return line
    value = benefits_in_kind.residence_value(law, benefit)
    return msgspec.structs.replace(
        line,
        address=data.address or "",
        sharing=benefit.sharing,
        furnishing=benefit.furnishing.value,
        rent=benefit.rent_cents,
        annual_value=benefit.annual_value_cents,
        premises=value.premises_cents,
        furniture=value.furniture_cents,
    )


def explain_benefit(recorded: RecordedBenefit) -> Explanation:
    """Explain the taxable value of a recorded benefit. Raises Conflict if the law of its year is not known."""
    try:
        return benefits_in_kind.explain(current_law().benefits_in_kind, recorded.data.benefit)
    except MonthNotCovered as error:
        raise Conflict(f"Benefit in kind {recorded.id}: {error.sentence}") from None


def appendix_json(lines: Sequence[BenefitLine], box_cents: int) -> dict[str, Any]:
    """Return the appendix, given its lines and the box on form IR8A that it belongs to.

    Benefits on payslips and in opening balances have no record. They are the rest of the box.
    """
    recorded = {section: _section_cents(lines, section) for section in AppendixSection}
    return {
        "benefits": [line.to_json() for line in lines],
        "sections": {section: decimal_text(cents) for section, cents in recorded.items()},
        "without_record": decimal_text(box_cents - sum(recorded.values())),
        "total": decimal_text(box_cents),
        "ir8a": whole_dollars(box_cents),
    }


def _section_cents(lines: Sequence[BenefitLine], section: AppendixSection) -> int:
    return sum(line.taxable for line in lines if line.section == section)
