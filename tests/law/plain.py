"""The law once more, as plainly as it can be said: one person, exact fractions, no columns, nothing of Gaji.

It reads its numbers from `plain_*.txt`, lines that were taken from the published tables independently of the parameter
files. It is slow, and it is what the engine is compared with.
"""

import math
from bisect import bisect_left
from dataclasses import dataclass, field
from datetime import date
from fractions import Fraction
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent
ZERO = Fraction(0)
YEAR_CEILING = Fraction(102_000)
RESIDENTS = ("CITIZEN", "PR")


@dataclass(frozen=True)
class Person:
    """Everything about one person that the law asks for."""

    birthdate: date
    legal_status: str = "CITIZEN"
    pr_date: date | None = None
    citizenship_date: date | None = None
    pr_cpf_rates: str = "GG"
    cpf_exempt: bool = False
    sdl_exempt: bool = False
    race: str = "OTHER"
    religion: str = "NONE"
    work_pass: str = "NONE"
    elects_second: bool = False
    opt_out: frozenset[str] = frozenset()
    own: dict[str, Fraction] = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class Pay:
    """The wages of a month to date, in dollars, and what came before them."""

    ordinary: Fraction
    additional: Fraction = ZERO
    ordinary_before: Fraction = ZERO
    additional_before: Fraction = ZERO
    expected_month: Fraction = ZERO
    leaving: date | None = None
    year_ordinary: Fraction = ZERO
    year_additional: Fraction = ZERO
    year_additional_subject: Fraction = ZERO
    taken: "Cpf" = field(default_factory=lambda: Cpf(ZERO, ZERO, ZERO, ZERO))


@dataclass(frozen=True)
class Cpf:
    """What bears CPF, and the two shares."""

    ordinary: Fraction
    additional: Fraction
    employee: Fraction
    employer: Fraction


def cpf(year: int, month: int, person: Person, pay: Pay) -> Cpf:
    """What a payslip contributes."""
    now, before, day = tables_of(year, month, person)
    if now is None:
        return Cpf(ZERO, ZERO, -pay.taken.employee, -pay.taken.employer)
    ordinary = min(max(pay.ordinary, ZERO), ordinary_ceiling(year, month))
    additional = additional_subject(year, month, pay, ordinary)
    first = second = ZERO
    if day is not None:
        first = min(max(pay.ordinary_before, ZERO), ordinary)
        second = min(max(pay.additional_before, ZERO), additional)
    earlier, later = first + second, ordinary + additional - first - second
    total, employee = shares(year, month, age_of(year, month, person), [(before, earlier), (now, later)])
    whole, own = Fraction(math.floor(total + Fraction(1, 2))), Fraction(math.floor(employee))
    return Cpf(ordinary, additional, own - pay.taken.employee, whole - own - pay.taken.employer)


def shares(year: int, month: int, age: int, parts: list[tuple[str | None, Fraction]]) -> tuple[Fraction, Fraction]:
    """Total and employee's share before rounding; each part of the wages has its own table, the band is of all."""
    wages = sum((part for _, part in parts), ZERO)
    total = employee = ZERO
    for table, part in parts:
        if not part:
            continue
        employer_only, graduated, both, own = rates(year, month, table, age)
        if wages > 750:
            total += both * part
            employee += own * part
        elif wages > 500:
            share = graduated * (wages - 500) * part / wages
            total += employer_only * part + share
            employee += share
        elif wages > 50:
            total += employer_only * part
    return total, employee


def additional_subject(year: int, month: int, pay: Pay, ordinary: Fraction) -> Fraction:
    """The additional wages of the month that bear CPF."""
    left = pay.leaving is not None and (pay.leaving.year, pay.leaving.month) <= (year, month)
    final = month == 12 or left
    wages = pay.additional
    if final:
        wages += max(pay.year_additional - pay.year_additional_subject, ZERO)
    if wages <= 0:
        return ZERO
    rest_of_year = ordinary if final else ZERO
    if not final:
        for later in range(month, 13):
            if pay.leaving is None or (pay.leaving.year, pay.leaving.month) >= (year, later):
                rest_of_year += min(max(pay.expected_month, ZERO), ordinary_ceiling(year, later))
    room = YEAR_CEILING - pay.year_ordinary - rest_of_year - pay.year_additional_subject
    subject = min(wages, max(room, ZERO))
    # What earlier payslips of the month took is not given back because an estimate has risen.
    still_needed = pay.taken.ordinary + pay.taken.additional - ordinary
    return max(subject, min(still_needed, pay.taken.additional, wages))


def tables_of(year: int, month: int, person: Person) -> tuple[str | None, str | None, date | None]:
    """The table at the end of the month, the one before, and the day in between, if there is one."""
    if person.legal_status not in RESIDENTS or person.cpf_exempt:
        return None, None, None
    as_resident = table_of_resident(year, month, person)
    if person.legal_status == "PR":
        return as_resident, as_resident, None
    day = person.citizenship_date
    if day is None or (day.year, day.month) < (year, month):
        return "T1", "T1", None
    if (day.year, day.month) > (year, month):
        return as_resident, as_resident, None
    return "T1", as_resident, (day if day.day > 1 else None)


