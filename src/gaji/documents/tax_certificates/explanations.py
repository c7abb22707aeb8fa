"""Explains the boxes of a certificate: the payslip lines and records of each, and the rules that apply to them."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from gaji.db.tenancy import Transaction
from gaji.documents.tax_certificates import appendix_8a, appendix_8b
from gaji.documents.tax_certificates.boxes import AMOUNT_CAPTIONS, BOXES
from gaji.documents.tax_certificates.certificate import TaxCertificate
from gaji.documents.tax_certificates.clearances import TaxClearances, load_clearances
from gaji.documents.tax_certificates.figures import BENEFITS, SHARES, box_amounts, box_routes, tax_year_inputs
from gaji.engine.money import decimal_text
from gaji.law.explanation import Explanation
from gaji.payroll.calculation_definitions.queries import load_catalogue
from gaji.payroll.payslips import tax_years
from gaji.people.benefits_in_kind.queries import load_year as load_benefits
from gaji.people.share_gains.queries import load_year as load_share_gains
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
class RecordSource:
    """A benefit in kind or a share gain in a box."""

    type: str
    """The name of the resource."""
    id: int
    day: date
    caption: str
    explanation: Explanation

    def to_json(self) -> dict[str, Any]:
        """Return the record as the API returns it."""
        return {
            "type": self.type,
            "id": self.id,
            "date": self.day,
            "caption": self.caption,
            "amount": decimal_text(self.explanation.amount_cents),
            "rule": self.explanation.rule,
            "source": self.explanation.source,
            "arithmetic": list(self.explanation.arithmetic),
        }


@dataclass(frozen=True)
class BoxExplanation:
    """A box, or a part of one, with the lines that it is the sum of."""

    amount_key: str
    sources: Sequence[BoxSource]
    take_on_cents: int = 0
    records: Sequence[RecordSource] = ()

    @property
    def cents(self) -> int:
        """The sum of the box."""
        recorded = sum(record.explanation.amount_cents for record in self.records)
        return self.take_on_cents + recorded + sum(source.cents for source in self.sources)

    @property
    def rules(self) -> list[str]:
        """The rules that apply to the lines and records of the box."""
        sources = [source.rule for source in self.sources]
        return list(dict.fromkeys([*sources, *(record.explanation.rule for record in self.records)]))

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
            "rules": self.rules,
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
            "records": [record.to_json() for record in self.records],
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
    records = await _load_records(tx, client_id, employee_id, year, clearances)
    take_on_keys = {BOXES[item].amount_key(None): cents for item, cents in take_on.items()}
    return _in_form_order(sources, take_on_keys, records)


async def _load_records(
    tx: Transaction, client_id: int, employee_id: int, year: int, clearances: TaxClearances
) -> dict[str, list[RecordSource]]:
    """Return the recorded benefits and share gains of a year that were not cleared, by box."""
    records: dict[str, list[RecordSource]] = defaultdict(list)
    for benefit in (await load_benefits(tx, client_id, year, [employee_id])).get(employee_id, ()):
        caption, day = appendix_8a.benefit_line(benefit).caption, benefit.data.provided_to
        explanation = appendix_8a.explain_benefit(benefit)
        records[BENEFITS].append(RecordSource("benefit_in_kind", benefit.id, day, caption, explanation))
    for gain in (await load_share_gains(tx, client_id, year, [employee_id])).get(employee_id, ()):
        line = appendix_8b.share_gain_line(gain)
        explanation = appendix_8b.explain_share_gain(gain)
        records[SHARES].append(RecordSource("share_gain", gain.id, line.income_date, line.caption, explanation))
    return {
        key: [source for source in sources if not clearances.covers_payslip(employee_id, source.day, year)]
        for key, sources in records.items()
    }


def _in_form_order(
    sources: Mapping[str, Sequence[BoxSource]],
    take_on: Mapping[str, int],
    records: Mapping[str, Sequence[RecordSource]],
) -> list[BoxExplanation]:
    used = {*sources, *take_on, *(key for key, recorded in records.items() if recorded)}
    keys = [key for key in AMOUNT_CAPTIONS if key in used]
    return [BoxExplanation(key, sources.get(key, ()), take_on.get(key, 0), records.get(key, ())) for key in keys]
