"""CPF parameters: ceilings, wage bands and rate tables."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np
import numpy.typing as npt

from gaji.law.months import Month
from gaji.law.parameters import DatedValue, History, ParameterFiles, SubjectReader, TableReader

RateLookup = npt.NDArray[np.int64]
"""One rate for each table and age group."""

EXPECTED_MONTHS, ACTUAL_TO_DATE = "expected_months", "actual_to_date"
PAY_DATE, LAST_DAY_AND_PAY_DATE = "pay_date", "last_day_and_pay_date"
AFTER_LEAVING = "additional_wages_after_leaving"


class RateTable(IntEnum):
    """The table of contribution rates that applies to a person."""

    NONE = 0
    """Foreigners, exempt employees, and permanent residents before their first day."""
    T1 = 1
    """Citizens, and permanent residents from the third year or with full rates elected."""
    T2 = 2
    """Permanent residents in the first year, both at graduated rates."""
    T3 = 3
    """Permanent residents in the second year, both at graduated rates."""
    T4 = 4
    """Permanent residents in the first year, employer at the full rate and employee at the graduated rate."""
    T5 = 5
    """Permanent residents in the second year, employer at the full rate and employee at the graduated rate."""


class AgeGroup(IntEnum):
    """The age group that selects the row of a rate table."""

    UP_TO_55 = 0
    ABOVE_55 = 1
    ABOVE_60 = 2
    ABOVE_65 = 3
    ABOVE_70 = 4

    @property
    def label(self) -> str:
        """The description of the age group.

        >>> [group.label for group in AgeGroup]
        ['up to 55', 'above 55 to 60', 'above 60 to 65', 'above 65 to 70', 'above 70']
        """
        text = self.name.lower().replace("_", " ")
        if self in (AgeGroup.UP_TO_55, max(AgeGroup)):
            return text
        return f"{text} to {AgeGroup(self + 1).name.rpartition('_')[2]}"


@dataclass(frozen=True)
class CpfRates:
    """The rates of one age group in one table, in parts of 100,000."""

    employer_only: int
    graduated: int
    total: int
    employee: int


@dataclass(frozen=True)
class WageBands:
    """The upper bounds of the lower wage bands, in total wages; each bound is included in its band."""

    nil_up_to_cents: int
    employer_only_up_to_cents: int
    graduated_up_to_cents: int


class RateColumns:
    """The rates of a month as lookup columns, with one cell per table (including NONE) and age group."""

    def __init__(self, cells: Sequence[CpfRates]) -> None:
        self.employer_only: RateLookup = np.array([cell.employer_only for cell in cells], dtype=np.int64)
        self.graduated: RateLookup = np.array([cell.graduated for cell in cells], dtype=np.int64)
        self.total: RateLookup = np.array([cell.total for cell in cells], dtype=np.int64)
        self.employee: RateLookup = np.array([cell.employee for cell in cells], dtype=np.int64)


@dataclass(frozen=True)
class CpfParameters:
    """All CPF parameters."""

    ordinary_wage_ceiling_cents: History[int]
    annual_ceiling_cents: History[int]
    additional_wage_estimate: History[str]
    after_leaving: History[str] | None
    """None in rules versions without this switch: only the pay date counts."""
    wage_bands: History[WageBands]
    tables: tuple[History[tuple[CpfRates, ...]], ...]
    """T1 to T5, each with the rates of every age group."""
    _rate_columns: dict[int, RateColumns] = field(default_factory=dict, compare=False, repr=False)
    """A cache by month number: consecutive batches are often for the same month."""

    def rate_columns(self, month: Month) -> RateColumns:
        """The rates of all tables in a month as columns; raises MonthNotCovered."""
        if (columns := self._rate_columns.get(month.number)) is None:
            tables = [history.at(month).value for history in self.tables]
            no_rates = (CpfRates(0, 0, 0, 0),) * len(AgeGroup)
            cells = [rates for table in (no_rates, *tables) for rates in table]
            columns = self._rate_columns[month.number] = RateColumns(cells)
        return columns

    def rates(self, month: Month, table: RateTable) -> DatedValue[tuple[CpfRates, ...]]:
        """The rates of a table in a month, by age group; raises MonthNotCovered."""
        return self.tables[table - RateTable.T1].at(month)


def read_parameters(files: ParameterFiles) -> CpfParameters:
    """Read the parameters from `cpf.toml`."""
    subject = files.subject("cpf")
    parameters = CpfParameters(
        ordinary_wage_ceiling_cents=subject.cents_above_zero("ordinary_wage_ceiling"),
        annual_ceiling_cents=subject.cents_above_zero("annual_ceiling"),
        additional_wage_estimate=subject.choice("additional_wage_estimate", EXPECTED_MONTHS, ACTUAL_TO_DATE),
        after_leaving=subject.choice(AFTER_LEAVING, PAY_DATE, LAST_DAY_AND_PAY_DATE)
        if AFTER_LEAVING in subject
        else None,
        wage_bands=subject.history("wage_bands", _wage_bands),
        tables=tuple(subject.history(table.name, _table) for table in RateTable if table != RateTable.NONE),
    )
    subject.reject_unknown()
    _check_continuous(subject, parameters)
    return parameters


def _wage_bands(entry: TableReader) -> WageBands:
    bands = WageBands(
        nil_up_to_cents=entry.cents("nil_up_to"),
        employer_only_up_to_cents=entry.cents("employer_only_up_to"),
        graduated_up_to_cents=entry.cents("graduated_up_to"),
    )
    if not bands.nil_up_to_cents < bands.employer_only_up_to_cents < bands.graduated_up_to_cents:
        raise entry.error("graduated_up_to", "must be above employer_only_up_to, which must be above nil_up_to")
    return bands


def _table(entry: TableReader) -> tuple[CpfRates, ...]:
    return tuple(_rates(entry.table(group.name.lower())) for group in AgeGroup)


def _rates(cell: TableReader) -> CpfRates:
    rates = CpfRates(
        employer_only=cell.percent("employer_only"),
        graduated=cell.factor("graduated"),
        total=cell.percent("total"),
        employee=cell.percent("employee"),
    )
    cell.reject_unknown()
    if rates.employee > rates.total:
        raise cell.error("employee", "must be at most total")
    if rates.employer_only + rates.employee > rates.total:
        raise cell.error("total", "must not be below employer_only and employee together")
    return rates


def _check_continuous(subject: SubjectReader, parameters: CpfParameters) -> None:
    """Reject a graduated factor that makes the employee's share jump at the end of the graduated band."""
    for table, history in zip(list(RateTable)[RateTable.T1 :], parameters.tables, strict=True):
        for day in subject.change_dates(history, parameters.wage_bands):
            bands, in_force = parameters.wage_bands.on(day).value, history.on(day)
            end, width = bands.graduated_up_to_cents, bands.graduated_up_to_cents - bands.employer_only_up_to_cents
            for group, rates in zip(AgeGroup, in_force.value, strict=True):
                if rates.graduated * width != rates.employee * end:
                    path = f"{group.name.lower()}.graduated"
                    reason = "makes the employee's share jump at graduated_up_to, where it must equal employee"
                    raise subject.error(table.name, in_force.since, path, reason)
