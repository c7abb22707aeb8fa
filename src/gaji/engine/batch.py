"""The calculation of a batch: from cases of one pay period to finished payslips.

The order is that of docs/rules/payslip.md. Everything is columns; a batch of one is what an employee gets alone.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from gaji.engine import deductions, earnings
from gaji.engine import employee_columns
from gaji.engine.payslip_input import Case, PayPeriod
from gaji.engine.catalogue import Catalogue, Kind, Section
from gaji.engine.deductions import Salary, Taking
from gaji.engine.earnings import Amounts, CustomItems, GrossRate, Pay, Problem
from gaji.engine.line_encoder import forms
from gaji.engine.input_columns import Inputs
from gaji.engine.leave_lines import leave_lines
from gaji.engine.money import dollars
from gaji.engine.attendance import Presence, presence
from gaji.engine.regular_hours import regular_hours
from gaji.engine.statutory import FUND_NAMES, LEVY, Statutory, statutory
from gaji.engine.wages import SlipWages, slip_wages
from gaji.engine.net_pay_limits import CPF_EMPLOYEE, TakenByLaw, within_pay
from gaji.law.registry import Law
from gaji.law.columns import Cents, Flags
from gaji.law.months import Month
from gaji.law.pay import overtime

REIMBURSEMENT = "reimbursement"
LEFT = {"owed": "stays owed", "saved": "is not saved", None: "is carried forward to the next payslip"}
"""What becomes of what could not be taken, by what is tracked."""


@dataclass(frozen=True)
class Workings:
    """Everything that was worked out on the way: what an explanation is written from."""

    law: Law
    catalogue: Catalogue
    custom_items: CustomItems
    month: Month
    period: PayPeriod
    cases: Sequence[Case]
    inputs: Inputs
    presence: Presence
    agreed: Pay
    gross: GrossRate
    earned: Amounts
    custom: Amounts
    unpaid_cents: Cents
    wages: SlipWages
    statutory: Statutory
    taken_by_law: Sequence[TakenByLaw]
    salary: Salary
    takings: Sequence[Taking]
    lines: Amounts
    income_cents: Cents
    deduction_cents: Cents
    problems: Sequence[Problem]


@dataclass(frozen=True)
class Slips:
    """The payslips of a batch, in the order of the cases."""

    nett_cents: Cents
    forms: Sequence[str]
    """Each one's lines as JSON: income, deduction, grand_total and sideline; leave where there is any."""
    figures: Mapping[str, Cents]
    """What later payslips go by, under the names of `cases.Earlier`."""
    moved: Mapping[int, dict[str, int]]
    """By place and tracked item, what was taken."""
    carried: Mapping[int, dict[str, int]]
    """By place and deduction, what could not be taken."""
    attention: Mapping[int, list[str]]
    """By place, what keeps the payslip from being finalised."""
    remarks: Mapping[int, list[str]]


def calculate(law: Law, catalogue: Catalogue, cases: Sequence[Case]) -> Slips:
    """The payslips of cases that have one pay period; raises LawDoesNotCover for a month outside of the law."""
    done = work_out(law, catalogue, cases)
    nett = done.income_cents - done.deduction_cents
    return Slips(
        nett_cents=nett,
        forms=forms(
            catalogue,
            done.lines,
            done.income_cents,
            done.deduction_cents,
            nett,
            leave_lines(cases, done.gross.cents),
        ),
        figures=_figures(done),
        moved=_by_place(done.takings, lambda taking: taking.taken if taking.type.tracked else None),
        carried=_by_place(done.takings, lambda taking: None if taking.type.tracked else taking.short),
        attention=_attention(done),
        remarks=_remarks(done),
    )


def work_out(law: Law, catalogue: Catalogue, cases: Sequence[Case]) -> Workings:
    """The calculation with all its steps."""
    period = _one_period(cases)
    month = Month.holding(period.end)
    inputs, custom_items = Inputs(cases), earnings.custom_items(catalogue)
    regular = regular_hours(inputs, law.pay.half_day_hours.at(month).value)
    present = presence(law.holidays, period, cases, regular)
    groups = employee_columns.employment_act_groups(employee_columns.persons(cases))
    agreed = earnings.pay(inputs, present, groups, period.pays_a_year)
    gross = earnings.gross_rate(catalogue, inputs, agreed.terms)
    earned = earnings.basic_lines(law.pay, month, inputs, present, agreed)
    earned |= earnings.other_lines(inputs, present, agreed, gross.cents)
    custom, problems = custom_items.lines(inputs, earned)
    unpaid = earnings.unpaid_leave_cents(inputs, present, agreed, earned)
    lines = earned | {name: amounts for name, amounts in custom.items() if _is_not_payment(catalogue, name)}
    own = slip_wages(catalogue, inputs, lines, unpaid, agreed, period.pays_a_year)
    by_law = statutory(law, month, period, cases, inputs, present, own)
    lines |= {earnings.UNPAID: unpaid}
    income = _total(catalogue, lines, Section.INCOME)
    taken_by_law = within_pay(by_law, income - unpaid)
    lines |= _lines_by_law(by_law, taken_by_law)
    taken_cents: Cents = sum((one.taken for one in taken_by_law), np.zeros_like(income))
    salary = Salary(
        amount_cents=income - _reimbursed(catalogue, lines) - unpaid,
        payable_cents=income - unpaid - taken_cents,
        by_law_cents=taken_cents,
        is_last=np.array([case.leaving is not None and case.leaving <= period.end for case in cases], dtype=np.bool_),
    )
    takings = deductions.take(law.pay, month, period, catalogue, cases, inputs, salary, gross, custom)
    lines |= {taking.type.name: taking.taken for taking in takings}
    return Workings(
        law=law,
        catalogue=catalogue,
        custom_items=custom_items,
        month=month,
        period=period,
        cases=cases,
        inputs=inputs,
        presence=present,
        agreed=agreed,
        gross=gross,
        earned=earned,
        custom=custom,
        unpaid_cents=unpaid,
        wages=own,
        statutory=by_law,
        taken_by_law=taken_by_law,
        salary=salary,
        takings=takings,
        lines=lines,
        income_cents=income,
        deduction_cents=_total(catalogue, lines, Section.DEDUCTION),
        problems=problems,
    )


