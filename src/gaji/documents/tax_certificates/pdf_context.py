"""What the templates of IR8A and IR21 are given: words and figures that need no further formatting."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from gaji.company.clients.queries import Employer
from gaji.documents.payslips.line_details import format_amount
from gaji.documents.payslips.pdf_context import written
from gaji.documents.tax_certificates.boxes import OTHERS, TOTAL, Box, BoxSide, dollars_by_box, on
from gaji.documents.tax_certificates.certificate import Content
from gaji.documents.tax_certificates.figures import BENEFITS, BONUS, COMMISSION, FEES, IncomeFigures
from gaji.people.employees.tax_identity import EmployeeParticulars

Data = Mapping[str, Any]
Row = dict[str, Any]

GENDERS = {"M": "Male", "F": "Female"}
COMMISSION_FOR = {"M": "monthly", "O": "other than monthly", "B": "both monthly and other"}


def ir8a(year: int, content: Content, identifier: str | None) -> Data:
    """A certificate."""
    return {
        "year": str(year),
        "assessment": str(year + 1),
        "years": [str(year)],
        "employer": _employer(content.employer),
        "employee": _employee(content.employee, identifier),
        "dates": _facts(
            ("Worked", f"{written(content.worked_from)} to {written(content.worked_to)}"),
            ("Commenced", written(content.commenced) if content.commenced else None),
            ("Ceased", written(content.ceased) if content.ceased else None),
        ),
        "sections": sections([content.figures]),
    }


@dataclass(frozen=True)
class Clearance:
    """What is known for a form IR21: who leaves, when and why, and what the last two years came to."""

    employer: Employer
    employee: EmployeeParticulars
    identifier: str | None
    commenced: date
    ceased: date
    reason: str
    figures: Sequence[IncomeFigures]
    """Of the year of leaving and of the year before."""


def ir21(leaver: Clearance) -> Data:
    """A draft of form IR21."""
    year = leaver.ceased.year
    return {
        "year": str(year),
        "years": [str(year), str(year - 1)],
        "employer": _employer(leaver.employer),
        "employee": _employee(leaver.employee, leaver.identifier),
        "dates": _facts(
            ("Commenced", written(leaver.commenced)),
            ("Ceased", written(leaver.ceased)),
            ("Reason", leaver.reason),
        ),
        "sections": sections(leaver.figures),
    }


def sections(figures: Sequence[IncomeFigures]) -> list[dict[str, Any]]:
    """All boxes of the form, each with an amount for each of these years."""
    whole = [dollars_by_box(one.amounts) for one in figures]

    def of_dollars(box: Box) -> Row:
        return _row(box.letter, box.caption, [f"{one[box.item]:,}" for one in whole], _notes(box, figures))

    income = [row for box in on(BoxSide.INCOME) for row in (of_dollars(box), *_parts(box, figures))]
    others = [row for box in on(BoxSide.PART) for row in _exact(box, figures)]
    total = _row("", "Total of a, b, c and d", [f"{one[TOTAL]:,}" for one in whole]) | {"strong": True}
    sum_of_others = _row("d", "Others: d1 to d9", [f"{one[OTHERS]:,}" for one in whole])
    return [
        {"title": "Income", "rows": [*income, sum_of_others, *others, total]},
        {"title": "Beside the income", "rows": [of_dollars(box) for box in on(BoxSide.BESIDE)]},
        {"title": "Deductions", "rows": [of_dollars(box) for box in on(BoxSide.DEDUCTION)]},
    ]


def _exact(box: Box, figures: Sequence[IncomeFigures]) -> list[Row]:
    """A part of box d, in dollars and cents."""
    amounts = [format_amount(box.cents(one.amounts)) for one in figures]
    own = _row(box.letter, box.caption, amounts, _notes(box, figures)) | {"within": True}
    return [own, *_parts(box, figures)]


def _parts(box: Box, figures: Sequence[IncomeFigures]) -> list[Row]:
    """What a box is divided into, in dollars and cents; the parts that are nothing are left out."""
    return [
        _row("", caption, [format_amount(one.amounts.get(box.place(part), 0)) for one in figures])
        | {"within": True, "part": True}
        for part, caption in box.parts.items()
        if any(box.place(part) in one.amounts for one in figures)
    ]


def _notes(box: Box, figures: Sequence[IncomeFigures]) -> str:
    """What the form asks for beside an amount."""
    return "; ".join(dict.fromkeys(note for one in figures if (note := _note(box, one))))


def _note(box: Box, one: IncomeFigures) -> str:
    if box.item == BONUS and one.declared:
        return f"declared {_days(one.declared)}"
    if box.item == FEES and one.approved:
        return f"approved {_days(one.approved)}"
    if box.item == COMMISSION and one.commission_from and one.commission_to:
        earned = f"{written(one.commission_from)} to {written(one.commission_to)}"
        return f"{earned}, {COMMISSION_FOR[one.commission_for or 'M']}"
    if box.item == BENEFITS:
        return ", ".join(one.benefits)
    return ""


def _days(days: Sequence[date]) -> str:
    return ", ".join(map(written, days))


def _row(letter: str, caption: str, amounts: Sequence[str], note: str = "") -> Row:
    return {"letter": letter, "caption": caption, "amounts": list(amounts), "note": note}


def _employer(employer: Employer) -> list[dict[str, str]]:
    return _facts(("Name", employer.name), ("UEN", employer.uen), ("Address", ", ".join(employer.address)))


def _employee(employee: EmployeeParticulars, identifier: str | None) -> list[dict[str, str]]:
    return _facts(
        ("Name", employee.name),
        (employee.identifier_kind, identifier),
        ("Employee number", employee.number),
        ("Date of birth", written(employee.birthdate)),
        ("Gender", GENDERS.get(employee.gender, "")),
        ("Nationality", employee.nationality),
        ("Designation", employee.job_title),
        ("Address", ", ".join(employee.address)),
    )


def _facts(*pairs: tuple[str, str | None]) -> list[dict[str, str]]:
    """Names and values; what is not known is left out."""
    return [{"name": name, "value": value} for name, value in pairs if value]
