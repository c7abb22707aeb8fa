"""Explanations of CPF, self-help funds and levies, based on those of `gaji.law`."""

from dataclasses import replace

from gaji.engine.batch import CalculationTrace
from gaji.engine.catalogue import FOREIGN_WORKER_LEVY, PayslipLine
from gaji.engine.explanations import wage_totals
from gaji.engine.explanations.common import entered_inputs
from gaji.engine.net_pay_limits import CPF_EMPLOYEE
from gaji.engine.statutory import FUND_NAMES
from gaji.law import cpf, levy, sdl, self_help_funds
from gaji.law.explanation import Explanation, earlier_payslips_lines, money, step


def explain_cpf_share(trace: CalculationTrace, line: PayslipLine) -> Explanation:
    """Explain the employee's or the employer's share, including the additional wages subject to CPF."""
    result = trace.statutory
    explanations = cpf.explain(
        trace.law.cpf,
        trace.month,
        result.cpf_members,
        result.month_cpf_wages,
        result.cpf_prior_months,
        result.cpf_deducted,
    )
    by_figure = {explanation.figure: explanation for explanation in explanations}
    share, additional = _within_pay(trace, line, by_figure[line.name]), by_figure.get("cpf_additional_wages")
    wages = (*wage_totals.ordinary_steps(trace), *wage_totals.additional_steps(trace))
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
    result = trace.statutory
    earlier = {fund: getattr(trace.payslips[0].month_to_date, name) for fund, name in FUND_NAMES.items()}
    explanations = self_help_funds.explain(
        trace.law.self_help_funds,
        trace.month,
        result.fund_members,
        result.fund_wages_cents,
        result.fund_elections,
        earlier_cents=earlier,
    )
    contribution = next(explanation for explanation in explanations if explanation.figure == line.name)
    contribution = _within_pay(trace, line, contribution)
    return replace(contribution, arithmetic=(*wage_totals.fund_steps(trace), *contribution.arithmetic))


def explain_skills_levy(trace: CalculationTrace, _: PayslipLine) -> Explanation:
    """Explain the skills development levy."""
    result, earlier = trace.statutory, trace.payslips[0].month_to_date.sdl
    remuneration, exempt = int(result.remuneration_cents[0]), bool(result.sdl_exempt[0])
    explanation = sdl.explain(trace.law.sdl, trace.month, remuneration, exempt, earlier)
    return replace(explanation, arithmetic=(*wage_totals.remuneration_steps(trace), *explanation.arithmetic))


def explain_foreign_worker_levy(trace: CalculationTrace, line: PayslipLine) -> Explanation:
    """Explain the foreign worker levy, from its table or as entered."""
    result, earlier = trace.statutory, trace.payslips[0].month_to_date.levy
    if result.levy_workers is None or bool(result.levy_entered[0]):
        amount = int(trace.inputs.money_cents(FOREIGN_WORKER_LEVY, "amount")[0])
        explanation = Explanation(
            figure=line.name,
            amount_cents=amount,
            inputs=entered_inputs(trace, FOREIGN_WORKER_LEVY),
            rule="The levy of the month as entered.",
            source="Employment of Foreign Manpower (Levy) Order 2011",
            branch="an amount was entered",
            parameters=(),
            arithmetic=(step(money(amount), amount),),
        )
    else:
        explanation = levy.explain(trace.law.levy, trace.month, result.levy_workers)
    return replace(
        explanation,
        amount_cents=explanation.amount_cents - earlier,
        arithmetic=(*explanation.arithmetic, *earlier_payslips_lines(explanation.amount_cents, earlier)),
    )


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
    if line.name != name:
        steps.append(step(f"{money(explanation.amount_cents)} + {money(due)} − {money(deducted)}", amount))
    inputs = explanation.inputs | {
        f"{trace.catalogue.types[name].caption} due": money(due),
        "pay available": money(available),
    }
    return replace(explanation, amount_cents=amount, inputs=inputs, arithmetic=(*explanation.arithmetic, *steps))


EXPLAINERS = {
    "cpf_employee": explain_cpf_share,
    "cpf_employer": explain_cpf_share,
    **dict.fromkeys(FUND_NAMES.values(), explain_fund),
    "sdl": explain_skills_levy,
    FOREIGN_WORKER_LEVY: explain_foreign_worker_levy,
}
