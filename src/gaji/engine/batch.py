"""Calculate a batch of payslips: from the inputs of one pay period to finished payslips.

The order of computation is that of docs/rules/payslip.md. Everything is a column with one value for each payslip, so a
batch of one gives the same result as the same payslip in a larger batch.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
from msgspec import Struct

from gaji.engine import deductions, earnings, employee_columns
from gaji.engine.attendance import Attendance, build_attendance
from gaji.engine.catalogue import FOREIGN_WORKER_LEVY, CalculationKind, Catalogue, PayslipSection
from gaji.engine.correction_remarks import REPAYMENT, correction_remarks, employee_correction_remarks
from gaji.engine.deductions import DeductionBasis, DeductionResult
from gaji.engine.earnings import AbsencePay, Amounts, BasicPay, CustomItems, DatedLines, GrossRate, ItemProblem
from gaji.engine.excess_leave import MonthRefund, divide_excess_leave, month_refunds
from gaji.engine.input_columns import InputColumns
from gaji.engine.leave_lines import encode_leave_lines
from gaji.engine.line_encoder import encode_lines
from gaji.engine.money import format_dollars
from gaji.engine.net_pay_limits import CPF_EMPLOYEE, StatutoryDeduction, cap_to_net_pay
from gaji.engine.past_months import PastMonths, past_months, with_corrections
from gaji.engine.payslip_input import PayPeriod, PayslipInput
from gaji.engine.regular_hours import regular_hours
from gaji.engine.statutory import FUND_NAMES, MonthAssessment, StatutoryResult, assess_statutory
from gaji.engine.wages import PayslipWages, payslip_wages
from gaji.engine.withholding_tax import WithholdingTax, compute_withholding_tax
from gaji.law import cpf, national_service
from gaji.law.columns import Cents, Flags, any_nonzero, single_person
from gaji.law.explanation import percent
from gaji.law.months import Month
from gaji.law.parameters import MonthNotCovered
from gaji.law.pay import overtime
from gaji.law.quantities import format_millis
from gaji.law.registry import Law

REIMBURSEMENT = "reimbursement"
REPAY_REFUNDED_SHARE = f"Pay the employee's share back {REPAYMENT}, after it is refunded"
"""How the employee gets the share of refunded contributions."""
SHORTFALL_REMARKS = {"owed": "remains owed", "saved": "is not saved", None: "is carried forward to the next payslip"}
"""What happens to an amount that could not be deducted, by what the item tracks."""

ItemAmounts = Mapping[int, dict[str, int]]
"""Cents by payslip index and item name. Zeros are omitted."""
Messages = Mapping[int, list[str]]
"""Keyed by payslip index."""


class CalculationTrace(Struct, frozen=True):
    """All intermediate results of a batch. Explanations are written from it."""

    law: Law
    catalogue: Catalogue
    custom_items: CustomItems
    month: Month
    period: PayPeriod
    payslips: Sequence[PayslipInput]
    inputs: InputColumns
    attendance: Attendance
    basic_pay: BasicPay
    gross_rate: GrossRate
    dated: DatedLines
    earnings: Amounts
    custom_amounts: Amounts
    absence: AbsencePay
    wages: PayslipWages
    statutory: StatutoryResult
    past_months: PastMonths
    withholding_tax: WithholdingTax | None
    statutory_deductions: Sequence[StatutoryDeduction]
    deduction_basis: DeductionBasis
    deductions: Sequence[DeductionResult]
    lines: Amounts
    income_cents: Cents
    deduction_cents: Cents
    problems: Sequence[ItemProblem]


class BatchResult(Struct, frozen=True):
    """The payslips of a batch, in the order of their inputs."""

    nett_cents: Cents
    lines_json: Sequence[str]
    """The lines of each payslip as JSON: income, deduction, grand_total and sideline; leave if there is any."""
    totals: Mapping[str, Cents]
    """Totals that later payslips build on, under the names of `MonthToDate`."""
    register_totals: Mapping[str, Cents]
    """Totals for the register of a pay run: income, deductions that reduce wages, and employer contributions."""
    previous_totals: Mapping[str, Cents]
    """The part of them for the month before that of the period's end. Empty if no payslip of the batch has any."""
    past_totals: Mapping[int, Mapping[str, Mapping[str, int]]]
    """The part of them that corrects earlier months, by payslip index and month (`2026-01`)."""
    instalments_cents: ItemAmounts
    """Amounts deducted for tracked items."""
    carried_forward_cents: ItemAmounts
    """Amounts that could not be deducted."""
    attention: Messages
    """What prevents a payslip from being finalised."""
    remarks: Messages
    pays_regular_hours: Flags
    """Whether a basic salary by the hour is paid for the regular hours of the period, because none were entered."""