def _one_period(cases: Sequence[Case]) -> PayPeriod:
    period = cases[0].period
    if any(case.period != period for case in cases):
        raise ValueError("the cases of a batch have one pay period")
    return period


def _lines_by_law(by_law: Statutory, taken_by_law: Sequence[TakenByLaw]) -> Amounts:
    unpaid_share = next(one.short for one in taken_by_law if one.name == CPF_EMPLOYEE)
    return {
        **{one.name: one.taken for one in taken_by_law},
        "cpf_employer": by_law.assessment.due.employer_cents + unpaid_share,
        "sdl": by_law.sdl_cents,
        LEVY: by_law.levy_cents,
    }


def _is_not_payment(catalogue: Catalogue, name: str) -> bool:
    return catalogue.types[name].kind != Kind.PAYMENT


def _total(catalogue: Catalogue, lines: Amounts, section: Section) -> Cents:
    # Quicker than NumPy's sum of columns, which copies them into one.
    return reduce(np.add, [column for name, column in lines.items() if catalogue.lines[name].section == section])


def _reimbursed(catalogue: Catalogue, lines: Amounts) -> Cents | int:
    """What only gives back what the employee laid out."""
    return sum(amounts for name, amounts in lines.items() if _is_reimbursement(catalogue, name))


def _is_reimbursement(catalogue: Catalogue, name: str) -> bool:
    one = catalogue.types.get(name)
    custom = one is not None and one.definition is not None and one.definition.kind == REIMBURSEMENT
    return custom or name == REIMBURSEMENT


def _figures(done: Workings) -> dict[str, Cents]:
    counted, due = done.statutory.counted, done.statutory.assessment.due
    return {
        "ordinary": counted.ordinary_cents,
        "ordinary_before": counted.ordinary_before_cents,
        "additional": counted.additional_cents,
        "additional_before": counted.additional_before_cents,
        "ordinary_subject": due.ordinary_subject_cents,
        "additional_subject": due.additional_subject_cents,
        "remuneration": done.wages.remuneration_cents,
        "fund_wages": done.wages.fund_cents,
        **{name: done.lines[name] for name in ("cpf_employee", "cpf_employer", *FUND_NAMES.values(), "sdl")},
        "levy": done.lines[LEVY],
    }


def _by_place(takings: Sequence[Taking], column: Callable[[Taking], Cents | None]) -> dict[int, dict[str, int]]:
    """What is not zero of some columns, by place and item."""
    found: dict[int, dict[str, int]] = {}
    for taking in takings:
        amounts = column(taking)
        if amounts is None:
            continue
        for place in amounts.nonzero()[0].tolist():
            found.setdefault(place, {})[taking.type.name] = int(amounts[place])
    return found


def _attention(done: Workings) -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    for problem in done.problems:
        _tell(found, problem.who, problem.message)
    message = "Foreign worker levy: no rate is known for this sector, tier and skill; enter the amount"
    _tell(found, done.statutory.levy_without_rate, message)
    return found


def _remarks(done: Workings) -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    for one in done.taken_by_law:
        for place in one.short.nonzero()[0].tolist():
            found.setdefault(place, []).append(_short_by_law(done.catalogue, one, place))
    for taking in done.takings:
        for place in (taking.short > 0).nonzero()[0].tolist():
            found.setdefault(place, []).append(_short(taking, place))
    hours = done.inputs.quantity(earnings.BASIC, "overtime_hours_input")
    limit = done.law.pay.overtime_hours_a_month.at(done.month).value
    beyond = overtime.beyond_limit(done.law.pay, done.month, hours) & done.inputs.shows(earnings.BASIC)
    _tell(found, beyond, f"Overtime: more than the {limit} hours that a month may have")
    return found


def _short(taking: Taking, place: int) -> str:
    left = LEFT[taking.type.tracked]
    wanted, short = int(taking.wanted[place]), int(taking.short[place])
    return f"{taking.type.caption}: {dollars(short)} of {dollars(wanted)} could not be taken and {left}"


def _short_by_law(catalogue: Catalogue, one: TakenByLaw, place: int) -> str:
    left = " and is the employer's to pay" if one.name == CPF_EMPLOYEE else ""
    due, short = dollars(int(one.due[place])), dollars(int(one.short[place]))
    return f"{catalogue.types[one.name].caption}: {short} of {due} could not be taken{left}"


def _tell(found: dict[int, list[str]], who: Flags, message: str) -> None:
    for place in who.nonzero()[0].tolist():
        found.setdefault(place, []).append(message)
