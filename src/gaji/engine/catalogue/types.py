"""Calculation types: what can stand on a payslip, and how each is treated. The system's own are in `types.toml`."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from importlib.resources import files
from typing import Any

from gaji.engine.catalogue.accounts import LedgerAccounts, read_ledger
from gaji.engine.catalogue.inputs import LEVELS, InputField, InputKind

WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


class PayslipSection(StrEnum):
    """Where on a payslip a line stands."""

    INCOME = "income"
    DEDUCTION = "deduction"
    EMPLOYER_CONTRIBUTION = "employer_contribution"
    BENEFIT = "benefit"
    NONE = "none"


class CalculationKind(StrEnum):
    """What an item does: how it is computed and when."""

    EARNING = "earning"
    WAGE_DEDUCTION = "wage_deduction"
    PAYMENT = "payment"
    STATUTORY = "statutory"
    BENEFIT = "benefit"
    EMPLOYER_COST = "employer_cost"
    SETTING = "setting"


class CpfTreatment(StrEnum):
    """Which wages of the CPF Act an item is."""

    ORDINARY = "ordinary"
    ADDITIONAL = "additional"
    NONE = "none"
    BY_INPUT = "by_input"


@dataclass(frozen=True)
class Treatment:
    """What an item counts for."""

    cpf: CpfTreatment = CpfTreatment.NONE
    sdl: bool = False
    funds: bool = False
    gross_rate: bool = False
    ir8a: str | None = None


@dataclass(frozen=True)
class PayslipLine:
    """A line of a payslip."""

    name: str
    caption: str
    section: PayslipSection
    treatment: Treatment
    accounts: LedgerAccounts
    """Where it goes in the ledger, unless the client says otherwise."""


@dataclass(frozen=True)
class CalculationType:
    """One type of calculation."""

    name: str
    """The system name, or the number of a custom item as text."""
    caption: str
    section: PayslipSection
    kind: CalculationKind
    treatment: Treatment
    inputs: tuple[InputField, ...]
    alternatives: tuple[str, ...] = ()
    tracked: str | None = None
    limit: str = "other"
    priority: int = 1000
    extra_lines: tuple[PayslipLine, ...] = ()
    accounts: LedgerAccounts | None = None
    """None for what has no line."""
    ir8a_part: str | None = None
    """Where form IR8A divides the item, the part that it is."""
    definition: "ItemDefinition | None" = None
    """What the client said, for a custom item."""

    @cached_property
    def inputs_by_name(self) -> Mapping[str, InputField]:
        """The inputs by their names."""
        return {one.name: one for one in self.inputs}

    @cached_property
    def lines(self) -> tuple[PayslipLine, ...]:
        """All its lines, its own first."""
        if self.accounts is None:
            return ()
        return (PayslipLine(self.name, self.caption, self.section, self.treatment, self.accounts), *self.extra_lines)

    @property
    def is_custom(self) -> bool:
        """Whether a client defined it."""
        return self.definition is not None

    @property
    def enterable(self) -> bool:
        """Whether anyone can set it up; what the law alone computes has nothing to enter."""
        return bool(self.inputs) or self.is_custom


@dataclass(frozen=True)
class ItemDefinition:
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


CUSTOM_SECTIONS: Mapping[str, tuple[PayslipSection, CalculationKind]] = {
    "income": (PayslipSection.INCOME, CalculationKind.EARNING),
    "allowance": (PayslipSection.INCOME, CalculationKind.EARNING),
    "reimbursement": (PayslipSection.INCOME, CalculationKind.EARNING),
    "deduction": (PayslipSection.DEDUCTION, CalculationKind.PAYMENT),
    "benefit": (PayslipSection.BENEFIT, CalculationKind.BENEFIT),
    "employer_contribution": (PayslipSection.EMPLOYER_CONTRIBUTION, CalculationKind.EMPLOYER_COST),
}
AMOUNT = InputField("amount", InputKind.MONEY, "The amount of a payslip.")
CUSTOM_INPUTS: Mapping[str, tuple[InputField, ...]] = {
    "fixed": (),
    "per_employee": (AMOUNT,),
    "per_payslip": (InputField("amount", InputKind.MONEY, "The amount.", levels=("payslip",)),),
    "rate_quantity": (
        InputField("rate", InputKind.MONEY, "What one of them brings."),
        InputField("quantity", InputKind.QUANTITY, "How many there are."),
    ),
    "percentage": (InputField("percentage", InputKind.PERCENTAGE, "How many hundredths."),),
    "formula": (
        InputField("amount", InputKind.MONEY, "A number for the formula, as `amount`."),
        InputField("rate", InputKind.MONEY, "A number for the formula, as `rate`."),
        InputField("quantity", InputKind.QUANTITY, "A number for the formula, as `quantity`."),
        InputField("percentage", InputKind.PERCENTAGE, "A number for the formula, as `percentage`."),
    ),
}


def custom_type(definition: ItemDefinition) -> CalculationType:
    """The type that a client's definition makes."""
    section, kind = CUSTOM_SECTIONS[definition.kind]
    return CalculationType(
        name=str(definition.id),
        caption=definition.name,
        section=section,
        kind=kind,
        treatment=definition.treatment,
        inputs=CUSTOM_INPUTS[definition.input],
        accounts=DEFAULT_ACCOUNTS[definition.kind],
        definition=definition,
    )