def calculate(law: Law, catalogue: Catalogue, payslips: Sequence[PayslipInput]) -> BatchResult:
    """Calculate payslips of the same pay period. Raises MonthNotCovered if the law has no figures for the month."""
    trace = calculate_with_trace(law, catalogue, payslips)
    nett = trace.income_cents - trace.deduction_cents
    return BatchResult(
        nett_cents=nett,
        lines_json=encode_lines(
            catalogue,
            trace.lines,
            trace.income_cents,
            trace.deduction_cents,
            nett,
            encode_leave_lines(payslips, trace.gross_rate.cents),
        ),
        totals=_totals(trace),
        register_totals=_register_totals(trace),
        previous_totals=_previous_totals(trace),
        past_totals=_past_totals(trace),
        instalments_cents=_amounts_by_item(
            trace.deductions, lambda deduction: deduction.deducted_cents if deduction.type.tracked else None
        ),
        carried_forward_cents=_amounts_by_item(
            trace.deductions, lambda deduction: None if deduction.type.tracked else deduction.carried_forward_cents
        ),
        attention=_attention(trace),
        remarks=_remarks(trace),
        pays_regular_hours=trace.basic_pay.pays_regular_hours & (trace.lines[earnings.BASIC] != 0),
    )


def calculate_with_trace(law: Law, catalogue: Catalogue, payslips: Sequence[PayslipInput]) -> CalculationTrace:
    """Calculate payslips and return all intermediate results."""
    period = _common_period(payslips)
    month = Month.from_date(period.end)
    inputs, custom_items = InputColumns(payslips), earnings.compile_custom_items(catalogue)
    regular = regular_hours(inputs, law.pay.half_day_hours.at(month).value)
    attendance = build_attendance(law.holidays, period, payslips, regular)
    groups = employee_columns.employment_act_groups(employee_columns.employee_details(payslips))
    basic_pay = earnings.agreed_pay(inputs, attendance, groups, period.periods_per_year)
    gross_rate = earnings.gross_rates(catalogue, inputs, basic_pay.terms)
    earned = earnings.basic_pay_lines(law.pay, month, inputs, attendance, basic_pay, gross_rate.cents)
    earned |= earnings.other_earning_lines(inputs, attendance, basic_pay, gross_rate.cents)
    dated = earnings.dated_lines(catalogue, inputs, attendance, basic_pay)
    earned = earnings.with_dated_pay(earned, dated)
    custom, problems = custom_items.lines(inputs, attendance, basic_pay, earned, dated)
    absence = earnings.absence_pay(catalogue, inputs, attendance, basic_pay, earned | custom, dated)
    service_leave = np.where(inputs.ns_direct_scheme, 0, absence.national_service_cents)
    deducted = absence.unpaid_cents + service_leave
    lines = earned | {name: amounts for name, amounts in custom.items() if not _is_payment(catalogue, name)}
    lines = earnings.with_arrears(catalogue, payslips, lines)
    excess_leave = divide_excess_leave(period, payslips, inputs, gross_rate)
    on_paid = law.national_service.levy_and_funds_basis.at(month).value == national_service.PAID
    reduction = AbsencePay(absence.unpaid_cents, service_leave if on_paid else np.zeros_like(service_leave))
    wages = payslip_wages(catalogue, inputs, attendance, lines, basic_pay, period, reduction, excess_leave, dated)
    past = past_months(payslips)
    statutory = assess_statutory(law, month, period, with_corrections(payslips, past), inputs, attendance, wages)
    lines |= {earnings.UNPAID_LEAVE: absence.unpaid_cents, earnings.NATIONAL_SERVICE: service_leave}
    income = _total(catalogue, lines, PayslipSection.INCOME)
    withholding_tax = compute_withholding_tax(law.tax, payslips, lines)
    withheld = None if withholding_tax is None else withholding_tax.tax_cents
    statutory_deductions = cap_to_net_pay(statutory, past, income - deducted, withheld)
    lines |= _statutory_lines(statutory, past, statutory_deductions)
    statutory_cents: Cents = sum(
        (deduction.deducted_cents for deduction in statutory_deductions), np.zeros_like(income)
    )
    basis = DeductionBasis(
        amount_cents=income - _reimbursed(catalogue, lines) - deducted,
        payable_cents=income - deducted - statutory_cents,
        statutory_cents=statutory_cents,
        is_final_salary=np.array([_is_final_salary(payslip) for payslip in payslips], dtype=np.bool_),
    )
    results = deductions.compute_deductions(
        law.pay, month, period, catalogue, payslips, inputs, basis, gross_rate, custom
    )
    lines |= {deduction.type.name: deduction.deducted_cents for deduction in results}
    return CalculationTrace(
        law=law,
        catalogue=catalogue,
        custom_items=custom_items,
        month=month,
        period=period,
        payslips=payslips,
        inputs=inputs,
        attendance=attendance,
        basic_pay=basic_pay,
        gross_rate=gross_rate,
        dated=dated,
        earnings=earned,
        custom_amounts=custom,
        absence=absence,
        wages=wages,
        statutory=statutory,
        past_months=past,
        withholding_tax=withholding_tax,
        statutory_deductions=statutory_deductions,
        deduction_basis=basis,
        deductions=results,
        lines=lines,
        income_cents=income,
        deduction_cents=_total(catalogue, lines, PayslipSection.DEDUCTION),
        problems=problems,
    )


