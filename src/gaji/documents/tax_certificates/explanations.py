"""Explains the boxes of a certificate: the payslip lines of each, and the rule that gives their year."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from gaji.db.tenancy import Transaction
from gaji.documents.tax_certificates.boxes import AMOUNT_CAPTIONS, BOXES
from gaji.documents.tax_certificates.certificate import TaxCertificate
from gaji.documents.tax_certificates.clearances import load_clearances
from gaji.documents.tax_certificates.figures import box_amounts, box_routes, tax_year_inputs
from gaji.engine.money import decimal_text
from gaji.payroll.calculation_definitions.queries import load_catalogue
from gaji.payroll.payslips import tax_years
from gaji.people.take_on.queries import load_ir8a_amounts


@dataclass(frozen=True)
class BoxSource:
    """A payslip line in a box, in cents."""

    payslip_id: int
    period_end: date
    pay_date: date
    item: str
    caption: str
    cents: int
    rule: str
    source: str


@dataclass(frozen=True)
class BoxExplanation:
    """A box, or a part of one, with the lines that it is the sum of."""

    amount_key: str
    sources: Sequence[BoxSource]
    take_on_cents: int = 0

    @property
    def cents(self) -> int:
        """The sum of the box."""
        return self.take_on_cents + sum(source.cents for source in self.sources)

    @property
    def caption(self) -> str:
        """The letter and the caption on the form, with the part."""
        return AMOUNT_CAPTIONS[self.amount_key]

    def to_json(self) -> dict[str, Any]:
        """Return the explanation as the API returns it."""
        return {
            "box": self.amount_key,
            "caption": self.caption,
            "amount": decimal_text(self.cents),
            "take_on": decimal_text(self.take_on_cents),
            "rules": list(dict.fromkeys(source.rule for source in self.sources)),
            "payslips": [
                {
                    "payslip_id": source.payslip_id,
                    "date": source.period_end,
                    "pay_date": source.pay_date,
                    "item": source.item,
                    "caption": source.caption,
                    "amount": decimal_text(source.cents),
                    "rule": source.rule,
                    "source": source.source,
                }
                for source in self.sources
            ],
        }


async def explain_boxes(tx: Transaction, client_id: int, certificate: TaxCertificate) -> list[BoxExplanation]:
    """Return the boxes of a certificate in the order of the form, from the current payslips."""
    employee_id, year = certificate.employee_id, certificate.year
    catalogue = await load_catalogue(tx, client_id)
    routes, dated_by = box_routes(catalogue), tax_year_inputs(catalogue)
    clearances = await load_clearances(tx, client_id, [employee_id])
    sources: dict[str, list[BoxSource]] = defaultdict(list)
    async for payslips in tax_years.iterate_year(tx, client_id, year, dated_by, [employee_id]):
        for payslip in payslips:
            if clearances.covers_payslip(employee_id, payslip.end, year):
                continue
            for amount in box_amounts(payslip, routes, year):
                sources[amount.amount_key].append(
                    BoxSource(
                        payslip.id,
                        payslip.end,
                        payslip.pay_date,
                        amount.line,
                        amount.route.caption,
                        amount.cents,
                        amount.span.rule,
                        amount.span.source,
                    )
                )
    take_on = {}
    if not clearances.covers_take_on(employee_id, year):
        take_on = (await load_ir8a_amounts(tx, client_id, year, [employee_id])).get(employee_id, {})
    return _in_form_order(sources, {BOXES[item].amount_key(None): cents for item, cents in take_on.items()})


def _in_form_order(sources: Mapping[str, Sequence[BoxSource]], take_on: Mapping[str, int]) -> list[BoxExplanation]:
    keys = [key for key in AMOUNT_CAPTIONS if key in sources or key in take_on]
    return [BoxExplanation(key, sources.get(key, ()), take_on.get(key, 0)) for key in keys]
