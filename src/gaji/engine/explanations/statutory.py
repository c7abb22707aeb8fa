"""Explanations of CPF, self-help funds and levies, based on those of `gaji.law`."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from gaji.engine.batch import CalculationTrace
from gaji.engine.catalogue import FOREIGN_WORKER_LEVY, PayslipLine
from gaji.engine.explanations import arrears, wage_totals
from gaji.engine.explanations.common import entered_inputs
from gaji.engine.net_pay_limits import CPF_EMPLOYEE
from gaji.engine.statutory import FUND_NAMES, MonthAssessment
from gaji.engine.wage_months import CALENDAR_DAYS
from gaji.engine.withholding_tax import DIRECTORS_FEE, WITHHOLDING_TAX, director_fee
from gaji.law import cpf, levy, sdl, self_help_funds
from gaji.law.explanation import Explanation, MonthPart, earlier_payslips_lines, money, month_input, step
from gaji.law.months import Month
from gaji.law.quantities import format_millis
from gaji.law.reasons import (
    Difference,
    FullAmount,
    LimitedAmount,
    MonthReason,
    MonthSum,
    NothingDue,
    Reason,
    UncoveredShare,
    less_earlier_payslips,
)
from gaji.law.tax import explain_withholding

MONTH_RULE = "The wages belong to two calendar months; each month's amount is computed separately."
JOINING_RULE = "The first payslip also has the levy of the month of joining, in which no pay period ended."
LATER_RULE = "The levy of a month is on the employee's last payslip of the month."
NO_RATE_RULE = "No rate of the levy is known for the month."
LEVY_SOURCE = "Employment of Foreign Manpower (Levy) Order 2011"
NO_CONTRIBUTION = "No contribution for this month."
NOT_APPLICABLE = "does not apply"


def explain_cpf_share(trace: CalculationTrace, line: PayslipLine) -> Explanation:
    """Explain the employee's or the employer's share, including the additional wages subject to CPF."""
    share = _explain_months(trace, lambda month: _explain_cpf_month(trace, line, month))
    return _within_pay(trace, line, _with_corrections(trace, line, share))


def _explain_cpf_month(trace: CalculationTrace, line: PayslipLine, month: MonthAssessment) -> Explanation:
    explanations = cpf.explain(
        trace.law.cpf,
        month.month,
        trace.statutory.cpf_members,
        month.month_cpf_wages,
        month.cpf_prior_months,
        month.cpf_deducted,
    )
    by_figure = {explanation.figure: explanation for explanation in explanations}
    share, additional = by_figure[line.name], by_figure.get("cpf_additional_wages")
    wages = (*wage_totals.ordinary_steps(trace, month), *wage_totals.additional_steps(trace, month))
    if additional is None:
        return replace(share, arithmetic=(*wages, *share.arithmetic))
    return replace(
        share,
        inputs=additional.inputs | share.inputs,
        parameters=tuple(dict.fromkeys((*additional.parameters, *share.parameters))),
        arithmetic=(*wages, *additional.arithmetic, *share.arithmetic),
    )


def explain_fund(trace: CalculationTrace, line: PayslipLine) -> Explanation:
    """Explain the contribution to a self-help fund."""
    contribution = _explain_months(trace, lambda month: _explain_fund_month(trace, line, month))
    return _within_pay(trace, line, _with_corrections(trace, line, contribution))


def _explain_fund_month(trace: CalculationTrace, line: PayslipLine, month: MonthAssessment) -> Explanation:
    explanations = self_help_funds.explain(
        trace.law.self_help_funds,
        month.month,
        month.fund_members,
        month.fund_wages_cents,
        trace.statutory.fund_elections,
        earlier_cents={fund: int(month.earlier[name][0]) for fund, name in FUND_NAMES.items()},
    )
    contribution = next((explanation for explanation in explanations if explanation.figure == line.name), None)
    if contribution is None:
        inputs = {"month": str(month.month)}
        contribution = Explanation(
            line.name,
            0,
            inputs,
            NO_CONTRIBUTION,
            "",
            NOT_APPLICABLE,
            (),
            (step(money(0), 0),),
            NothingDue(NOT_APPLICABLE),
        )
    return replace(contribution, arithmetic=(*wage_totals.fund_steps(trace, month), *contribution.arithmetic))


def explain_withholding_tax(trace: CalculationTrace, line: PayslipLine) -> Explanation:
    """Explain the tax withheld on a director's fee."""
    fee = director_fee(trace.payslips[0], int(trace.lines[DIRECTORS_FEE][0]))
    return _within_pay(trace, line, explain_withholding(trace.law.tax, fee))