def _common_period(payslips: Sequence[PayslipInput]) -> PayPeriod:
    period = payslips[0].period
    if any(payslip.period != period for payslip in payslips):
        raise ValueError("all payslips of a batch must have the same pay period")
    return period


def _is_final_salary(payslip: PayslipInput) -> bool:
    return payslip.last_service_date is not None and payslip.last_service_date <= payslip.period.end


def _statutory_lines(
    statutory: StatutoryResult, past: PastMonths, statutory_deductions: Sequence[StatutoryDeduction]
) -> Amounts:
    uncovered_share = next(
        deduction.shortfall_cents for deduction in statutory_deductions if deduction.name == CPF_EMPLOYEE
    )
    employer, skills_levy = statutory.current.assessment.due.employer_cents, statutory.current.sdl_cents
    if (previous := statutory.previous) is not None:
        employer = employer + previous.assessment.due.employer_cents
        skills_levy = skills_levy + previous.sdl_cents
    return {
        **{deduction.name: deduction.deducted_cents for deduction in statutory_deductions},
        "cpf_employer": employer + uncovered_share + past.total("cpf_employer"),
        "sdl": skills_levy + past.total("sdl"),
        FOREIGN_WORKER_LEVY: statutory.levy_cents + statutory.previous_levy_cents + past.total("levy"),
    }


def _is_payment(catalogue: Catalogue, name: str) -> bool:
    return catalogue.types[name].kind == CalculationKind.PAYMENT


def _total(catalogue: Catalogue, lines: Amounts, section: PayslipSection) -> Cents:
    # Faster than NumPy's sum of columns, which first copies them into one array.
    return reduce(np.add, [column for name, column in lines.items() if catalogue.lines[name].section == section])


def _reimbursed(catalogue: Catalogue, lines: Amounts) -> Cents | int:
    """The total of expenses paid back to the employee, which is not salary."""
    return sum(amounts for name, amounts in lines.items() if _is_reimbursement(catalogue, name))


def _is_reimbursement(catalogue: Catalogue, name: str) -> bool:
    item_type = catalogue.types.get(name)
    definition = None if item_type is None else item_type.definition
    return name == REIMBURSEMENT or (definition is not None and definition.kind == REIMBURSEMENT)


