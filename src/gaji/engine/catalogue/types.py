"""Calculation types: what can stand on a payslip, and how each is treated. The system's own are in `types.toml`."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from importlib.resources import files
from typing import Any

from gaji.engine.catalogue.accounts import Accounts, read_ledger
from gaji.engine.catalogue.inputs import LEVELS, Input, InputKind

WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


class Section(StrEnum):
    """Where on a payslip a line stands."""

    INCOME = "income"
    DEDUCTION = "deduction"
    EMPLOYER_CONTRIBUTION = "employer_contribution"
    BENEFIT = "benefit"
    NONE = "none"


class Kind(StrEnum):
    """What an item does: how it is computed and when."""

    EARNING = "earning"
    WAGE_DEDUCTION = "wage_deduction"
    PAYMENT = "payment"
    STATUTORY = "statutory"
    BENEFIT = "benefit"
    EMPLOYER_COST = "employer_cost"
    SETTING = "setting"


class Cpf(StrEnum):
    """Which wages of the CPF Act an item is."""

    ORDINARY = "ordinary"
    ADDITIONAL = "additional"
    NONE = "none"
    BY_INPUT = "by_input"


@dataclass(frozen=True)
class Treatment:
    """What an item counts for."""

    cpf: Cpf = Cpf.NONE
    sdl: bool = False
    funds: bool = False
    gross_rate: bool = False
    ir8a: str | None = None


@dataclass(frozen=True)
class Line:
    """A line of a payslip."""

    name: str
    caption: str
    section: Section
    treatment: Treatment
    accounts: Accounts
    """Where it goes in the ledger, unless the client says otherwise."""


@dataclass(frozen=True)
class CalculationType:
    """One type of calculation."""

    name: str
    """The system name, or the number of a custom item as text."""
    caption: str
    section: Section
    kind: Kind
    treatment: Treatment
    inputs: tuple[Input, ...]
    alternatives: tuple[str, ...] = ()
    tracked: str | None = None
    limit: str = "other"
    priority: int = 1000
    further_lines: tuple[Line, ...] = ()
    accounts: Accounts | None = None
    """None for what has no line."""
    ir8a_part: str | None = None
    """Where form IR8A divides the item, the part that it is."""
    definition: "Definition | None" = None
    """What the client said, for a custom item."""

    @cached_property
    def input_names(self) -> Mapping[str, Input]:
        """The inputs by their names."""
        return {one.name: one for one in self.inputs}

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        """All its lines, its own first."""
        if self.accounts is None:
            return ()
        return (Line(self.name, self.caption, self.section, self.treatment, self.accounts), *self.further_lines)

    @property
    def is_custom(self) -> bool:
        """Whether a client defined it."""
        return self.definition is not None

    @property
    def can_be_entered(self) -> bool:
        """Whether anyone can set it up; what the law alone computes has nothing to enter."""
        return bool(self.inputs) or self.is_custom


@dataclass(frozen=True)
class Definition:
    """A custom item as a client defined it."""

    id: int
    name: str
    kind: str
    """income, allowance, deduction, benefit, employer_contribution or reimbursement."""
    input: str
    """fixed, per_employee, per_payslip, rate_quantity, percentage or formula."""
    treatment: Treatment
    amount_cents: int | None = None
    """Of a fixed item."""
    percentage: str | None = None
    """Of a percentage item, unless one is entered."""
    percentage_of: tuple[str, ...] = ()
    """The items that a percentage is of."""
    formula: str | None = None


CUSTOM_SECTIONS: Mapping[str, tuple[Section, Kind]] = {
    "income": (Section.INCOME, Kind.EARNING),
    "allowance": (Section.INCOME, Kind.EARNING),
    "reimbursement": (Section.INCOME, Kind.EARNING),
    "deduction": (Section.DEDUCTION, Kind.PAYMENT),
    "benefit": (Section.BENEFIT, Kind.BENEFIT),
    "employer_contribution": (Section.EMPLOYER_CONTRIBUTION, Kind.EMPLOYER_COST),
}
AMOUNT = Input("amount", InputKind.MONEY, "The amount of a payslip.")
CUSTOM_INPUTS: Mapping[str, tuple[Input, ...]] = {
    "fixed": (),
    "per_employee": (AMOUNT,),
    "per_payslip": (Input("amount", InputKind.MONEY, "The amount.", levels=("payslip",)),),
    "rate_quantity": (
        Input("rate", InputKind.MONEY, "What one of them brings."),
        Input("quantity", InputKind.QUANTITY, "How many there are."),
    ),
    "percentage": (Input("percentage", InputKind.PERCENTAGE, "How many hundredths."),),
    "formula": (
        Input("amount", InputKind.MONEY, "A number for the formula, as `amount`."),
        Input("rate", InputKind.MONEY, "A number for the formula, as `rate`."),
        Input("quantity", InputKind.QUANTITY, "A number for the formula, as `quantity`."),
        Input("percentage", InputKind.PERCENTAGE, "A number for the formula, as `percentage`."),
    ),
}


def custom_type(definition: Definition) -> CalculationType:
    """The type that a client's definition makes."""
    section, kind = CUSTOM_SECTIONS[definition.kind]
    return CalculationType(
        name=str(definition.id),
        caption=definition.name,
        section=section,
        kind=kind,
        treatment=definition.treatment,
        inputs=CUSTOM_INPUTS[definition.input],
        accounts=LEDGER[definition.kind],
        definition=definition,
    )


