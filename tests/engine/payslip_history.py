"""The finished payslips of an employee, and the totals that the next payslip builds on."""

from calendar import monthrange
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import TypeVar

from gaji.engine.payslip_input import (
    AdditionalWages,
    CalculationEntry,
    CorrectedPayslip,
    EmployeeDetails,
    LeaveEffects,
    MonthToDate,
    PastDifference,
    PayPeriod,
    PayslipInput,
    PreviousMonth,
    ServiceInterval,
    YearToDate,
)

A_DAY = timedelta(days=1)
NO_LEAVE = LeaveEffects()

Totals = TypeVar("Totals", MonthToDate, YearToDate)


def _sum(first: Totals, second: Totals) -> Totals:
    names = first.__struct_fields__
    return type(first)(**{name: getattr(first, name) + getattr(second, name) for name in names})


@dataclass(frozen=True)
class FinishedPayslip:
    """The results of a payslip that later ones depend on, in cents."""

    end: date
    totals: Mapping[str, int]
    previous_totals: Mapping[str, int]
    """The part of them for the month before that of the period's end."""
    instalments: Mapping[str, int]
    carried_forward: Mapping[str, int]
    past_totals: Mapping[str, Mapping[str, int]]
    """The part of the totals that corrects earlier months, by month."""
    is_correction: bool
    """Whether it belongs to a correction run."""


