"""A reference implementation of leave balances: one employee, one leave type, day by day."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from fractions import Fraction
from math import floor

from gaji.engine.leave.policies import AccrualMethod, LeavePolicy
from gaji.law.scale import Scale

A_DAY = timedelta(days=1)
HALF = Fraction(1, 2)
ZERO = Fraction(0)


def completed_months(first: date, day: date) -> int:
    """The months of service that are complete at the start of a day."""
    months = (day.year - first.year) * 12 + day.month - first.month
    return months - (day.day < first.day)


def scale_days(scale: Scale, measure: int) -> Fraction:
    """The days that a scale gives."""
    steps = zip(scale.thresholds, scale.values, strict=True)
    return max(
        ((threshold, Fraction(millidays, 1000)) for threshold, millidays in steps if threshold <= measure),
        default=(0, ZERO),
    )[1]


@dataclass
class PolicyTerms:
    """The entitlement under a policy."""

    policy: LeavePolicy

    def entitlement(self, year: int) -> Fraction:
        return scale_days(self.policy.entitlement, year)

    def prorated(self, year: int, months: int) -> Fraction:
        share = self.entitlement(year) * months / 12
        if self.policy.prorate:
            return Fraction(floor(share + HALF))
        return Fraction(floor(share * 1000 + HALF), 1000)

    def granted(self, year: int, months: int) -> Fraction:
        if year > 1:
            return self.entitlement(year)
        if self.policy.first_year is not None:
            return scale_days(self.policy.first_year, months)
        return self.entitlement(1) if months >= self.policy.min_service_months else ZERO


@dataclass
class DayByDay:
    """Computes a balance by processing every day of a service."""

    policies: Sequence[LeavePolicy]
    first: date
    counted_from: date
    recorded: Mapping[date, Sequence[Fraction]]
    balance: Fraction = ZERO
    carried: Fraction = ZERO
    expiry_months: int | None = None
    granted_by: PolicyTerms | None = None
    earned: Fraction = ZERO

    def balance_on(self, last: date, *, leaving: bool) -> Fraction:
        """The balance at the end of a day."""
        day = self.first
        while day <= last:
            self._process_day(day)
            day += A_DAY
        if leaving and self.granted_by is not None and self.granted_by.policy.prorate:
            year, _ = self._year_and_month(last)
            months = completed_months(self.first, last + A_DAY) - 12 * (year - 1)
            excess = self.granted_by.granted(year, months) - self.granted_by.prorated(year, months)
            self.balance -= max(excess, ZERO)
        return self.balance

    def _year_and_month(self, day: date) -> tuple[int, int]:
        months = completed_months(self.first, day)
        return months // 12 + 1, months % 12

    def _terms(self, day: date) -> PolicyTerms:
        return PolicyTerms([policy for policy in self.policies if policy.since is None or policy.since <= day][-1])

    def _process_day(self, day: date) -> None:
        year, months = self._year_and_month(day)
        month_starts = day == self.first or completed_months(self.first, day - A_DAY) != completed_months(
            self.first, day
        )
        if month_starts and months == 0:
            self._start_year(day, year)
        elif month_starts and self.expiry_months == months:
            self.balance -= self.carried
            self.carried = ZERO
        if not (month_starts and months == 0):
            self._change_policy(day, year, months)
        month_ends = completed_months(self.first, day + A_DAY) != completed_months(self.first, day)
        if month_ends:
            self._complete_month(day, year, months + 1)
        if day >= self.counted_from:
            for amount in self.recorded.get(day, ()):
                self.balance += amount
                self.carried = max(self.carried + min(amount, ZERO), ZERO)

    def _start_year(self, day: date, year: int) -> None:
        """Process the first day of a leave year."""
        policy = self._terms(day).policy
        if self.expiry_months == 12:
            self.balance -= self.carried
        if policy.carry_limit_millidays is not None:
            self.balance = min(self.balance, max(Fraction(policy.carry_limit_millidays, 1000), ZERO))
        if not policy.carries_negative:
            self.balance = max(self.balance, ZERO)
        self.carried = max(self.balance, ZERO)
        self.expiry_months = policy.expiry_months
        self.granted_by, self.earned = None, ZERO
        if policy.accrual is AccrualMethod.YEARLY:
            self.granted_by = self._terms(day)
            self._accrue(day, self.granted_by.granted(year, 0))

    def _change_policy(self, day: date, year: int, months: int) -> None:
        """Process the first day of a policy with yearly accrual within a leave year."""
        terms = self._terms(day)
        if terms.policy.since != day or terms.policy.accrual is not AccrualMethod.YEARLY:
            return
        if self.granted_by is not None:
            return
        before = terms.prorated(year, months) if terms.policy.prorate else self.earned
        self.granted_by = terms
        self._accrue(day, max(terms.granted(year, months) - before, ZERO))

    def _complete_month(self, day: date, year: int, months: int) -> None:
        """Process the last day of a month of service."""
        if self.granted_by is not None:
            self._accrue(day, self.granted_by.granted(year, months) - self.granted_by.granted(year, months - 1))
            return
        terms = self._terms(day)
        if terms.policy.accrual is not AccrualMethod.MONTHLY:
            return
        since = terms.policy.since or self.first
        months_before = completed_months(self.first, since) - 12 * (year - 1) if since > self.first else 0
        policy_start = min(max(months_before, 0), 12)

        def earned_until(count: int) -> Fraction:
            has_waited = 12 * (year - 1) + count >= terms.policy.min_service_months
            return terms.prorated(year, count if has_waited else policy_start)

        amount = earned_until(months) - earned_until(months - 1)
        self.earned += amount
        self._accrue(day, amount)

    def _accrue(self, day: date, amount: Fraction) -> None:
        if day >= self.counted_from:
            self.balance += amount