def explain_skills_levy(trace: CalculationTrace, line: PayslipLine) -> Explanation:
    """Explain the skills development levy."""
    contribution = _explain_months(trace, lambda month: _explain_skills_levy_month(trace, month))
    return _with_corrections(trace, line, contribution)


def _explain_skills_levy_month(trace: CalculationTrace, month: MonthAssessment) -> Explanation:
    remuneration, exempt = int(month.remuneration_cents[0]), bool(trace.statutory.sdl_exempt[0])
    explanation = sdl.explain(trace.law.sdl, month.month, remuneration, exempt, int(month.earlier["sdl"][0]))
    return replace(explanation, arithmetic=(*wage_totals.remuneration_steps(trace, month), *explanation.arithmetic))


def _explain_months(trace: CalculationTrace, explain: Callable[[MonthAssessment], Explanation]) -> Explanation:
    """Explain the amount of the payslip's month, or the sum of its two months."""
    result = trace.statutory
    current = explain(result.current)
    if result.previous is None:
        return current
    previous = explain(result.previous)
    both = _sum_months((result.previous.month, previous), (result.current.month, current))
    return replace(both, inputs=both.inputs | _division_inputs(trace), rule=f"{current.rule} {MONTH_RULE}")


def _sum_months(*months: tuple[Month, Explanation]) -> Explanation:
    """Explain the sum of the amounts of two months."""
    (_, previous), (_, current) = months
    amount = previous.amount_cents + current.amount_cents
    return replace(
        current,
        amount_cents=amount,
        inputs={month_input(month, name): value for month, part in months for name, value in part.inputs.items()},
        branch="; ".join(f"{month}: {part.branch}" for month, part in months if part.branch),
        parameters=tuple(dict.fromkeys((*previous.parameters, *current.parameters))),
        arithmetic=(
            *previous.arithmetic,
            *current.arithmetic,
            step(f"{money(previous.amount_cents)} + {money(current.amount_cents)}", amount),
        ),
        reason=MonthSum(tuple(MonthReason(month, part.amount_cents, part.reason) for month, part in months)),
        deciding=tuple(dict.fromkeys((*previous.deciding, *current.deciding))),
        months=tuple(MonthPart(month, part.inputs, part.branch) for month, part in months),
    )


def _division_inputs(trace: CalculationTrace) -> dict[str, str]:
    """The days and the overtime that divide the wages between the months."""
    inputs: dict[str, str] = {}
    if (days := trace.wages.days) is not None:
        unit = "calendar days" if trace.period.apportionment == CALENDAR_DAYS else "working days"
        inputs[f"{unit} in service in the month before"] = format_millis(int(days.previous_millidays[0]))
        inputs[f"{unit} in service in the period"] = format_millis(int(days.total_millidays[0]))
    if (overtime := trace.wages.overtime) is not None:
        inputs["overtime as ordinary wages of the month before"] = money(int(overtime.previous_cents[0]))
        inputs["overtime as additional wages"] = money(int(overtime.additional_cents[0]))
    return inputs


def explain_foreign_worker_levy(trace: CalculationTrace, line: PayslipLine) -> Explanation:
    """Explain the foreign worker levy, from its table or as entered."""
    result, month = trace.statutory, trace.month
    explanation = _explain_levy_month(trace, line)
    if result.levy_workers is not None and bool(result.previous_levy_due[0]):
        previous = _explain_joining_month(trace, result.levy_workers)
        both = _sum_months((month - 1, previous), (month, explanation))
        explanation = both if bool(result.levy_due[0]) else previous
        explanation = replace(explanation, rule=f"{explanation.rule} {JOINING_RULE}")
    return _with_corrections(trace, line, explanation)