def _read_types(tables: dict[str, Any]) -> dict[str, CalculationType]:
    input_sets = {name: _inputs(entries) for name, entries in tables.pop("input_sets").items()}
    input_sets["week_hours"] = _week_hours()
    return {name: _read_type(name, table, input_sets) for name, table in tables.items()}


def _read_type(name: str, table: dict[str, Any], input_sets: Mapping[str, tuple[Input, ...]]) -> CalculationType:
    given = table["inputs"]
    section = Section(table["section"])
    accounts = None if section == Section.NONE else LEDGER[section].but(table.get("ledger", {}))
    treatment = Treatment(
        cpf=Cpf(table.get("cpf", "none")),
        sdl=table.get("sdl", False),
        funds=table.get("funds", False),
        gross_rate=table.get("gross_rate", False),
        ir8a=table.get("ir8a"),
    )
    return CalculationType(
        name=name,
        caption=table["caption"],
        section=section,
        kind=Kind(table["kind"]),
        treatment=treatment,
        inputs=input_sets[given] if isinstance(given, str) else _inputs(given),
        alternatives=tuple(table.get("alternatives", ())),
        tracked=table.get("tracked"),
        limit=table.get("limit", "other"),
        priority=table.get("priority", 1000),
        further_lines=()
        if accounts is None
        else tuple(
            Line(line["name"], line["caption"], section, _other_treatment(treatment, line), accounts)
            for line in table.get("lines", ())
        ),
        accounts=accounts,
        ir8a_part=table.get("ir8a_part"),
    )


def _other_treatment(own: Treatment, line: dict[str, Any]) -> Treatment:
    """A further line is treated as the type's own but for the gross rate of pay."""
    return Treatment(own.cpf, own.sdl, own.funds, line["gross_rate"], own.ir8a)


def _inputs(entries: list[dict[str, Any]]) -> tuple[Input, ...]:
    return tuple(
        Input(
            name=entry["name"],
            kind=InputKind(entry["kind"]),
            about=entry["about"],
            choices=tuple(entry.get("choices", ())),
            default=entry.get("default"),
            levels=tuple(entry.get("levels", LEVELS)),
            most=entry.get("most"),
            tax_year=entry.get("tax_year", False),
        )
        for entry in entries
    )


def _week_hours() -> tuple[Input, ...]:
    """The inputs of regular hours, three of them for each day of the week."""
    days: list[Input] = []
    for day in WEEKDAYS:
        days += [
            Input(f"works_{day}", InputKind.BOOLEAN, f"Whether {day} is a working day; needs the fixed schedule."),
            Input(f"day_type_{day}", InputKind.CHOICE, f"How much of {day} is worked.", choices=("full", "partial")),
            Input(f"partial_hours_{day}", InputKind.QUANTITY, f"The hours of a partial {day}.", most=24),
        ]
    return (
        Input("full_day_hours_input", InputKind.QUANTITY, "The hours of a full day.", most=24),
        Input("schedule", InputKind.CHOICE, "Whether the days are fixed.", choices=("fixed", "casual")),
        Input("leave_any_day", InputKind.BOOLEAN, "Whether leave can be taken on any day; needs the feature."),
        *days,
        Input("full_days_per_week", InputKind.QUANTITY, "Working days a week; those worked unless given.", most=7),
    )


_TABLES = tomllib.loads(files(__package__).joinpath("types.toml").read_text())
LEDGER: Mapping[str, Accounts] = read_ledger(_TABLES.pop("ledger"))
"""The accounts of each section, of each kind of custom item, and of nett_pay."""
SYSTEM: Mapping[str, CalculationType] = _read_types(_TABLES)
"""The types that every client has."""