def _totals(trace: CalculationTrace) -> dict[str, Cents]:
    contributions = {name: trace.lines[name] for name in ("cpf_employee", "cpf_employer", *FUND_NAMES.values(), "sdl")}
    wages = _wage_totals(trace.statutory.current)
    if trace.statutory.previous is not None:
        previous = _wage_totals(trace.statutory.previous)
        wages = {name: amounts + previous[name] for name, amounts in wages.items()}
    if trace.past_months.by_payslip:
        wages = {name: amounts + trace.past_months.total(name) for name, amounts in wages.items()}
    return {**wages, **contributions, "levy": trace.lines[FOREIGN_WORKER_LEVY]}


def _register_totals(trace: CalculationTrace) -> dict[str, Cents]:
    return {
        "gross": trace.income_cents,
        "wage_deductions": trace.lines[earnings.UNPAID_LEAVE] + trace.lines[earnings.NATIONAL_SERVICE],
        "employer_contributions": _total(trace.catalogue, trace.lines, PayslipSection.EMPLOYER_CONTRIBUTION),
    }


def _previous_totals(trace: CalculationTrace) -> dict[str, Cents]:
    levy = trace.statutory.previous_levy_cents
    if (previous := trace.statutory.previous) is None:
        return {"levy": levy} if any_nonzero(levy) else {}
    names = (CPF_EMPLOYEE, *FUND_NAMES.values())
    deducted = {
        deduction.name: deduction.previous_cents for deduction in trace.statutory_deductions if deduction.name in names
    }
    due = previous.assessment.due
    uncovered_share = due.employee_cents - deducted[CPF_EMPLOYEE]
    employer = due.employer_cents + uncovered_share
    contributions = {"cpf_employer": employer, "sdl": previous.sdl_cents, "levy": levy}
    return {**_wage_totals(previous), **deducted, **contributions}


def _past_totals(trace: CalculationTrace) -> dict[int, dict[str, dict[str, int]]]:
    if not trace.past_months.by_payslip:
        return {}
    missing = {deduction.name: deduction.missing_past_cents for deduction in trace.statutory_deductions}
    return {
        i: {str(month): figures for month, figures in months.items() if figures}
        for i, months in trace.past_months.without_missing(missing).items()
    }


def _wage_totals(month: MonthAssessment) -> dict[str, Cents]:
    wages, due = month.payslip_cpf_wages, month.assessment.due
    return {
        "ordinary": wages.ordinary_cents,
        "ordinary_before": wages.ordinary_before_cents,
        "additional": wages.additional_cents,
        "additional_before": wages.additional_before_cents,
        "ordinary_subject": due.ordinary_subject_cents,
        "additional_subject": due.additional_subject_cents,
        "remuneration": month.payslip_wages.remuneration_cents,
        "fund_wages": month.payslip_wages.fund_cents,
    }


def _amounts_by_item(
    results: Sequence[DeductionResult], column: Callable[[DeductionResult], Cents | None]
) -> dict[int, dict[str, int]]:
    by_index: dict[int, dict[str, int]] = {}
    for deduction in results:
        amounts = column(deduction)
        if amounts is None:
            continue
        for i in amounts.nonzero()[0].tolist():
            by_index.setdefault(i, {})[deduction.type.name] = int(amounts[i])
    return by_index


def _attention(trace: CalculationTrace) -> dict[int, list[str]]:
    messages: dict[int, list[str]] = {}
    for problem in trace.problems:
        _add_message(messages, problem.affected, problem.message)
    _add_message(
        messages,
        trace.statutory.levy_without_rate,
        "Foreign worker levy: no rate is known for this sector, tier and skill; enter the amount",
    )
    if trace.withholding_tax is not None:
        for i, error in trace.withholding_tax.without_rate.items():
            messages.setdefault(i, []).append(_unknown_tax_rate(error))
    return messages


def _unknown_tax_rate(error: MonthNotCovered) -> str:
    return (
        f"Withholding tax: no rate is known for a fee of {error.month.long_name}. Rates are known from "
        f"{error.first.long_name} to {error.last.long_name}"
    )


def employee_remarks(law: Law, catalogue: Catalogue, payslip: PayslipInput) -> list[str]:
    """The remarks of a payslip that concern the employee, without what the employer has to do."""
    trace = calculate_with_trace(law, catalogue, [payslip])
    remarks = _deduction_remarks(trace).get(0, []) + employee_correction_remarks(payslip)
    return (
        remarks
        + [
            f"{refund.reason}. The employee's share of {format_dollars(refund.employee_cents)} is repaid after it is "
            "refunded"
            for month in _settled_months(trace.statutory)
            for refund in _ceiling_refunds(trace, month)
            if refund.employee_cents
        ]
        + [_refunded_share_remark(refund) for _, refund in _excess_leave_refunds(trace)]
    )


