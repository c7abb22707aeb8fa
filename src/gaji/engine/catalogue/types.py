"""Calculation types: the items of a payslip, and their treatment. The system types are in `types.toml`."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from importlib.resources import files
from typing import Any

from gaji.engine.catalogue.accounts import LedgerAccounts, read_ledger
from gaji.engine.catalogue.inputs import LEVELS, InputField, InputKind
from gaji.law.tax import YearRule

WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
CYCLE, CYCLE_START = "cycle", "cycle_start"
"""The inputs of regular hours that repeat after some weeks."""
DEFAULT_PRIORITY = 1000
PRORATE = "prorate"
"""The input that says whether an item is prorated in an incomplete period."""
FOREIGN_WORKER_LEVY = "foreign_worker_levy"


class PayslipSection(StrEnum):
    """The section of a payslip that a line is in."""

    INCOME = "income"
    DEDUCTION = "deduction"
    EMPLOYER_CONTRIBUTION = "employer_contribution"
    BENEFIT = "benefit"
    NONE = "none"


class CalculationKind(StrEnum):
    """How and when an item is calculated."""

    EARNING = "earning"
    WAGE_DEDUCTION = "wage_deduction"
    PAYMENT = "payment"
    STATUTORY = "statutory"
    BENEFIT = "benefit"
    EMPLOYER_COST = "employer_cost"
    SETTING = "setting"


MULTIPLIABLE_KINDS = (
    CalculationKind.EARNING,
    CalculationKind.PAYMENT,
    CalculationKind.BENEFIT,
    CalculationKind.EMPLOYER_COST,
)


DEFAULT_TAX_YEARS: Mapping[str, YearRule] = {
    CalculationKind.STATUTORY: YearRule.CONTRIBUTION,
    CalculationKind.PAYMENT: YearRule.PAYMENT,
}
"""The rule for the year of income, by kind. Other kinds belong to the year of the work."""
LUMP_SUM_BOXES = frozenset({"b", "c", "d4", "d5"})
"""Boxes of form IR8A whose custom items belong to the year of payment."""


class CpfTreatment(StrEnum):
    """The class of wages under the CPF Act."""

    ORDINARY = "ordinary"
    ADDITIONAL = "additional"
    NONE = "none"
    BY_INPUT = "by_input"


@dataclass(frozen=True)
class Treatment:
    """The contributions and reports that an item counts for."""

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
    """The default ledger accounts."""


@dataclass(frozen=True)
class CalculationType:
    """A type of calculation, of the system or of a client."""

    name: str
    """The system name, or the number of a custom item as text."""
    caption: str
    section: PayslipSection
    kind: CalculationKind
    treatment: Treatment
    inputs: tuple[InputField, ...]
    alternatives: tuple[str, ...] = ()
    """Inputs that exclude each other."""
    tracked: str | None = None
    """The balance that instalments change: `owed` or `saved`."""
    limit: str = "other"
    """The kind of deduction under the limits of the Employment Act."""
    priority: int = DEFAULT_PRIORITY
    """The order of deductions. Lower numbers are deducted first."""
    extra_lines: tuple[PayslipLine, ...] = ()
    accounts: LedgerAccounts | None = None
    """None if the type has no line."""
    ir8a_part: str | None = None
    """The part of the item on form IR8A, if the form divides it."""
    tax_year: YearRule = YearRule.WORK
    """How its year of income is determined."""
    definition: "ItemDefinition | None" = None
    """The client's definition of a custom item."""

    @cached_property
    def inputs_by_name(self) -> Mapping[str, InputField]:
        """The inputs by name."""
        return {field.name: field for field in self.inputs}

    @cached_property
    def lines(self) -> tuple[PayslipLine, ...]:
        """All lines of the type, its main line first."""
        if self.accounts is None:
            return ()
        return (PayslipLine(self.name, self.caption, self.section, self.treatment, self.accounts), *self.extra_lines)

    @property
    def is_custom(self) -> bool:
        """Whether a client defined the type."""
        return self.definition is not None

    @property
    def reduces_wages(self) -> bool:
        """Whether its amount is taken off the wages that contributions and tax are assessed on."""
        if self.kind == CalculationKind.PAYMENT and not self.is_custom:
            return self.treatment.cpf != CpfTreatment.NONE
        return self.kind == CalculationKind.WAGE_DEDUCTION

    @property
    def enterable(self) -> bool:
        """Whether a calculation of the type can be entered. Purely statutory types have no inputs."""
        return bool(self.inputs) or self.is_custom

    @property
    def skippable(self) -> bool:
        """Whether a payslip can leave the calculation out.

        Statutory amounts cannot be skipped. An employee who does not contribute to a fund uses `opt_out`.
        """
        if self.name == FOREIGN_WORKER_LEVY:
            return True
        return self.kind not in (CalculationKind.SETTING, CalculationKind.STATUTORY)

    @property
    def prorated_by_default(self) -> bool:
        """Whether the item is prorated in an incomplete period unless entered otherwise."""
        return self.treatment.gross_rate and PRORATE in self.inputs_by_name

    @property
    def multipliable(self) -> bool:
        """Whether the amount can have a multiplier."""
        return self.kind in MULTIPLIABLE_KINDS


