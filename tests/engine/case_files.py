"""Load the payslip cases of `cases/*.toml`, which payroll officers can read.

A case has a sentence as its name, an employee, their service, the client's custom items, and payslips in chronological
order. `calculations` of the case apply to every payslip; a payslip can add calculations and override single inputs. A
calculation with `recurring = false` was entered for one payslip only. A calculation with `parts` changes within the
period: each part has the first day of its values (`from`), and none if the calculation does not exist in it (`ended`).
A payslip that `corrects` another one belongs to a correction run.
"""

import tomllib
from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from gaji.engine.catalogue import Catalogue, CpfTreatment, ItemDefinition, Treatment, build_catalogue
from gaji.engine.payslip_input import (
    DECIDED_LATER,
    CalculationEntry,
    CorrectedPayslip,
    EmployeeDetails,
    EntryPart,
    ItemDifference,
    LeaveEffects,
    MonthToDate,
    PastDifference,
    PayPeriod,
    ServiceInterval,
    YearToDate,
)

FOLDER = Path(__file__).parent / "cases"
OTHER_FILES = ("journal",)
"""Files of the folder that are not payslip cases."""
ENTRY_KEYS = ("recurring", "skip", "multiplier", "from", "ended", "parts")
CONTRIBUTIONS = ("cpf_employee", "cpf_employer", "cdac", "ecf", "mbmf", "sinda", "sdl", "levy")
CASE_KEYS = {
    *("name", "employee", "service", "last_service_date", "definitions", "calculations", "payslips"),
    *("prorates_gross_rate", "ns_direct_scheme"),
}
PAYSLIP_KEYS = {
    *("period", "last_of_month", "takes_previous_levy", "calculations"),
    *("last_service_date", "employee", "month_to_date", "year_to_date", "last_month_ordinary"),
    *("instalments", "carried_forward", "leave", "past_differences", "corrects"),
    *("lines", "attention", "remarks", "employee_remarks", "carries_forward", "month_totals"),
}

Table = dict[str, Any]


def all_cases() -> list[tuple[str, Table]]:
    """All cases of all files, with their names."""
    return [
        (f"{path.stem}: {case['name']}", case)
        for path in sorted(FOLDER.glob("*.toml"))
        if path.stem not in OTHER_FILES
        for case in load_cases(path.stem)
    ]


@cache
def load_cases(file: str) -> list[Table]:
    """Load the cases of a file. Names must be unique and keys known."""
    cases: list[Table] = tomllib.loads((FOLDER / f"{file}.toml").read_text(), parse_float=Decimal)["case"]
    names = [case["name"] for case in cases]
    assert len(set(names)) == len(names), f"two cases of {file} have the same name"
    for case in cases:
        unknown = set(case) - CASE_KEYS | {key for payslip in case["payslips"] for key in set(payslip) - PAYSLIP_KEYS}
        assert not unknown, f"{case['name']}: unknown keys {sorted(unknown)}"
    return cases


def case_catalogue(case: Table) -> Catalogue:
    """The calculation types of the client."""
    return build_catalogue(case_definitions(case))


def case_definitions(case: Table) -> list[ItemDefinition]:
    """The client's custom items."""
    return [_definition(dict(table)) for table in case.get("definitions", ())]


def _definition(table: Table) -> ItemDefinition:
    treatment = Treatment(
        cpf=CpfTreatment(table.pop("cpf", "none")),
        sdl=table.pop("sdl", False),
        funds=table.pop("funds", False),
        gross_rate=table.pop("gross_rate", False),
    )
    return ItemDefinition(
        treatment=treatment,
        amount_cents=to_cents(table.pop("amount")) if "amount" in table else None,
        percentage=str(table.pop("percentage")) if "percentage" in table else None,
        percentage_of=tuple(table.pop("percentage_of", ())),
        **table,
    )


def payslip_employee(case: Table, payslip: Table) -> EmployeeDetails:
    """The details of the employee at the time of a payslip."""
    return msgspec.convert(case["employee"] | payslip.get("employee", {}), EmployeeDetails)


def case_service(case: Table) -> list[ServiceInterval]:
    """The days in service."""
    return msgspec.convert(case["service"], list[ServiceInterval])


def last_service_date(case: Table, payslip: Table) -> date | None:
    """The last day of service that is recorded at the time of a payslip."""
    return msgspec.convert(payslip.get("last_service_date", case.get("last_service_date")), date | None)


