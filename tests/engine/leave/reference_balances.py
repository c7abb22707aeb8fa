"""A second, plain telling of balances: one employee, one type, day after day, as the page of the rules has it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from fractions import Fraction
from math import floor

from gaji.engine.leave.policies import AccrualMethod, LeavePolicy

A_DAY = timedelta(days=1)
HALF = Fraction(1, 2)


def month_of_service(first: date, day: date) -> int:
    """How many months of service are complete when a day begins."""
    months = (day.year - first.year) * 12 + day.month - first.month
    return months - (day.day < first.day)


def step(scale: Mapping[int, Fraction], measure: int) -> Fraction:
    """What a scale gives."""
    return max(((least, days) for least, days in scale.items() if least <= measure), default=(0, Fraction(0)))[1]


@dataclass
class Terms:
    """A policy in plain words."""

    policy: LeavePolicy

    def entitled(self, year: int) -> Fraction:
        return step(_plain(self.policy.entitlement.thresholds, self.policy.entitlement.values), year)

    def part(self, year: int, months: int) -> Fraction:
        share = self.entitled(year) * months / 12
        if self.policy.prorate:
            return Fraction(floor(share + HALF))
        return Fraction(floor(share * 1000 + HALF), 1000)

    def granted(self, year: int, months: int) -> Fraction:
        if year > 1:
            return self.entitled(year)
        if self.policy.first_year is not None:
            return step(_plain(self.policy.first_year.thresholds, self.policy.first_year.values), months)
        return self.entitled(1) if months >= self.policy.min_service_months else Fraction(0)


def _plain(least: Sequence[int], values: Sequence[int]) -> dict[int, Fraction]:
    return {one: Fraction(value, 1000) for one, value in zip(least, values, strict=True)}


@dataclass
class Walk:
    """One walk through a service."""

    policies: Sequence[LeavePolicy]
    first: date
    since: date
    recorded: Mapping[date, Sequence[Fraction]]
    balance: Fraction = Fraction(0)
    carried: Fraction = Fraction(0)
    expires_after: int | None = None
    settled_by: Terms | None = None
    given: Fraction = Fraction(0)

    def to(self, last: date, *, leaving: bool) -> Fraction:
        """The balance at the end of a day."""
        day = self.first
        while day <= last:
            self.live(day)
            day += A_DAY
        if leaving and self.settled_by is not None and self.settled_by.policy.prorate:
            year, _ = self.place(last)
            done = month_of_service(self.first, last + A_DAY) - 12 * (year - 1)
            cut = self.settled_by.granted(year, done) - self.settled_by.part(year, done)
            self.balance -= max(cut, Fraction(0))
        return self.balance

    def place(self, day: date) -> tuple[int, int]:
        months = month_of_service(self.first, day)
        return months // 12 + 1, months % 12

    def terms(self, day: date) -> Terms:
        return Terms([one for one in self.policies if one.since is None or one.since <= day][-1])

    def live(self, day: date) -> None:
        year, months = self.place(day)
        begins = day == self.first or month_of_service(self.first, day - A_DAY) != month_of_service(self.first, day)
        if begins and months == 0:
            self.turn(day, year)
        elif begins and self.expires_after == months:
            self.balance -= self.carried
            self.carried = Fraction(0)
        if not (begins and months == 0):
            self.change(day, year, months)
        ends = month_of_service(self.first, day + A_DAY) != month_of_service(self.first, day)
        if ends:
            self.earn(day, year, months + 1)
        if day >= self.since:
            for amount in self.recorded.get(day, ()):
                self.balance += amount
                self.carried = max(self.carried + min(amount, Fraction(0)), Fraction(0))

    def turn(self, day: date, year: int) -> None:
        """The first day of a leave year."""
        policy = self.terms(day).policy
        if self.expires_after == 12:
            self.balance -= self.carried
        if policy.carry_limit_millidays is not None:
            self.balance = min(self.balance, max(Fraction(policy.carry_limit_millidays, 1000), Fraction(0)))
        self.carried = max(self.balance, Fraction(0))
        self.expires_after = policy.expiry_months
        self.settled_by, self.given = None, Fraction(0)
        if policy.accrual is AccrualMethod.YEARLY:
            self.settled_by = self.terms(day)
            self.give(day, self.settled_by.granted(year, 0))

    def change(self, day: date, year: int, months: int) -> None:
        """The first day of a policy that grants yearly, within a leave year."""
        terms = self.terms(day)
        if terms.policy.since != day or terms.policy.accrual is not AccrualMethod.YEARLY or self.settled_by is not None:
            return
        before = terms.part(year, months) if terms.policy.prorate else self.given
        self.settled_by = terms
        self.give(day, max(terms.granted(year, months) - before, Fraction(0)))

    def earn(self, day: date, year: int, months: int) -> None:
        """The last day of a month of service."""
        if self.settled_by is not None:
            self.give(day, self.settled_by.granted(year, months) - self.settled_by.granted(year, months - 1))
            return
        terms = self.terms(day)
        if terms.policy.accrual is not AccrualMethod.MONTHLY:
            return
        since = terms.policy.since or self.first
        begun = min(max(month_of_service(self.first, since) - 12 * (year - 1), 0), 12) if since > self.first else 0
        earned = [
            terms.part(year, one)
            if 12 * (year - 1) + one >= terms.policy.min_service_months
            else terms.part(year, begun)
            for one in (months, months - 1)
        ]
        self.given += earned[0] - earned[1]
        self.give(day, earned[0] - earned[1])

    def give(self, day: date, amount: Fraction) -> None:
        if day >= self.since:
            self.balance += amount
