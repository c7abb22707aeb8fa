"""What was agreed with people, as the cases have it and at random."""

import random
from decimal import Decimal
from fractions import Fraction

import numpy as np

from gaji.law.columns import cents, codes
from gaji.law.pay.incomplete_month import RatePeriods
from gaji.law.pay.part_four import EmploymentActGroup, PartFourStatus
from gaji.law.pay.rates import PayTerms, PayType
from gaji.law.quantities import Millis, counts, millis
from tests.law.cases import Case, in_cents

WEEKS = (
    (2, 2, 2, 2, 2, 0, 0),
    (2, 2, 2, 2, 2, 1, 0),
    (2, 2, 2, 2, 2, 2, 0),
    (2, 0, 2, 0, 2, 0, 0),
    (0, 2, 0, 2, 0, 1, 0),
    (0, 2, 2, 2, 2, 2, 1),
    (1, 1, 1, 1, 1, 0, 0),
    (2, 2, 2, 2, 2, 2, 2),
)


def of_case(case: Case) -> PayTerms:
    """The terms of a case: `monthly`, `daily` or `hourly`, with `week_days` and `day_hours`."""
    (kind,) = (kind for kind in PayType if kind.name.lower() in case)
    return PayTerms(
        codes([kind]),
        cents([in_cents(case[kind.name.lower()])]),
        millis([case.get("week_days", 5)]),
        millis([case.get("day_hours", 0)]),
    )


def standing_of_case(case: Case) -> PartFourStatus:
    """The standing of a case; without a word about it a non-workman with the monthly pay, if any, as basic salary."""
    group = EmploymentActGroup[case.get("group", "non_workman").upper()]
    basic = case["basic"] if "basic" in case else case.get("monthly", 0)
    return PartFourStatus(codes([group]), cents([in_cents(basic)]))


def at_random(at: random.Random, people: int) -> PayTerms:
    """Terms of every kind."""
    return PayTerms(
        codes([at.choice(list(PayType)) for _ in range(people)]),
        cents(
            [at.choice((at.randrange(20_000), at.randrange(2_000_000), at.randrange(10**12))) for _ in range(people)]
        ),
        counts([at.choice((5000, 5500, 6000, 3000, at.randrange(1, 7001))) for _ in range(people)]),
        counts([at.choice((8000, 7500, 4000, at.randrange(1, 24_001))) for _ in range(people)]),
    )


def standing_at_random(at: random.Random, people: int) -> PartFourStatus:
    """Every group, with salaries around the limits."""
    return PartFourStatus(
        codes([at.choice(list(EmploymentActGroup)) for _ in range(people)]),
        cents([at.choice((260_000, 260_001, 450_000, 450_001, at.randrange(10**6))) for _ in range(people)]),
    )


def whole(amount: int) -> Fraction:
    """Thousandths as a fraction of days or hours."""
    return Fraction(amount, 1000)


def dollars(amount: int) -> Fraction:
    """Cents as dollars."""
    return Fraction(amount, 100)


def one(number: int | Decimal) -> Millis:
    """A column of one."""
    return millis([number])


def stretches_of(parts: list[Case]) -> RatePeriods:
    """All parts of a case belong to the first person."""
    return RatePeriods(
        np.zeros(len(parts), dtype=np.intp),
        cents([in_cents(part["monthly"]) for part in parts]),
        millis([part["worked"] for part in parts]),
    )
