"""Pay of items whose values change within the period: each part by its own days in service, exact until one rounding.

The incomplete-month formula applies to each part: amount × working days of the part ÷ working days of the period. A
part by the day or by the hour is paid by its own days or hours. Days or hours that were entered for the whole payslip
are divided in proportion to the regular ones of the parts.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction
from itertools import groupby

import numpy as np

from gaji.engine.attendance import Attendance
from gaji.engine.catalogue import PRORATE, CalculationType, Catalogue
from gaji.engine.earnings.amounts import Amounts
from gaji.engine.earnings.basic_pay import BASIC, PAY_TYPE, BasicPay
from gaji.engine.input_columns import InputColumns, PeriodParts, parse_cents, parse_millis
from gaji.engine.payslip_input import EntryPart
from gaji.law.columns import Cents, date_column
from gaji.law.pay.rates import PayType
from gaji.law.quantities import MILLI
from gaji.law.rounding import round_half_up

DaysByDate = Mapping[date, int]
"""Thousandths of days by date."""

RATES = {
    PayType.MONTHLY: ("fixed_amount", None),
    PayType.DAILY: ("daily_rate", "days_input"),
    PayType.HOURLY: ("hourly_rate", "hours_input"),
}
"""The inputs with the amount and with the quantity of the basic salary, by pay type."""


@dataclass(frozen=True, slots=True)
class PartPay:
    """The pay of one part of the period."""

    start: date
    last: date
    pay_type: PayType
    amount_cents: int
    """For a whole period, a day or an hour. Zero if the item does not exist in this part or is skipped."""
    multiplier_millis: int
    millidays: int
    """The working days in service."""
    quantity_millis: int
    """The regular days or hours of the part; for an amount of a whole period, its days."""
    factor: Fraction
    """What the quantity is multiplied by: one divided by the days of the period, or what was entered for each regular
    day or hour."""

    @property
    def cents(self) -> Fraction:
        """The exact pay."""
        return self.factor * self.amount_cents * self.multiplier_millis * self.quantity_millis / MILLI

    def without_dates(self, absent: DaysByDate) -> "PartPay":
        """The part without the days of absence that are in it."""
        days = sum(millidays for day, millidays in absent.items() if self.start <= day <= self.last)
        remaining = max(self.millidays - days, 0)
        if remaining == self.millidays:
            return self
        if self.quantity_millis == self.millidays:
            return replace(self, millidays=remaining, quantity_millis=remaining)
        return replace(self, millidays=remaining, factor=self.factor * Fraction(remaining, self.millidays))


@dataclass(frozen=True, slots=True)
class DatedPay:
    """The parts of one line of a payslip."""

    parts: Sequence[PartPay]
    exact_cents: Fraction

    @property
    def cents(self) -> int:
        """The amount of the line, rounded once."""
        return round_half_up(self.exact_cents)

    @property
    def millidays(self) -> int:
        """The working days in service of all parts."""
        return sum(part.millidays for part in self.parts)

    def without_days(self, millidays: int, dates: DaysByDate | None = None) -> "DatedPay":
        """The pay without some days: each is taken from the part that it is in, or from all alike without dates."""
        if dates is not None:
            return _dated_pay(part.without_dates(dates) for part in self.parts)
        served = self.millidays
        share = Fraction(max(served - millidays, 0), served) if served else Fraction(0)
        return DatedPay(self.parts, self.exact_cents * share)


DatedLines = Mapping[str, Mapping[int, DatedPay]]
"""By line and index of the payslip. Only payslips whose values change within the days in service. A period without any
working day is not divided: the values of its last day apply."""


def dated_lines(catalogue: Catalogue, inputs: InputColumns, attendance: Attendance, basic_pay: BasicPay) -> DatedLines:
    """The pay of the items of a batch that change within the period and are paid in parts."""
    lines = {}
    for name in inputs.names:
        item_type = catalogue.types[name]
        parts = inputs.parts(name) if name == BASIC or PRORATE in item_type.inputs_by_name else None
        if parts is None:
            continue
        if name == BASIC:
            lines[name] = dict(_basic_salaries(attendance, parts))
        elif pays := dict(_period_amounts(item_type, inputs, attendance, basic_pay, parts)):
            lines[name] = pays
    return lines


def with_dated_pay(amounts: Amounts, dated: DatedLines) -> Amounts:
    """The amounts of lines, with those of dated pay in place of others."""
    return amounts | {name: dated_cents(amounts[name], dated[name]) for name in dated if name in amounts}


def dated_cents(amounts: Cents, pays: Mapping[int, DatedPay]) -> Cents:
    """The amounts of one line, with those of dated pay in place of others."""
    replaced = np.array(amounts)
    for index, pay in pays.items():
        replaced[index] = pay.cents
    return replaced


def limited_pay(pays: Mapping[int, DatedPay], attendance: Attendance) -> dict[int, DatedPay]:
    """The pay of the parts for the days of a limited attendance, such as those of one calendar month."""
    rows = [(index, part) for index, pay in pays.items() for part in pay.parts]
    people = np.array([index for index, _ in rows], dtype=np.intp)
    first, last = (date_column([getattr(part, name) for _, part in rows]) for name in ("start", "last"))
    days = attendance.part_millidays(people, first, last).tolist()
    hours = attendance.part_millihours(people, first, last).tolist()
    limited: dict[int, list[PartPay]] = {index: [] for index in pays}
    for (index, part), part_days, part_hours in zip(rows, days, hours, strict=True):
        quantity = part_hours if part.pay_type == PayType.HOURLY else part_days
        limited[index].append(replace(part, millidays=part_days, quantity_millis=quantity))
    return {index: _dated_pay(parts) for index, parts in limited.items()}


@dataclass(frozen=True, slots=True)
class _PartDays:
    """A part with its days and hours in service."""

    values: EntryPart
    last: date
    millidays: int
    millihours: int


def _by_payslip(attendance: Attendance, parts: PeriodParts) -> Iterator[tuple[int, list[_PartDays]]]:
    columns = (
        parts.people.tolist(),
        parts.values,
        parts.last_days.tolist(),
        attendance.part_millidays(parts.people, parts.first_days, parts.last_days).tolist(),
        attendance.part_millihours(parts.people, parts.first_days, parts.last_days).tolist(),
    )
    for index, rows in groupby(zip(*columns, strict=True), key=lambda row: row[0]):
        yield index, [_PartDays(*row[1:]) for row in rows]


def _basic_salaries(attendance: Attendance, parts: PeriodParts) -> Iterator[tuple[int, DatedPay]]:
    for index, days in _by_payslip(attendance, parts):
        casual = bool(attendance.regular_hours.casual[index])
        if not (working := int(attendance.working_millidays[index])):
            continue
        yield index, _dated_pay(_basic_part(part, days, working, casual) for part in days)


def _basic_part(part: _PartDays, parts: Sequence[_PartDays], working_millidays: int, casual: bool) -> PartPay:
    inputs = part.values.inputs or {}
    pay_type = PayType(PAY_TYPE.choices.index(str(inputs.get("pay_type", PAY_TYPE.default or PAY_TYPE.choices[0]))))
    amount_input, quantity_input = RATES[pay_type]
    amount = parse_cents(inputs.get(amount_input))
    if quantity_input is None:
        return _part_pay(part, pay_type, amount, part.millidays, Fraction(1, working_millidays))
    by_day = pay_type == PayType.DAILY
    quantity, total = (
        (part.millidays, sum(other.millidays for other in parts))
        if by_day
        else (part.millihours, sum(other.millihours for other in parts))
    )
    if quantity_input not in inputs:
        return _part_pay(part, pay_type, amount, quantity, Fraction(0 if casual else 1, MILLI))
    entered = parse_millis(inputs[quantity_input])
    if not total:  # Without regular days, what was entered is for the last part.
        return _part_pay(part, pay_type, amount, entered if part is parts[-1] else 0, Fraction(1, MILLI))
    return _part_pay(part, pay_type, amount, quantity, Fraction(entered, total * MILLI))


def _period_amounts(
    item_type: CalculationType,
    inputs: InputColumns,
    attendance: Attendance,
    basic_pay: BasicPay,
    parts: PeriodParts,
) -> Iterator[tuple[int, DatedPay]]:
    definition = item_type.definition
    fixed_cents = definition.amount_cents if definition and definition.input == "fixed" else None
    for index, days in _by_payslip(attendance, parts):
        by_default = bool(inputs.prorates_gross_rate[index] & basic_pay.monthly_rated[index])
        working = int(attendance.working_millidays[index])
        if not working or not _is_prorated(item_type, [part.values for part in days], by_default):
            continue
        factor = Fraction(1, working)
        yield (
            index,
            _dated_pay(
                _part_pay(part, PayType.MONTHLY, _period_amount(part.values, fixed_cents), part.millidays, factor)
                for part in days
            ),
        )


def _period_amount(values: EntryPart, fixed_cents: int | None) -> int:
    if values.inputs is None:
        return 0
    return parse_cents(values.inputs.get("amount")) if fixed_cents is None else fixed_cents


def _is_prorated(item_type: CalculationType, parts: Sequence[EntryPart], by_default: bool) -> bool:
    """Whether an item is prorated, according to the last part in which it exists."""
    inputs = next((part.inputs for part in reversed(parts) if part.inputs is not None), {})
    if PRORATE in inputs:
        return inputs[PRORATE] is True
    return item_type.prorated_by_default and by_default


def _part_pay(part: _PartDays, pay_type: PayType, amount_cents: int, quantity_millis: int, factor: Fraction) -> PartPay:
    values = part.values
    exists = values.inputs is not None and not values.skip
    return PartPay(
        start=values.start,
        last=part.last,
        pay_type=pay_type,
        amount_cents=amount_cents if exists else 0,
        multiplier_millis=MILLI if values.multiplier is None else parse_millis(values.multiplier),
        millidays=part.millidays,
        quantity_millis=quantity_millis,
        factor=factor,
    )


def _dated_pay(parts: Iterable[PartPay]) -> DatedPay:
    pays = tuple(parts)
    return DatedPay(pays, sum((part.cents for part in pays), Fraction(0)))