def table_of_resident(year: int, month: int, person: Person) -> str | None:
    """The table of a permanent resident."""
    if person.pr_date is None:
        return "T1"
    begun = (person.pr_date.year, person.pr_date.month)
    if (year, month) < begun:
        return None
    if person.pr_cpf_rates == "FF":
        return "T1"
    graduated = person.pr_cpf_rates == "GG"
    if (year - 1, month) <= begun:
        return "T2" if graduated else "T4"
    if (year - 2, month) <= begun:
        return "T3" if graduated else "T5"
    return "T1"


def age_of(year: int, month: int, person: Person) -> int:
    """The age that the month counts as: a birthday counts from the month after it."""
    age = year - person.birthdate.year
    return age if month > person.birthdate.month else age - 1


def ordinary_ceiling(year: int, month: int) -> Fraction:
    """The most ordinary wages of a month that bear CPF."""
    if year < 2023 or (year == 2023 and month < 9):
        return Fraction(6000)
    return Fraction({2023: 6300, 2024: 6800, 2025: 7400}.get(year, 8000))


def rates(year: int, month: int, table: str | None, age: int) -> tuple[Fraction, Fraction, Fraction, Fraction]:
    """Employer only, graduated, total and employee's rate of someone who counts as this old."""
    if table is None:
        return ZERO, ZERO, ZERO, ZERO
    begun = max(since for since in _cpf_lines() if since <= f"{year}-{month:02d}")
    # Whoever counts as 54 years old is in the group up to 55; that of 60 begins with those who count as 55.
    return next(found for oldest, found in _cpf_lines()[begun][table] if age < oldest)


@cache
def _cpf_lines() -> dict[str, dict[str, list[tuple[int, tuple[Fraction, Fraction, Fraction, Fraction]]]]]:
    found: dict[str, dict[str, list[tuple[int, tuple[Fraction, Fraction, Fraction, Fraction]]]]] = {}
    for since, table, oldest, *numbers in _lines("plain_cpf.txt"):
        employer_only, graduated, both, own = (Fraction(number) / 100 for number in numbers)
        line = (int(oldest), (employer_only, graduated, both, own))
        found.setdefault(since, {}).setdefault(table, []).append(line)
    return found


def funds(year: int, month: int, person: Person, wages: Fraction) -> dict[str, Fraction]:
    """What each fund gets, those that get nothing left out."""
    if wages <= 0:
        return {}
    races = person.race.split("-")
    asking = {fund_of_race(races[0])}
    if person.elects_second and len(races) > 1:
        asking.add(fund_of_race(races[1]))
    if person.religion == "ISLAM":
        asking.add("MBMF")
    resident = is_resident(year, month, person)
    amounts = {
        fund: person.own.get(fund, fund_amount(fund, wages))
        for fund in asking - person.opt_out
        if fund is not None and (resident or fund == "MBMF" or (fund == "SINDA" and person.work_pass == "EP"))
    }
    return {fund: amount for fund, amount in amounts.items() if amount}


def is_resident(year: int, month: int, person: Person) -> bool:
    """Whether someone is a citizen or a permanent resident when the month ends."""
    if person.legal_status not in RESIDENTS:
        return False
    if person.legal_status == "CITIZEN" and not _after(person.citizenship_date, year, month):
        return True
    return not _after(person.pr_date, year, month)


def _after(day: date | None, year: int, month: int) -> bool:
    return day is not None and (day.year, day.month) > (year, month)


def fund_of_race(race: str) -> str | None:
    """The fund of a race."""
    if race in ("CHINESE", "EURASIAN"):
        return "CDAC" if race == "CHINESE" else "ECF"
    indian = "INDIAN BANGLADESHI BENGALI GOAN GUJARATI MALAYALEE PAKISTANI PARSEE PUNJABI SIKH SINDHI SINHALESE"
    return "SINDA" if race in f"{indian} SRI_LANKAN TAMIL TELUGU".split() else None


def fund_amount(fund: str, wages: Fraction) -> Fraction:
    """What a fund asks of wages."""
    bounds, amounts = _fund_lines()[fund]
    return amounts[bisect_left(bounds, wages)]


@cache
def _fund_lines() -> dict[str, tuple[list[Fraction], list[Fraction]]]:
    found: dict[str, tuple[list[Fraction], list[Fraction]]] = {}
    for fund, bound, amount in _lines("plain_funds.txt"):
        bounds, amounts = found.setdefault(fund, ([], []))
        amounts.append(Fraction(amount))
        if bound != "more":
            bounds.append(Fraction(bound))
    return found


def sdl(person: Person, wages: Fraction) -> Fraction:
    """The skills development levy."""
    if person.sdl_exempt or wages <= 0:
        return ZERO
    exact = min(wages, Fraction(4500)) * Fraction(25, 10_000)
    return max(Fraction(math.floor(exact * 100 + Fraction(1, 2)), 100), Fraction(2))


def _lines(file: str) -> list[list[str]]:
    lines = (FOLDER / file).read_text().splitlines()
    return [line.split() for line in lines if line and not line.startswith("#")]
