"""What earlier payslips of a person leave to later ones, kept as plainly as a ledger."""

from calendar import monthrange
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta

from gaji.engine.payslip_input import PayslipInput, MonthToDate, CalculationEntry, PayPeriod, EmployeeDetails, ServiceInterval, YearToDate

A_DAY = timedelta(days=1)


@dataclass(frozen=True)
class Paid:
    """A payslip that is done, in cents."""

    end: date
    figures: Mapping[str, int]
    moved: Mapping[str, int]
    carried: Mapping[str, int]


@dataclass
class Past:
    """The payslips of one person so far."""

    service: Sequence[ServiceInterval]
    paid: list[Paid] = field(default_factory=list)

    def next_case(
        self,
        period: PayPeriod,
        person: EmployeeDetails,
        calculations: dict[str, CalculationEntry],
        leaving: date | None,
        *,
        earlier: MonthToDate | None = None,
        year: YearToDate | None = None,
        last_month: int = 0,
        moved: Mapping[str, int] | None = None,
        carried: Mapping[str, int] | None = None,
    ) -> PayslipInput:
        """The case of the next payslip; what is stated of the time before the first one is added."""
        earlier, year, end = earlier or MonthToDate(), year or YearToDate(), period.end
        before = end.replace(day=1) - A_DAY
        return PayslipInput(
            period=period,
            employee=person,
            service=[one for one in self.service if one.start <= end and (one.end is None or one.end >= period.start)],
            calculations=calculations,
            last_service_date=leaving,
            month_to_date=MonthToDate(
                **{
                    name: getattr(earlier, name) + self._sum(name, end.replace(day=1), end)
                    for name in MonthToDate.__struct_fields__
                }
            ),
            year_to_date=YearToDate(
                **{
                    name: getattr(year, name) + self._sum(name, date(end.year, 1, 1), before)
                    for name in YearToDate.__struct_fields__
                }
            ),
            last_month_ordinary_cents=last_month + self._whole_month("ordinary", before),
            instalments_cents=self._moved(calculations, moved or {}),
            carried_forward_cents=dict(self.paid[-1].carried) if self.paid else dict(carried or {}),
        )

    def add(self, case: PayslipInput, figures: Mapping[str, int], moved: Mapping[str, int], carried: Mapping[str, int]) -> None:
        """A payslip is done."""
        self.paid.append(Paid(case.period.end, figures, moved, carried))

    def _sum(self, name: str, first: date, last: date) -> int:
        return sum(one.figures[name] for one in self.paid if first <= one.end <= last)

    def _whole_month(self, name: str, last: date) -> int:
        first = last.replace(day=1)
        served = sum(
            (min(one.end or last, last) - max(one.start, first)).days + 1
            for one in self.service
            if one.start <= last and (one.end is None or one.end >= first)
        )
        return self._sum(name, first, last) if served == monthrange(last.year, last.month)[1] else 0

    def _moved(self, calculations: Mapping[str, CalculationEntry], stated: Mapping[str, int]) -> dict[str, int]:
        """By tracked item, what was taken since its start date."""
        found = dict(stated)
        for name, entry in calculations.items():
            start = date.fromisoformat(str(entry.inputs.get("start_date", date.min.isoformat())))
            taken = sum(one.moved.get(name, 0) for one in self.paid if one.end >= start)
            if taken:
                found[name] = found.get(name, 0) + taken
        return found
