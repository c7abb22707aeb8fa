"""The cases that a payroll officer can read: `cases/*.toml`, people and the payslips that they must get.

A case has a sentence for a name, a person, their service, the client's custom items if there are any, and payslips in
their order in time. `calculations` of the case itself are those of every payslip; each payslip adds its own, input by
input. They recur unless `recurring = false` says that they were entered for this payslip alone.
"""

import tomllib
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest

from gaji.engine import catalogue
from gaji.engine.payslip_input import MonthToDate, CalculationEntry, PayPeriod, EmployeeDetails, ServiceInterval, YearToDate
from gaji.engine.catalogue import Catalogue, CpfTreatment, ItemDefinition, Treatment

FOLDER = Path(__file__).parent / "cases"
OF_OTHERS = ("journal",)
"""Files of the folder that are about something else."""
ABOUT_THE_ENTRY = ("recurring", "skip", "multiplier")
CASE_KEYS = {"name", "person", "service", "leaving", "definitions", "calculations", "payslips"}
PAYSLIP_KEYS = {
    "period",
    "calculations",
    *("leaving", "person", "earlier", "year", "last_month", "moved", "carried"),
    *("slip", "attention", "remarks", "carries"),
}

Table = dict[str, Any]


def every_case() -> list[Any]:
    """All cases of all files."""
    return [
        pytest.param(case, id=f"{path.stem}: {case['name']}")
        for path in sorted(FOLDER.glob("*.toml"))
        if path.stem not in OF_OTHERS
        for case in of_file(path.stem)
    ]


@cache
def of_file(file: str) -> list[Table]:
    """The cases of a file; no two have one name, and all keys are known."""
    found: list[Table] = tomllib.loads((FOLDER / f"{file}.toml").read_text(), parse_float=Decimal)["case"]
    names = [case["name"] for case in found]
    assert len(set(names)) == len(names), f"two cases of {file} have the same name"
    for case in found:
        unknown = set(case) - CASE_KEYS | {key for slip in case["payslips"] for key in set(slip) - PAYSLIP_KEYS}
        assert not unknown, f"{case['name']}: nobody knows {sorted(unknown)}"
    return found


def catalogue_of(case: Table) -> Catalogue:
    """The calculation types of the client."""
    return catalogue.build_catalogue(definitions_of(case))


def definitions_of(case: Table) -> list[ItemDefinition]:
    """The client's own items."""
    return [_definition(dict(table)) for table in case.get("definitions", ())]


def _definition(table: Table) -> ItemDefinition:
    treatment = Treatment(
        cpf=CpfTreatment(table.pop("cpf", "none")),
        sdl=table.pop("sdl", False),
        funds=table.pop("funds", False),
        gross_rate=table.pop("gross_rate", False),
    )
    amount = in_cents(table.pop("amount")) if "amount" in table else None
    percentage = str(table.pop("percentage")) if "percentage" in table else None
    of = tuple(table.pop("percentage_of", ()))
    return ItemDefinition(**table, treatment=treatment, amount_cents=amount, percentage=percentage, percentage_of=of)


def person_of(case: Table, payslip: Table) -> EmployeeDetails:
    """The facts about the person as they are for a payslip."""
    return msgspec.convert(case["person"] | payslip.get("person", {}), EmployeeDetails)


def service_of(case: Table) -> list[ServiceInterval]:
    """The days in service."""
    return msgspec.convert(case["service"], list[ServiceInterval])


def leaving_of(case: Table, payslip: Table) -> date | None:
    """The recorded last day of service, as it is known when the payslip is made."""
    return msgspec.convert(payslip.get("leaving", case.get("leaving")), date | None)


def period_of(payslip: Table) -> PayPeriod:
    """The pay period; it is paid on its last day where nothing else is said."""
    table = payslip["period"]
    return msgspec.convert({"pay_date": table["end"]} | table, PayPeriod)


def entries_of(types: Catalogue, case: Table, payslip: Table) -> dict[str, CalculationEntry]:
    """The calculations of a payslip, in the form in which they are kept."""
    common, own = case.get("calculations", {}), payslip.get("calculations", {})
    return {name: _entry(types, name, {**common.get(name, {}), **own.get(name, {})}) for name in {**common, **own}}


def _entry(types: Catalogue, name: str, table: Table) -> CalculationEntry:
    inputs = types.types[name].inputs_by_name
    multiplier = table.get("multiplier")
    return CalculationEntry(
        {key: inputs[key].parse(_plain(value)) for key, value in table.items() if key not in ABOUT_THE_ENTRY},
        recurring=table.get("recurring", True),
        skip=table.get("skip", False),
        multiplier=None if multiplier is None else str(multiplier),
    )


def _plain(value: object) -> object:
    return value.isoformat() if isinstance(value, date) else value


def earlier_of(payslip: Table) -> MonthToDate:
    """What is stated of the month's earlier payslips."""
    return MonthToDate(**amounts_in_cents(payslip.get("earlier", {})))


def year_of(payslip: Table) -> YearToDate:
    """What is stated of the year's earlier months."""
    return YearToDate(**amounts_in_cents(payslip.get("year", {})))


def amounts_in_cents(table: Mapping[str, int | Decimal]) -> dict[str, int]:
    """Amounts by name."""
    return {name: in_cents(amount) for name, amount in table.items()}


def in_cents(dollars: int | Decimal) -> int:
    """An amount of a case in cents."""
    cents = Decimal(dollars) * 100
    assert cents == int(cents), f"{dollars} has parts of a cent"
    return int(cents)