@dataclass(frozen=True)
class ItemDefinition:
    """A client's definition of a custom item. Stored as JSON: attribute names must not change."""

    id: int
    name: str
    kind: str
    """income, allowance, deduction, benefit, employer_contribution or reimbursement."""
    input: str
    """fixed, per_employee, per_payslip, rate_quantity, percentage or formula."""
    treatment: Treatment
    amount_cents: int | None = None
    """The amount of a fixed item."""
    percentage: str | None = None
    """The default of a percentage item."""
    percentage_of: tuple[str, ...] = ()
    """The items that a percentage applies to."""
    formula: str | None = None

    @property
    def has_fixed_amount(self) -> bool:
        """Whether the amount is the same on every payslip."""
        return self.input in ("fixed", "per_employee")

    @property
    def can_be_prorated(self) -> bool:
        """Whether the amount is for a whole period and belongs to the gross rate of pay."""
        return self.has_fixed_amount and self.treatment.gross_rate and self.kind in ("income", "allowance")


CUSTOM_SECTIONS: Mapping[str, tuple[PayslipSection, CalculationKind]] = {
    "income": (PayslipSection.INCOME, CalculationKind.EARNING),
    "allowance": (PayslipSection.INCOME, CalculationKind.EARNING),
    "reimbursement": (PayslipSection.INCOME, CalculationKind.EARNING),
    "deduction": (PayslipSection.DEDUCTION, CalculationKind.PAYMENT),
    "benefit": (PayslipSection.BENEFIT, CalculationKind.BENEFIT),
    "employer_contribution": (PayslipSection.EMPLOYER_CONTRIBUTION, CalculationKind.EMPLOYER_COST),
}
CUSTOM_INPUTS: Mapping[str, tuple[InputField, ...]] = {
    "fixed": (),
    "per_employee": (InputField("amount", InputKind.MONEY, "The amount per payslip."),),
    "per_payslip": (InputField("amount", InputKind.MONEY, "The amount.", levels=("payslip",)),),
    "rate_quantity": (
        InputField("rate", InputKind.MONEY, "The amount per unit."),
        InputField("quantity", InputKind.QUANTITY, "The number of units."),
    ),
    "percentage": (InputField("percentage", InputKind.PERCENTAGE, "The percentage: 5 means 5 %."),),
    "formula": (
        InputField("amount", InputKind.MONEY, "A number for the formula, as `amount`."),
        InputField("rate", InputKind.MONEY, "A number for the formula, as `rate`."),
        InputField("quantity", InputKind.QUANTITY, "A number for the formula, as `quantity`."),
        InputField("percentage", InputKind.PERCENTAGE, "A number for the formula, as `percentage`."),
    ),
}


PRORATE_INPUT = InputField(
    PRORATE,
    InputKind.BOOLEAN,
    "Whether it is prorated in an incomplete month. Default: as the client's `prorate_allowances`.",
)


def custom_type(definition: ItemDefinition) -> CalculationType:
    """Build the calculation type of a custom item."""
    section, kind = CUSTOM_SECTIONS[definition.kind]
    return CalculationType(
        name=str(definition.id),
        caption=definition.name,
        section=section,
        kind=kind,
        treatment=definition.treatment,
        inputs=(*CUSTOM_INPUTS[definition.input], *((PRORATE_INPUT,) if definition.can_be_prorated else ())),
        accounts=DEFAULT_ACCOUNTS[definition.kind],
        tax_year=_custom_tax_year(kind, definition.treatment),
        definition=definition,
    )