def _remarks(trace: CalculationTrace) -> dict[int, list[str]]:
    messages = _deduction_remarks(trace)
    for i, payslip in enumerate(trace.payslips):
        if payslip.past_differences and (corrections := correction_remarks(trace.law, payslip)):
            messages.setdefault(i, []).extend(corrections)
    for month in _settled_months(trace.statutory):
        for refund in _ceiling_refunds(trace, month):
            messages.setdefault(refund.index, []).append(_refund_remark(refund))
    for i, month_refund in _excess_leave_refunds(trace):
        messages.setdefault(i, []).append(_month_refund_remark(month_refund))
    for i, message in _national_service_remarks(trace):
        messages.setdefault(i, []).append(message)
    hours = trace.inputs.quantity_millis(earnings.BASIC, "overtime_hours_input")
    limit = trace.law.pay.max_overtime_hours.at(trace.month).value
    exceeds = overtime.exceeds_limit(trace.law.pay, trace.month, hours) & trace.inputs.has_line(earnings.BASIC)
    _add_message(messages, exceeds, f"Overtime: more than the limit of {limit} hours a month")
    return messages


def _deduction_remarks(trace: CalculationTrace) -> dict[int, list[str]]:
    """Say what could not be deducted, and what is left for later payslips."""
    messages: dict[int, list[str]] = {}
    for statutory in trace.statutory_deductions:
        for i in statutory.shortfall_cents.nonzero()[0].tolist():
            messages.setdefault(i, []).append(_statutory_shortfall_remark(trace.catalogue, statutory, i))
    for deduction in trace.deductions:
        for i in (deduction.shortfall_cents > 0).nonzero()[0].tolist():
            messages.setdefault(i, []).append(_shortfall_remark(trace, deduction, i))
        for i in deduction.deferred_cents.nonzero()[0].tolist():
            messages.setdefault(i, []).append(_instalment_remark(deduction, i))
    return messages


def _settled_months(statutory: StatutoryResult) -> tuple[MonthAssessment, ...]:
    """The last month of each calendar year that the payslip has wages of."""
    current, previous = statutory.current, statutory.previous
    return (current,) if previous is None or previous.month.year == current.month.year else (previous, current)


@dataclass(frozen=True)
class _CeilingRefund:
    """Contributions of a payslip's employee above the ceiling of a year. They are never set off on a payslip."""

    index: int
    reason: str
    employee_cents: int
    employer_cents: int


def _ceiling_refunds(trace: CalculationTrace, month: MonthAssessment) -> Iterator[_CeilingRefund]:
    excess = month.assessment.excess_cents
    if not any_nonzero(excess):
        return
    employee, employer = cpf.refund_cents(
        trace.law.cpf, month.month, trace.statutory.cpf_members, month.cpf_prior_months, month.assessment
    )
    for i in excess.nonzero()[0].tolist():
        wages = format_dollars(int(excess[i]))
        reason = f"CPF: contributions were paid on {wages} of additional wages above the ceiling of {month.month.year}"
        yield _CeilingRefund(i, reason, int(employee[i]), int(employer[i]))


def _refund_remark(refund: _CeilingRefund) -> str:
    total = format_dollars(refund.employee_cents + refund.employer_cents)
    share = format_dollars(refund.employee_cents)
    remark = (
        f"{refund.reason}. Apply to the CPF Board for a refund of {total}, of which {share} is the employee's share"
    )
    return f"{remark}. {REPAY_REFUNDED_SHARE}" if refund.employee_cents else remark


def _excess_leave_refunds(trace: CalculationTrace) -> Iterator[tuple[int, MonthRefund]]:
    """The contributions of earlier months that can be claimed back. They are never set off on a payslip."""
    if (excess := trace.wages.reductions.excess_leave) is None:
        return
    for i, earlier in excess.earlier_cents.items():
        members = single_person(trace.statutory.cpf_members, i)
        for refund in month_refunds(trace.law.cpf, trace.payslips[i], members, earlier):
            yield i, refund


