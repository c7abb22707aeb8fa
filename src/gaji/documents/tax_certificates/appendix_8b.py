"""Appendix 8B of form IR8A: the gains from share options and share awards of a year."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

import msgspec

from gaji.core.constants import CONSTANT_LISTS
from gaji.core.law_loader import current_law
from gaji.core.threads import run_in_thread_if_many
from gaji.db.tenancy import Transaction
from gaji.engine.money import decimal_text
from gaji.law import share_gains
from gaji.law.explanation import Explanation
from gaji.law.rounding import whole_dollars
from gaji.law.share_gains import SECTION_B, SECTION_G
from gaji.people.share_gains.queries import RecordedShareGain, load_year

PLAN_NAMES: Mapping[str, str] = {str(entry.value): entry.name for entry in CONSTANT_LISTS["share_plan"]}


class ShareGainLine(msgspec.Struct, frozen=True, omit_defaults=True):
    """A gain on the appendix. It is stored as JSON, so the field names are fixed."""

    id: int
    plan: str
    company: str
    granted: date
    income_date: date
    price: str
    market_value: str
    shares: str
    section: str
    gain: int
    """In cents."""
    company_number: str = ""
    deemed: bool = False

    @property
    def caption(self) -> str:
        """The plan and the company."""
        return f"{PLAN_NAMES[self.plan]}: {self.company}"

    @property
    def summary(self) -> str:
        """The gain in one line."""
        return f"{self.caption}, {self.shares} shares on {self.income_date}: {decimal_text(self.gain)}"

    def to_json(self) -> dict[str, Any]:
        """Return the gain as the API returns it and as it is exported."""
        return {
            "id": self.id,
            "plan": self.plan,
            "company_name": self.company,
            "company_number": self.company_number or None,
            "grant_date": self.granted,
            "income_date": self.income_date,
            "deemed": self.deemed,
            "price": self.price,
            "market_value": self.market_value,
            "shares": self.shares,
            "section": self.section,
            "gain": decimal_text(self.gain),
        }


async def load_share_gain_lines(
    tx: Transaction, client_id: int, year: int, employee_ids: Sequence[int] | None = None
) -> dict[int, list[ShareGainLine]]:
    """Return the gains of a year by employee, whether or not they were cleared."""
    recorded = await load_year(tx, client_id, year, employee_ids)
    return await run_in_thread_if_many(
        len(recorded), lambda: {employee_id: [*map(share_gain_line, rows)] for employee_id, rows in recorded.items()}
    )


def share_gain_line(recorded: RecordedShareGain) -> ShareGainLine:
    """Return a recorded gain with its amount."""
    data, gain = recorded.data, recorded.data.gain
    return ShareGainLine(
        id=recorded.id,
        plan=data.plan,
        company=data.company_name,
        granted=data.grant_date,
        income_date=share_gains.income_date(gain),
        price=data.price,
        market_value=data.market_value,
        shares=data.shares,
        section=share_gains.income_section(current_law().share_gains, gain),
        gain=explain_share_gain(recorded).amount_cents,
        company_number=data.company_number or "",
        deemed=data.deemed,
    )


def explain_share_gain(recorded: RecordedShareGain) -> Explanation:
    """Explain the amount of a recorded gain."""
    return share_gains.explain(current_law().share_gains, recorded.data.gain)


def appendix_json(lines: Sequence[ShareGainLine], box_cents: int) -> dict[str, Any]:
    """Return the appendix, given its lines and the box on form IR8A that it belongs to.

    Gains on payslips and in opening balances have no record. They are the rest of the box.
    """
    by_section = {
        section: sum(line.gain for line in lines if line.section == section) for section in (SECTION_B, SECTION_G)
    }
    return {
        "gains": [line.to_json() for line in lines],
        "sections": {section: decimal_text(cents) for section, cents in by_section.items()},
        "without_record": decimal_text(box_cents - sum(by_section.values())),
        "total": decimal_text(box_cents),
        "ir8a": whole_dollars(box_cents),
    }
