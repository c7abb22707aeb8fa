"""The data of the IR8A and IR21 templates: texts and figures that are formatted and ready to print."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from gaji.company.clients.queries import Employer
from gaji.documents.payslips.line_details import format_amount
from gaji.documents.payslips.pdf_context import format_date
from gaji.documents.tax_certificates.appendix_tables import appendix_tables
from gaji.documents.tax_certificates.boxes import OTHERS, TOTAL, Box, BoxCategory, boxes_in, dollars_by_box
from gaji.documents.tax_certificates.certificate import CertificateContent
from gaji.documents.tax_certificates.figures import BENEFITS, BONUS, COMMISSION, FEES, IncomeFigures
from gaji.documents.tax_certificates.versions import Replacement
from gaji.payroll.withheld_payments.queries import EMPLOYEE, IRAS, ClearancePayment
from gaji.people.employees.tax_identity import EmployeeParticulars

FormData = Mapping[str, Any]
BoxRow = dict[str, Any]
"""One printed row: a box, a part of a box or a total."""

GENDERS = {"M": "Male", "F": "Female"}
COMMISSION_FOR = {"M": "monthly", "O": "other than monthly", "B": "both monthly and other"}


@dataclass(frozen=True)
class TaxClearance:
    """The content of a form IR21: the leaver, the dates, the reason and the figures of the last two years."""

    employer: Employer
    employee: EmployeeParticulars
    identifier: str | None
    commenced: date
    ceased: date
    reason: str
    figures: Sequence[IncomeFigures]
    """Of the year of leaving and the year before."""
    notice_date: date | None
    filing_due: date | None
    exemption: str | None
    """Why tax clearance may not be required."""
    first_year: int
    """The first income year that the form covers."""
    payments: Sequence[ClearancePayment]
    """The payments that are, or were, withheld."""
    last_payment: ClearancePayment | None


def ir8a_data(
    year: int,
    content: CertificateContent,
    identifier: str | None,
    *,
    draft: bool = False,
    replacement: Replacement | None = None,
) -> FormData:
    """Return the data of a certificate, or of its preview."""
    return {
        "draft": draft,
        "replaces": _replaces(replacement) if replacement else None,
        "year": str(year),
        "assessment": str(year + 1),
        "years": [str(year)],
        "employer": _employer(content.employer),
        "employee": _employee(content.employee, identifier),
        "dates": _name_value_pairs(
            ("Worked", f"{format_date(content.worked_from)} to {format_date(content.worked_to)}"),
            ("Commenced", format_date(content.commenced) if content.commenced else None),
            ("Ceased", format_date(content.ceased) if content.ceased else None),
        ),
        "sections": box_sections([content.figures]),
        "appendices": appendix_tables(year, content.figures),
    }


def _replaces(replacement: Replacement) -> dict[str, Any]:
    """Return what a revised certificate says about the one that it replaces."""
    return {
        "released": format_date(replacement.version.released_on),
        "changes": [
            {"caption": change.caption, "before": change.before or "", "after": change.after or ""}
            for change in replacement.changes
        ],
    }


def ir21_data(clearance: TaxClearance) -> FormData:
    """Return the data of an IR21 draft."""
    year = clearance.ceased.year
    return {
        "year": str(year),
        "years": [str(year), str(year - 1)],
        "employer": _employer(clearance.employer),
        "employee": _employee(clearance.employee, clearance.identifier),
        "dates": _name_value_pairs(
            ("Commenced", format_date(clearance.commenced)),
            ("Ceased", format_date(clearance.ceased)),
            ("Reason", clearance.reason),
            ("Notice", format_date(clearance.notice_date) if clearance.notice_date else None),
            ("File by", format_date(clearance.filing_due) if clearance.filing_due else None),
            ("Last pay", _last_pay(clearance.last_payment)),
            ("Exemption to check", clearance.exemption),
        ),
        "sections": box_sections(clearance.figures),
        "payments": [_payment_row(payment) for payment in clearance.payments],
        "withheld": format_amount(sum(payment.withheld_cents for payment in clearance.payments)),
        "earlier": _earlier_year(clearance),
        "appendices": [
            table
            for number, figures in enumerate(clearance.figures)
            for table in appendix_tables(year - number, figures)
        ],
    }


def _last_pay(payment: ClearancePayment | None) -> str | None:
    if payment is None:
        return None
    period = f"{format_date(payment.start_date)} to {format_date(payment.end_date)}"
    return f"{format_amount(payment.nett_cents)} for {period}, payable {format_date(payment.payment_date)}"


def _payment_row(payment: ClearancePayment) -> dict[str, str]:
    return {
        "period": f"{format_date(payment.start_date)} to {format_date(payment.end_date)}",
        "pay_date": format_date(payment.payment_date),
        "nett_pay": format_amount(payment.nett_cents),
        "to_iras": format_amount(payment.released_cents(IRAS)),
        "to_employee": format_amount(payment.released_cents(EMPLOYEE)),
        "withheld": format_amount(payment.withheld_cents),
    }


def _earlier_year(clearance: TaxClearance) -> str:
    """Return whether the year before goes on the form."""
    year = clearance.ceased.year - 1
    if clearance.first_year == year:
        return f"The income of {year} is reported on the form too, because its yearly submission was not due yet."
    return f"The income of {year} is shown for information. It is on the form only if it was not submitted before."


def box_sections(figures: Sequence[IncomeFigures]) -> list[dict[str, Any]]:
    """Return all boxes of the form, each with an amount for each year."""
    years = [dollars_by_box(figure.amounts) for figure in figures]

    def dollar_row(box: Box) -> BoxRow:
        return _row(box.letter, box.caption, [f"{dollars[box.item]:,}" for dollars in years], _notes(box, figures))

    income = [row for box in boxes_in(BoxCategory.INCOME) for row in (dollar_row(box), *_part_rows(box, figures))]
    other_income = [row for box in boxes_in(BoxCategory.OTHER_INCOME) for row in _cent_rows(box, figures)]
    total = _row("", "Total of a, b, c and d", [f"{dollars[TOTAL]:,}" for dollars in years]) | {"strong": True}
    others = _row("d", "Others: d1 to d9", [f"{dollars[OTHERS]:,}" for dollars in years])
    return [
        {"title": "Income", "rows": [*income, others, *other_income, total]},
        {"title": "Not in the total", "rows": [dollar_row(box) for box in boxes_in(BoxCategory.SEPARATE)]},
        {"title": "Deductions", "rows": [dollar_row(box) for box in boxes_in(BoxCategory.DEDUCTION)]},
    ]


def _cent_rows(box: Box, figures: Sequence[IncomeFigures]) -> list[BoxRow]:
    """Return a part of box d, in dollars and cents."""
    amounts = [format_amount(box.total_cents(figure.amounts)) for figure in figures]
    box_row = _row(box.letter, box.caption, amounts, _notes(box, figures)) | {"within": True}
    return [box_row, *_part_rows(box, figures)]


def _part_rows(box: Box, figures: Sequence[IncomeFigures]) -> list[BoxRow]:
    """Return the parts of a box, in dollars and cents. Parts without an amount are omitted."""
    return [
        _row("", caption, [format_amount(figure.amounts.get(box.amount_key(part), 0)) for figure in figures])
        | {"within": True, "part": True}
        for part, caption in box.parts.items()
        if any(box.amount_key(part) in figure.amounts for figure in figures)
    ]


def _notes(box: Box, figures: Sequence[IncomeFigures]) -> str:
    """Return the details that the form asks for with an amount."""
    return "; ".join(dict.fromkeys(note for figure in figures if (note := _note(box, figure))))


def _note(box: Box, figures: IncomeFigures) -> str:
    if box.item == BONUS and figures.declared:
        return f"declared {_dates(figures.declared)}"
    if box.item == FEES:
        approved = [f"approved {_dates(figures.approved)}"] if figures.approved else []
        return "; ".join(approved + ["tax withheld, section 45"] * figures.section_45)
    if box.item == COMMISSION and figures.commission_from and figures.commission_to:
        period = f"{format_date(figures.commission_from)} to {format_date(figures.commission_to)}"
        return f"{period}, {COMMISSION_FOR[figures.commission_for or 'M']}"
    if box.item == BENEFITS:
        return ", ".join(figures.benefits)
    return ""


def _dates(dates: Sequence[date]) -> str:
    return ", ".join(map(format_date, dates))


def _row(letter: str, caption: str, amounts: Sequence[str], note: str = "") -> BoxRow:
    return {"letter": letter, "caption": caption, "amounts": list(amounts), "note": note}


def _employer(employer: Employer) -> list[dict[str, str]]:
    return _name_value_pairs(("Name", employer.name), ("UEN", employer.uen), ("Address", ", ".join(employer.address)))


def _employee(employee: EmployeeParticulars, identifier: str | None) -> list[dict[str, str]]:
    return _name_value_pairs(
        ("Name", employee.name),
        (employee.identifier_kind, identifier),
        ("Employee number", employee.number),
        ("Date of birth", format_date(employee.birthdate)),
        ("Gender", GENDERS.get(employee.gender, "")),
        ("Nationality", employee.nationality),
        ("Designation", employee.job_title),
        ("Address", ", ".join(employee.address)),
    )


def _name_value_pairs(*pairs: tuple[str, str | None]) -> list[dict[str, str]]:
    """Return the pairs that have a value."""
    return [{"name": name, "value": value} for name, value in pairs if value]
