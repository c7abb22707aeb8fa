"""Unpaid leave and national service: the difference that days without pay make to the pay of a period, line by line."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import NamedTuple

import numpy as np

from gaji.engine.attendance import Attendance
from gaji.engine.catalogue import PRORATE, Catalogue
from gaji.engine.earnings.amounts import Amounts, line_cents
from gaji.engine.earnings.basic_pay import BASIC, BasicPay
from gaji.engine.earnings.dated_pay import DatedLines, DaysByDate
from gaji.engine.earnings.other_earnings import full_amount_cents, is_prorated
from gaji.engine.input_columns import InputColumns, parse_millis
from gaji.law.columns import Cents, Flags, any_nonzero
from gaji.law.pay import rates
from gaji.law.quantities import Millis

UNPAID_LEAVE = "unpaid_leave"
NATIONAL_SERVICE = "national_service_leave"
EXCESS_LEAVE = "excess_leave"


class AbsencePay(NamedTuple):
    """The pay of the days on which each employee was absent."""

    unpaid_cents: Cents
    national_service_cents: Cents
    """Deducted only if the employer is not on the DIRECT scheme."""


def absent_millidays(inputs: InputColumns, name: str) -> Millis:
    """The days of unpaid leave or of national service on each payslip."""
    days = inputs.quantity_millis(name, "days")
    return np.where(inputs.has_line(name), days, 0) if name in inputs.names else days


def absence_dates(inputs: InputColumns, names: Sequence[str], absent: Millis) -> dict[int, DaysByDate]:
    """The days of absences by date, in thousandths, for each payslip whose days are those of its leave."""
    dates: dict[int, DaysByDate] = {}
    for index, leave in inputs.dated_leave.items():
        by_date: dict[date, int] = defaultdict(int)
        for name in names:
            for day, days in (leave.unpaid_dates if name == UNPAID_LEAVE else leave.national_service_dates).items():
                by_date[date.fromisoformat(day)] += parse_millis(days)
        if sum(by_date.values()) == int(absent[index]):
            dates[index] = by_date
    return dates


def absence_pay(
    catalogue: Catalogue,
    inputs: InputColumns,
    attendance: Attendance,
    basic_pay: BasicPay,
    earnings: Amounts,
    dated: DatedLines,
) -> AbsencePay:
    """The pay of unpaid leave, and that of national service after it."""

    def deducted(days: Millis, *names: str) -> Cents:
        dates = absence_dates(inputs, names, days) if dated else {}
        return _absence_cents(catalogue, inputs, attendance, basic_pay, earnings, dated, days, dates)

    unpaid_days, service_days = (absent_millidays(inputs, name) for name in (UNPAID_LEAVE, NATIONAL_SERVICE))
    unpaid = deducted(unpaid_days, UNPAID_LEAVE)
    if not any_nonzero(service_days):
        return AbsencePay(unpaid, service_days)
    return AbsencePay(unpaid, deducted(unpaid_days + service_days, UNPAID_LEAVE, NATIONAL_SERVICE) - unpaid)


def _absence_cents(
    catalogue: Catalogue,
    inputs: InputColumns,
    attendance: Attendance,
    basic_pay: BasicPay,
    earnings: Amounts,
    dated: DatedLines,
    absent: Millis,
    dates: Mapping[int, DaysByDate],
) -> Cents:
    """The deduction for days of absence, at most the pay that it is deducted from."""
    if not any_nonzero(absent):
        return absent
    at_rate = np.minimum(rates.daily_rates(basic_pay.terms).cents(absent), earnings[BASIC])
    deducted = np.where(basic_pay.monthly_rated, 0, at_rate)
    absent_in_service = np.minimum(absent, attendance.served_millidays)
    for name, amounts, prorated in prorated_lines(catalogue, inputs, basic_pay):
        remaining = line_cents(inputs, name, attendance.prorated_cents(amounts, absent_in_service))
        for index, pay in dated.get(name, {}).items():
            remaining[index] = pay.without_days(int(absent[index]), dates.get(index)).cents
            prorated[index] = basic_pay.monthly_rated[index]
        deducted = deducted + np.where(prorated, earnings[name] - remaining, 0)
    return deducted


def prorated_lines(
    catalogue: Catalogue, inputs: InputColumns, basic_pay: BasicPay
) -> Iterator[tuple[str, Cents, Flags]]:
    """The lines that are prorated in an incomplete period: name, amounts of a whole period, and for whom."""
    yield BASIC, basic_pay.terms.amounts_cents, basic_pay.monthly_rated
    for name in inputs.names:
        item_type = catalogue.types[name]
        if PRORATE in item_type.inputs_by_name and (amounts := full_amount_cents(inputs, item_type)) is not None:
            yield name, amounts, basic_pay.monthly_rated & is_prorated(inputs, basic_pay, item_type)