def _read_types(tables: dict[str, Any]) -> dict[str, CalculationType]:
    input_sets = {name: _inputs(entries) for name, entries in tables.pop("input_sets").items()}
    input_sets["week_hours"] = _week_hours()
    return {name: _read_type(name, table, input_sets) for name, table in tables.items()}


def _read_type(name: str, table: dict[str, Any], input_sets: Mapping[str, tuple[InputField, ...]]) -> CalculationType:
    given = table["inputs"]
    section = PayslipSection(table["section"])
    accounts = None if section == PayslipSection.NONE else DEFAULT_ACCOUNTS[section].override(table.get("ledger", {}))
    treatment = Treatment(
        cpf=CpfTreatment(table.get("cpf", "none")),
        sdl=table.get("sdl", False),
        funds=table.get("funds", False),
        gross_rate=table.get("gross_rate", False),
        ir8a=table.get("ir8a"),
    )
    return CalculationType(
        name=name,
        caption=table["caption"],
        section=section,
        kind=CalculationKind(table["kind"]),
        treatment=treatment,
        inputs=input_sets[given] if isinstance(given, str) else _inputs(given),
        alternatives=tuple(table.get("alternatives", ())),
        tracked=table.get("tracked"),
        limit=table.get("limit", "other"),
        priority=table.get("priority", 1000),
        extra_lines=()
        if accounts is None
        else tuple(
            PayslipLine(line["name"], line["caption"], section, _other_treatment(treatment, line), accounts)
            for line in table.get("lines", ())
        ),
        accounts=accounts,
        ir8a_part=table.get("ir8a_part"),
    )


def _other_treatment(own: Treatment, line: dict[str, Any]) -> Treatment:
    """A further line is treated as the type's own but for the gross rate of pay."""
    return Treatment(own.cpf, own.sdl, own.funds, line["gross_rate"], own.ir8a)


def _inputs(entries: list[dict[str, Any]]) -> tuple[InputField, ...]:
    return tuple(
        InputField(
            name=entry["name"],
            kind=InputKind(entry["kind"]),
            description=entry["about"],
            choices=tuple(entry.get("choices", ())),
            default=entry.get("default"),
            levels=tuple(entry.get("levels", LEVELS)),
            maximum=entry.get("most"),
            sets_tax_year=entry.get("tax_year", False),
        )
        for entry in entries
    )


def _week_hours() -> tuple[InputField, ...]:
    """The inputs of regular hours, three of them for each day of the week."""
    days: list[InputField] = []
    for day in WEEKDAYS:
        days += [
            InputField(f"works_{day}", InputKind.BOOLEAN, f"Whether {day} is a working day; needs the fixed schedule."),
            InputField(f"day_type_{day}", InputKind.CHOICE, f"How much of {day} is worked.", choices=("full", "partial")),
            InputField(f"partial_hours_{day}", InputKind.QUANTITY, f"The hours of a partial {day}.", maximum=24),
        ]
    return (
        InputField("full_day_hours_input", InputKind.QUANTITY, "The hours of a full day.", maximum=24),
        InputField("schedule", InputKind.CHOICE, "Whether the days are fixed.", choices=("fixed", "casual")),
        InputField("leave_any_day", InputKind.BOOLEAN, "Whether leave can be taken on any day; needs the feature."),
        *days,
        InputField("full_days_per_week", InputKind.QUANTITY, "Working days a week; those worked unless given.", maximum=7),
    )


_TABLES = tomllib.loads(files(__package__).joinpath("types.toml").read_text())
DEFAULT_ACCOUNTS: Mapping[str, LedgerAccounts] = read_ledger(_TABLES.pop("ledger"))
"""The accounts of each section, of each kind of custom item, and of nett_pay."""
SYSTEM_TYPES: Mapping[str, CalculationType] = _read_types(_TABLES)
"""The types that every client has."""