@dataclass
class PayslipHistory:
    """The payslips of one employee so far."""

    service: Sequence[ServiceInterval]
    finished: list[FinishedPayslip] = field(default_factory=list)

    def next_input(
        self,
        period: PayPeriod,
        employee: EmployeeDetails,
        calculations: dict[str, CalculationEntry],
        last_service_date: date | None,
        *,
        month_to_date: MonthToDate | None = None,
        year_to_date: YearToDate | None = None,
        last_month_ordinary_cents: int = 0,
        instalments: Mapping[str, int] | None = None,
        carried_forward: Mapping[str, int] | None = None,
        past_differences: Sequence[PastDifference] = (),
        prorates_gross_rate: bool = True,
        leave: LeaveEffects = NO_LEAVE,
        ns_direct_scheme: bool = True,
        last_of_month: bool | None = None,
        takes_previous_levy: bool = False,
    ) -> PayslipInput:
        """Build the input of the next payslip. The stated totals from before the first payslip are added."""
        stated_month, stated_year, end = month_to_date or MonthToDate(), year_to_date or YearToDate(), period.end
        before = end.replace(day=1) - A_DAY
        month_totals, year_totals = self._month_to_date(end), self._year_to_date(end)
        overtime = calculations.get("basic_salary", CalculationEntry({})).inputs
        previous_month = None
        if period.apportionment or any("overtime" in name for name in overtime):
            previous_month = PreviousMonth(
                self._month_to_date(before),
                self._year_to_date(before),
                self._sum_of_complete_month("ordinary", before.replace(day=1) - A_DAY),
            )
        return PayslipInput(
            period=period,
            employee=employee,
            service=[
                interval
                for interval in self.service
                if interval.start <= end and (interval.end is None or interval.end >= period.start)
            ],
            calculations=calculations,
            last_service_date=last_service_date,
            past_differences=list(past_differences),
            prorates_gross_rate=prorates_gross_rate,
            ns_direct_scheme=ns_direct_scheme,
            last_of_month=last_of_month,
            takes_previous_levy=takes_previous_levy,
            month_to_date=_sum(stated_month, month_totals),
            year_to_date=_sum(stated_year, year_totals),
            last_month_ordinary_cents=last_month_ordinary_cents + self._sum_of_complete_month("ordinary", before),
            previous_month=previous_month,
            additional_by_month=self._additional_by_month(end),
            corrected_months=self._corrected_months(calculations, leave),
            leave=leave,
            instalments_cents=self._instalments(calculations, instalments or {}),
            carried_forward_cents=self._carried_forward() if self.finished else dict(carried_forward or {}),
        )

    def correction_input(
        self,
        period: PayPeriod,
        employee: EmployeeDetails,
        last_service_date: date | None,
        corrects: CorrectedPayslip,
        past_differences: Sequence[PastDifference],
    ) -> PayslipInput:
        """Build the input of a payslip of a correction run."""
        return PayslipInput(
            period=period,
            employee=employee,
            service=[],
            calculations={},
            last_service_date=last_service_date,
            past_differences=list(past_differences),
            corrects=corrects,
        )

    def _carried_forward(self) -> dict[str, int]:
        """What the last payslip could not deduct, and what correction runs have added since."""
        total: dict[str, int] = {}
        for payslip in reversed(self.finished):
            for name, amount in payslip.carried_forward.items():
                total[name] = total.get(name, 0) + amount
            if not payslip.is_correction:
                break
        return total

    def add(
        self,
        payslip: PayslipInput,
        totals: Mapping[str, int],
        instalments: Mapping[str, int],
        carried_forward: Mapping[str, int],
        previous_totals: Mapping[str, int] | None = None,
        past_totals: Mapping[str, Mapping[str, int]] | None = None,
    ) -> None:
        """Add a finished payslip."""
        self.finished.append(
            FinishedPayslip(
                payslip.period.end,
                totals,
                previous_totals or {},
                instalments,
                carried_forward,
                past_totals or {},
                payslip.corrects is not None,
            )
        )

    def month_total(self, name: str, year: int, month: int) -> int:
        """The total of a calendar month, whichever payslips it is on."""
        total = 0
        for payslip in self.finished:
            before = payslip.end.replace(day=1) - A_DAY
            if (payslip.end.year, payslip.end.month) == (year, month):
                total += payslip.totals[name] - payslip.previous_totals.get(name, 0)
            if (before.year, before.month) == (year, month):
                total += payslip.previous_totals.get(name, 0)
            for text, figures in payslip.past_totals.items():
                corrected = figures.get(name, 0)
                total += corrected if text == f"{year:04d}-{month:02d}" else 0
                total -= corrected if (payslip.end.year, payslip.end.month) == (year, month) else 0
        return total

    def _month_to_date(self, day: date) -> MonthToDate:
        return MonthToDate(
            **{name: self.month_total(name, day.year, day.month) for name in MonthToDate.__struct_fields__}
        )

    def _year_to_date(self, day: date) -> YearToDate:
        """The totals of the year's months before that of a day."""
        return YearToDate(
            **{
                name: sum(self.month_total(name, day.year, month) for month in range(1, day.month))
                for name in YearToDate.__struct_fields__
            }
        )

    def _additional_by_month(self, day: date) -> dict[str, AdditionalWages]:
        """The additional wages of earlier months, back to January of the year of the month before."""
        before = day.replace(day=1) - A_DAY
        months = {}
        for month in range(1, before.month + 1):
            wages = AdditionalWages(
                self.month_total("additional", before.year, month),
                self.month_total("additional_subject", before.year, month),
            )
            if wages != AdditionalWages():
                months[f"{before.year}-{month:02d}"] = wages
        return months

    def _corrected_months(
        self, calculations: Mapping[str, CalculationEntry], leave: LeaveEffects
    ) -> dict[str, MonthToDate]:
        """The totals of the months in which excess leave was taken."""
        entry = calculations.get("excess_leave")
        if entry is None:
            return {}
        entered = entry.inputs.get("taken_in")
        months = [str(entered)] if entered else list(leave.excess_days)
        return {month: self._month_to_date(date.fromisoformat(f"{month}-01")) for month in months}

    def _sum_of_complete_month(self, name: str, last: date) -> int:
        first = last.replace(day=1)
        served = sum(
            (min(interval.end or last, last) - max(interval.start, first)).days + 1
            for interval in self.service
            if interval.start <= last and (interval.end is None or interval.end >= first)
        )
        return self.month_total(name, last.year, last.month) if served == monthrange(last.year, last.month)[1] else 0

    def _instalments(self, calculations: Mapping[str, CalculationEntry], stated: Mapping[str, int]) -> dict[str, int]:
        """By tracked item, the amount deducted since its start date."""
        deducted = dict(stated)
        for name, entry in calculations.items():
            start = date.fromisoformat(str(entry.inputs.get("start_date", date.min.isoformat())))
            amount = sum(payslip.instalments.get(name, 0) for payslip in self.finished if payslip.end >= start)
            if amount:
                deducted[name] = deducted.get(name, 0) + amount
        return deducted
