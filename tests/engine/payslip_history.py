"""The finished payslips of an employee, and the totals that the next payslip builds on."""

from calendar import monthrange
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta

from gaji.engine.payslip_input import (
    CalculationEntry,
    EmployeeDetails,
    MonthToDate,
    PayPeriod,
    PayslipInput,
    ServiceInterval,
    YearToDate,
)

A_DAY = timedelta(days=1)


@dataclass(frozen=True)
class FinishedPayslip:
    """The results of a payslip that later ones depend on, in cents."""

    end: date
    totals: Mapping[str, int]
    instalments: Mapping[str, int]
    carried_forward: Mapping[str, int]


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
    ) -> PayslipInput:
        """Build the input of the next payslip. The stated totals from before the first payslip are added."""
        stated_month, stated_year, end = month_to_date or MonthToDate(), year_to_date or YearToDate(), period.end
        month_before = end.replace(day=1) - A_DAY
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
            month_to_date=MonthToDate(
                **{
                    name: getattr(stated_month, name) + self._sum(name, end.replace(day=1), end)
                    for name in MonthToDate.__struct_fields__
                }
            ),
            year_to_date=YearToDate(
                **{
                    name: getattr(stated_year, name) + self._sum(name, date(end.year, 1, 1), month_before)
                    for name in YearToDate.__struct_fields__
                }
            ),
            last_month_ordinary_cents=last_month_ordinary_cents + self._sum_of_complete_month("ordinary", month_before),
            instalments_cents=self._instalments(calculations, instalments or {}),
            carried_forward_cents=dict(self.finished[-1].carried_forward if self.finished else carried_forward or {}),
        )

    def add(
        self,
        payslip: PayslipInput,
        totals: Mapping[str, int],
        instalments: Mapping[str, int],
        carried_forward: Mapping[str, int],
    ) -> None:
        """Add a finished payslip."""
        self.finished.append(FinishedPayslip(payslip.period.end, totals, instalments, carried_forward))

    def _sum(self, name: str, first: date, last: date) -> int:
        return sum(payslip.totals[name] for payslip in self.finished if first <= payslip.end <= last)

    def _sum_of_complete_month(self, name: str, last: date) -> int:
        first = last.replace(day=1)
        served = sum(
            (min(interval.end or last, last) - max(interval.start, first)).days + 1
            for interval in self.service
            if interval.start <= last and (interval.end is None or interval.end >= first)
        )
        return self._sum(name, first, last) if served == monthrange(last.year, last.month)[1] else 0

    def _instalments(self, calculations: Mapping[str, CalculationEntry], stated: Mapping[str, int]) -> dict[str, int]:
        """By tracked item, the amount deducted since its start date."""
        deducted = dict(stated)
        for name, entry in calculations.items():
            start = date.fromisoformat(str(entry.inputs.get("start_date", date.min.isoformat())))
            amount = sum(payslip.instalments.get(name, 0) for payslip in self.finished if payslip.end >= start)
            if amount:
                deducted[name] = deducted.get(name, 0) + amount
        return deducted