def _custom_tax_year(kind: CalculationKind, treatment: Treatment) -> YearRule:
    """Bonuses, lump sums and other additional wages belong to the year of payment."""
    if treatment.cpf == CpfTreatment.ADDITIONAL or treatment.ir8a in LUMP_SUM_BOXES:
        return YearRule.PAYMENT
    return DEFAULT_TAX_YEARS.get(kind, YearRule.WORK)


def _read_types(tables: dict[str, Any]) -> dict[str, CalculationType]:
    input_sets = {name: _read_inputs(entries) for name, entries in tables.pop("input_sets").items()}
    input_sets["week_hours"] = _week_hours_inputs()
    return {name: _read_type(name, table, input_sets) for name, table in tables.items()}


def _read_type(name: str, table: dict[str, Any], input_sets: Mapping[str, tuple[InputField, ...]]) -> CalculationType:
    inputs = table["inputs"]
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
        inputs=input_sets[inputs] if isinstance(inputs, str) else _read_inputs(inputs),
        alternatives=tuple(table.get("alternatives", ())),
        tracked=table.get("tracked"),
        limit=table.get("limit", "other"),
        priority=table.get("priority", DEFAULT_PRIORITY),
        extra_lines=()
        if accounts is None
        else tuple(
            # An extra line is treated like the main line, except for the gross rate of pay.
            PayslipLine(
                line["name"], line["caption"], section, replace(treatment, gross_rate=line["gross_rate"]), accounts
            )
            for line in table.get("lines", ())
        ),
        accounts=accounts,
        ir8a_part=table.get("ir8a_part"),
        tax_year=YearRule(table.get("tax_year", DEFAULT_TAX_YEARS.get(table["kind"], YearRule.WORK))),
    )


def _read_inputs(entries: list[dict[str, Any]]) -> tuple[InputField, ...]:
    return tuple(
        InputField(
            name=entry["name"],
            kind=InputKind(entry["kind"]),
            description=entry["description"],
            choices=tuple(entry.get("choices", ())),
            default=entry.get("default"),
            levels=tuple(entry.get("levels", LEVELS)),
            maximum=entry.get("maximum"),
            sets_tax_year=entry.get("sets_tax_year", False),
        )
        for entry in entries
    )


def _week_hours_inputs() -> tuple[InputField, ...]:
    """The inputs of regular hours, three of them for each day of the week."""
    days: list[InputField] = []
    for day in WEEKDAYS:
        days += [
            InputField(
                f"works_{day}", InputKind.BOOLEAN, f"Whether {day} is a working day. Requires a fixed schedule."
            ),
            InputField(
                f"day_type_{day}", InputKind.CHOICE, f"Whether {day} is a full day.", choices=("full", "partial")
            ),
            InputField(f"partial_hours_{day}", InputKind.QUANTITY, f"The hours of a partial {day}.", maximum=24),
        ]
    return (
        InputField(
            "full_day_hours_input", InputKind.QUANTITY, "The hours of a full day.", maximum=24, allows_zero=False
        ),
        InputField("schedule", InputKind.CHOICE, "Whether the working days are fixed.", choices=("fixed", "casual")),
        InputField("leave_any_day", InputKind.BOOLEAN, "Whether leave can be taken on any day. Requires the feature."),
        *days,
        InputField(
            "full_days_per_week",
            InputKind.INTEGER,
            "Working days per week. Default: the number of working days.",
            maximum=7,
        ),
        InputField(
            CYCLE,
            InputKind.CYCLE,
            "Two to six weeks that repeat, instead of one week: the hours of each day from Monday to Sunday, 0 for a "
            "day off, with / between weeks. Example: 8 8 8 8 8 4 0 / 8 8 8 8 8 0 0. Requires a fixed schedule.",
        ),
        InputField(
            CYCLE_START,
            InputKind.DATE,
            "Any day of the first week of the cycle. The weeks before and after it follow in turn. Required with a "
            "cycle.",
        ),
    )


_TABLES = tomllib.loads(files(__package__).joinpath("types.toml").read_text())
DEFAULT_ACCOUNTS: Mapping[str, LedgerAccounts] = read_ledger(_TABLES.pop("ledger"))
"""The accounts of each section, of each kind of custom item, and of nett_pay."""
SYSTEM_TYPES: Mapping[str, CalculationType] = _read_types(_TABLES)
"""The types that every client has."""
