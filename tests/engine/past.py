"""What earlier payslips of a person leave to later ones, kept as plainly as a ledger."""

from calendar import monthrange
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta

from gaji.engine.cases import Case, Earlier, Entry, PayPeriod, Person, Stretch, YearToDate

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

    service: Sequence[Stretch]
    paid: list[Paid] = field(default_factory=list)

    def next_case(
        self,
        period: PayPeriod,
        person: Person,
        calculations: dict[str, Entry],
        leaving: date | None,
        *,
        earlier: Earlier | None = None,
        year: YearToDate | None = None,
        last_month: int = 0,
        moved: Mapping[str, int] | None = None,
        carried: Mapping[str, int] | None = None,
    ) -> Case:
        """The case of the next payslip; what is stated of the time before the first one is added."""
        earlier, year, end = earlier or Earlier(), year or YearToDate(), period.end
        before = end.replace(day=1) - A_DAY
        return Case(
            period=period,
            person=person,
            service=[one for one in self.service if one.start <= end and (one.end is None or one.end >= period.start)],
            calculations=calculations,
            leaving=leaving,
            earlier=Earlier(
                **{
                    name: getattr(earlier, name) + self._sum(name, end.replace(day=1), end)
                    for name in Earlier.__struct_fields__
                }
            ),
            year=YearToDate(
                **{
                    name: getattr(year, name) + self._sum(name, date(end.year, 1, 1), before)
                    for name in YearToDate.__struct_fields__
                }
            ),
            last_month=last_month + self._whole_month("ordinary", before),
            moved=self._moved(calculations, moved or {}),
            carried=dict(self.paid[-1].carried) if self.paid else dict(carried or {}),
        )

    def add(self, case: Case, figures: Mapping[str, int], moved: Mapping[str, int], carried: Mapping[str, int]) -> None:
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

    def _moved(self, calculations: Mapping[str, Entry], stated: Mapping[str, int]) -> dict[str, int]:
        """By tracked item, what was taken since its start date."""
        found = dict(stated)
        for name, entry in calculations.items():
            start = date.fromisoformat(str(entry.inputs.get("start_date", date.min.isoformat())))
            taken = sum(one.moved.get(name, 0) for one in self.paid if one.end >= start)
            if taken:
                found[name] = found.get(name, 0) + taken
        return found