def _explain_levy_month(trace: CalculationTrace, line: PayslipLine) -> Explanation:
    """Explain the levy of the month in which the period ends."""
    result = trace.statutory
    earlier = int(result.current.earlier["levy"][0])
    if not bool(result.levy_due[0]):
        rule = NO_RATE_RULE if trace.payslips[0].takes_levy else LATER_RULE
        return Explanation(line.name, 0, {}, rule, LEVY_SOURCE, "", (), (step(money(0), 0),))
    if result.levy_workers is None or bool(result.levy_entered[0]):
        amount = int(trace.inputs.money_cents(FOREIGN_WORKER_LEVY, "amount")[0])
        explanation = Explanation(
            figure=line.name,
            amount_cents=amount,
            inputs=entered_inputs(trace, FOREIGN_WORKER_LEVY),
            rule="The levy of the month as entered.",
            source=LEVY_SOURCE,
            branch="an amount was entered",
            parameters=(),
            arithmetic=(step(money(amount), amount),),
            reason=FullAmount(amount),
        )
    else:
        explanation = levy.explain(trace.law.levy, trace.month, result.levy_workers)
    return replace(
        explanation,
        amount_cents=explanation.amount_cents - earlier,
        arithmetic=(*explanation.arithmetic, *earlier_payslips_lines(explanation.amount_cents, earlier)),
        reason=less_earlier_payslips(explanation.reason, explanation.amount_cents, earlier),
    )


def _explain_joining_month(trace: CalculationTrace, workers: levy.LevyWorkers) -> Explanation:
    """Explain the levy of the month before, which is that of joining, less what earlier payslips took."""
    result = trace.statutory
    taken, amount = int(result.previous_levy_taken_cents[0]), int(result.previous_levy_cents[0])
    explanation = levy.explain(trace.law.levy, trace.month - 1, workers)
    if not taken:
        return explanation
    remaining = step(f"max({money(explanation.amount_cents)} − {money(taken)}, 0.00)", amount)
    return replace(
        explanation,
        amount_cents=amount,
        arithmetic=(*explanation.arithmetic, remaining),
        reason=Difference(Fraction(explanation.amount_cents), Fraction(taken)) if amount else None,
    )


def _with_corrections(trace: CalculationTrace, line: PayslipLine, explanation: Explanation) -> Explanation:
    """Add the contributions of earlier months that the payslip corrects."""
    amounts = arrears.past_amounts(trace, line.name)
    return arrears.add_past_amounts(explanation, line.name, amounts) if amounts else explanation


def _within_pay(trace: CalculationTrace, line: PayslipLine, explanation: Explanation) -> Explanation:
    """Add the limit to the available pay. The employer's share includes the part of CPF that the pay cannot cover."""
    name = CPF_EMPLOYEE if line.name == "cpf_employer" else line.name
    deduction = next(deduction for deduction in trace.statutory_deductions if deduction.name == name)
    due, available = int(deduction.due_cents[0]), int(deduction.available_cents[0])
    deducted = int(deduction.deducted_cents[0])
    if due == deducted:
        return explanation
    amount = int(trace.lines[line.name][0])
    steps = [step(f"min({money(due)}, {money(available)})", deducted)]
    reason: Reason = LimitedAmount(deducted, due)
    if line.name != name:
        reason = UncoveredShare(explanation.amount_cents, due - deducted)
        steps.append(step(f"{money(explanation.amount_cents)} + {money(due)} − {money(deducted)}", amount))
    inputs = explanation.inputs | {
        f"{trace.catalogue.types[name].caption} due": money(due),
        "pay available": money(available),
    }
    return replace(
        explanation,
        amount_cents=amount,
        inputs=inputs,
        arithmetic=(*explanation.arithmetic, *steps),
        reason=reason,
        deciding=(),
    )


EXPLAINERS = {
    "cpf_employee": explain_cpf_share,
    "cpf_employer": explain_cpf_share,
    **dict.fromkeys(FUND_NAMES.values(), explain_fund),
    "sdl": explain_skills_levy,
    FOREIGN_WORKER_LEVY: explain_foreign_worker_levy,
    WITHHOLDING_TAX: explain_withholding_tax,
}