def _excess_leave_sentence(refund: MonthRefund) -> str:
    return (
        f"CPF: excess leave taken in {refund.month.long_name} reduces the wages of that month by "
        f"{format_dollars(refund.excess_cents)}"
    )


def _refunded_share_remark(refund: MonthRefund) -> str:
    """Say what excess leave means for the employee."""
    sentence = _excess_leave_sentence(refund)
    if not refund.employee_cents:
        return sentence
    share = format_dollars(refund.employee_cents)
    return f"{sentence}. The employee's share of {share} is repaid after it is refunded"


def _month_refund_remark(refund: MonthRefund) -> str:
    sentence = _excess_leave_sentence(refund)
    if not refund.is_known:
        return (
            f"{sentence}. Calculate the contributions of that month again and apply to the CPF Board for a refund. "
            f"{REPAY_REFUNDED_SHARE}"
        )
    share, total = refund.employee_cents, refund.employee_cents + refund.employer_cents
    remark = (
        f"{sentence}. Apply to the CPF Board for a refund of {format_dollars(total)}, of which "
        f"{format_dollars(share)} is the employee's share"
    )
    return f"{remark}. {REPAY_REFUNDED_SHARE}" if share else remark


def _national_service_remarks(trace: CalculationTrace) -> Iterator[tuple[int, str]]:
    """Say what an employer on the DIRECT scheme paid for national service and can claim."""
    if earnings.NATIONAL_SERVICE not in trace.inputs.names:
        return
    days = earnings.absent_millidays(trace.inputs, earnings.NATIONAL_SERVICE)
    for i in np.flatnonzero(trace.inputs.ns_direct_scheme & (days > 0)).tolist():
        paid = format_dollars(int(trace.absence.national_service_cents[i]))
        number = format_millis(int(days[i]))
        yield (
            i,
            f"National service: {number} {'day' if number == '1' else 'days'} on full pay, {paid} of this payslip. "
            "Claim the income lost under the DIRECT scheme",
        )


def _shortfall_remark(trace: CalculationTrace, deduction: DeductionResult, index: int) -> str:
    requested, shortfall = int(deduction.requested_cents[index]), int(deduction.shortfall_cents[index])
    return (
        f"{deduction.type.caption}: {format_dollars(shortfall)} of {format_dollars(requested)} "
        f"could not be deducted and {SHORTFALL_REMARKS[deduction.type.tracked]}: "
        f"{_shortfall_reason(trace, deduction, index)}"
    )


def _shortfall_reason(trace: CalculationTrace, deduction: DeductionResult, index: int) -> str:
    """Say which limit a deduction reached: that of its kind, that of all deductions together, or the pay."""
    if bool(trace.deduction_basis.is_final_salary[index]):
        return "the pay does not cover it"
    available = int(deduction.available_cents[index])
    if int(deduction.limit_cents[index]) == int(deduction.deducted_cents[index]) < available:
        return "it is above the limit for deductions of its kind"
    if available < int(deduction.payable_cents[index]):
        share = trace.law.pay.total_deductions.at(trace.month).value
        return f"deductions, including CPF, are limited to {percent(share).replace(' ', '')} of the salary"
    return "the pay does not cover it"


def _instalment_remark(deduction: DeductionResult, index: int) -> str:
    deferred, owed = int(deduction.deferred_cents[index]), int(deduction.owed_cents[index])
    return (
        f"{deduction.type.caption}: {format_dollars(deferred)} of {format_dollars(owed)} is left for later instalments"
    )


def _statutory_shortfall_remark(catalogue: Catalogue, deduction: StatutoryDeduction, index: int) -> str:
    due, shortfall = int(deduction.due_cents[index]), int(deduction.shortfall_cents[index])
    consequence = " and is paid by the employer" if deduction.name == CPF_EMPLOYEE else ""
    return (
        f"{catalogue.types[deduction.name].caption}: {format_dollars(shortfall)} of {format_dollars(due)} "
        f"could not be deducted{consequence}"
    )


def _add_message(messages: dict[int, list[str]], affected: Flags, message: str) -> None:
    for i in affected.nonzero()[0].tolist():
        messages.setdefault(i, []).append(message)