def payslip_period(payslip: Table) -> PayPeriod:
    """The pay period. The default pay date is its last day, and wages of two months are divided by working days.

    `apportionment = "none"` stands for a payslip from before wages were divided.
    """
    table = {"pay_date": payslip["period"]["end"]} | payslip["period"]
    spans = (table["start"].year, table["start"].month) != (table["end"].year, table["end"].month)
    apportionment = table.get("apportionment", "working_days" if spans else None)
    return msgspec.convert(table | {"apportionment": None if apportionment == "none" else apportionment}, PayPeriod)


def payslip_entries(catalogue: Catalogue, case: Table, payslip: Table) -> dict[str, CalculationEntry]:
    """The calculations of a payslip."""
    common, specific = case.get("calculations", {}), payslip.get("calculations", {})
    return {
        name: _entry(catalogue, name, {**common.get(name, {}), **specific.get(name, {})})
        for name in {**common, **specific}
    }


def _entry(catalogue: Catalogue, name: str, table: Table) -> CalculationEntry:
    if parts := table.get("parts"):
        tables = [table | part for part in parts]
        entries = [None if part.get("ended") else _values(catalogue, name, part) for part in tables]
        return dated_entry(list(zip([part["from"] for part in parts], entries, strict=True)))
    return _values(catalogue, name, table)


def dated_entry(parts: Sequence[tuple[date, CalculationEntry | None]]) -> CalculationEntry:
    """A calculation that changes within the period, given the first day and the values of each part."""
    closing = parts[-1][1] or CalculationEntry({}, recurring=False, skip=True)
    dated = [
        EntryPart(start) if entry is None else EntryPart(start, entry.inputs, entry.skip, entry.multiplier)
        for start, entry in parts
    ]
    return msgspec.structs.replace(closing, parts=dated)


def _values(catalogue: Catalogue, name: str, table: Table) -> CalculationEntry:
    fields = catalogue.types[name].inputs_by_name
    multiplier = table.get("multiplier")
    return CalculationEntry(
        {key: fields[key].parse(_input_value(value)) for key, value in table.items() if key not in ENTRY_KEYS},
        recurring=table.get("recurring", True),
        skip=table.get("skip", False),
        multiplier=None if multiplier is None else str(multiplier),
    )


def _input_value(value: object) -> object:
    return value.isoformat() if isinstance(value, date) else value


def month_to_date(payslip: Table) -> MonthToDate:
    """The stated totals of the month's earlier payslips."""
    return MonthToDate(**amounts_in_cents(payslip.get("month_to_date", {})))


def year_to_date(payslip: Table) -> YearToDate:
    """The stated totals of the year's earlier months."""
    return YearToDate(**amounts_in_cents(payslip.get("year_to_date", {})))


def payslip_leave(payslip: Table) -> LeaveEffects:
    """The effects of leave that are not among the calculations."""
    return msgspec.convert(payslip.get("leave", {}), LeaveEffects)


def corrected_payslip(payslip: Table) -> CorrectedPayslip | None:
    """The payslip that a payslip of a correction run corrects."""
    return msgspec.convert(payslip.get("corrects"), CorrectedPayslip | None)


def past_differences(payslip: Table) -> list[PastDifference]:
    """The stated differences of finalised periods. The amount that is paid is the difference, unless stated."""
    return [
        PastDifference(
            table["payslip_id"],
            table["start"],
            table["end"],
            {name: _item_difference(name, amounts) for name, amounts in table.get("items", {}).items()},
            table.get("treatment", DECIDED_LATER),
            {
                month: {name: _figure_difference(name, amounts) for name, amounts in figures.items()}
                for month, figures in table.get("months", {}).items()
            },
            table.get("recovers_share", False),
        )
        for table in payslip.get("past_differences", ())
    ]


def _item_difference(name: str, table: Mapping[str, int | Decimal]) -> ItemDifference:
    amounts = amounts_in_cents(table)
    difference = amounts["due"] - amounts["paid"]
    effect = -difference if name == "unpaid_leave" else difference
    return ItemDifference(amounts["paid"], amounts["due"], amounts.get("accepted", effect))


def _figure_difference(name: str, table: Mapping[str, int | Decimal]) -> ItemDifference:
    """Contributions are never reduced."""
    difference = _item_difference(name, table)
    if name in CONTRIBUTIONS and "accepted" not in table:
        return ItemDifference(difference.paid, difference.due, max(difference.accepted, 0))
    return difference


def amounts_in_cents(table: Mapping[str, int | Decimal]) -> dict[str, int]:
    """Amounts by name, in cents."""
    return {name: to_cents(amount) for name, amount in table.items()}


def to_cents(dollars: int | Decimal) -> int:
    """An amount of a case in cents."""
    cents = Decimal(dollars) * 100
    assert cents == int(cents), f"{dollars} has parts of a cent"
    return int(cents)
