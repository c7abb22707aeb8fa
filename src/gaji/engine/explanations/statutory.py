"""Why CPF, funds and levies are what they are: the law's own explanations of the payslip's figures."""

from dataclasses import replace

from gaji.engine.batch import CalculationTrace
from gaji.engine.catalogue import PayslipLine
from gaji.engine.explanations import wage_totals
from gaji.engine.explanations.common import entered
from gaji.engine.statutory import FUND_NAMES, LEVY
from gaji.engine.net_pay_limits import CPF_EMPLOYEE
from gaji.law import cpf, levy, sdl, self_help_funds
from gaji.law.explanation import Explanation, earlier_payslips_lines, money, step


def cpf_share(done: CalculationTrace, line: PayslipLine) -> Explanation:
    """The employee's or the employer's share, with how the additional wages that bear CPF came about."""
    own = done.statutory
    told = {
        one.figure: one
        for one in cpf.explain(done.law.cpf, done.month, own.cpf_people, own.month_cpf_wages, own.cpf_year, own.cpf_deducted)
    }
    share, additional = _within_pay(done, line, told[line.name]), told.get("cpf_additional_wages")
    wages = (*wage_totals.ordinary(done), *wage_totals.additional(done))
    if additional is None:
        return replace(share, arithmetic=(*wages, *share.arithmetic))
    return replace(
        share,
        inputs=additional.inputs | share.inputs,
        parameters=tuple(dict.fromkeys((*additional.parameters, *share.parameters))),
        arithmetic=(*wages, *additional.arithmetic, *share.arithmetic),
    )


def fund(done: CalculationTrace, line: PayslipLine) -> Explanation:
    """The contribution to a self-help fund."""
    own = done.statutory
    taken = {one: getattr(done.payslips[0].month_to_date, name) for one, name in FUND_NAMES.items()}
    told = self_help_funds.explain(
        done.law.self_help_funds, done.month, own.fund_members, own.fund_wages_cents, own.fund_choices, earlier_cents=taken
    )
    found = _within_pay(done, line, next(one for one in told if one.figure == line.name))
    return replace(found, arithmetic=(*wage_totals.for_funds(done), *found.arithmetic))


def skills_levy(done: CalculationTrace, _: PayslipLine) -> Explanation:
    """The skills development levy."""
    own = done.statutory
    remuneration, exempt = int(own.remuneration_cents[0]), bool(own.sdl_exempt[0])
    told = sdl.explain(done.law.sdl, done.month, remuneration, exempt, done.payslips[0].month_to_date.sdl)
    return replace(told, arithmetic=(*wage_totals.remuneration(done), *told.arithmetic))


def foreign_worker_levy(done: CalculationTrace, line: PayslipLine) -> Explanation:
    """The foreign worker levy, by its table or as it was entered."""
    own, taken = done.statutory, done.payslips[0].month_to_date.levy
    if own.workers is None or bool(own.levy_entered[0]):
        given = int(done.inputs.money_cents(LEVY, "amount")[0])
        told = Explanation(
            figure=line.name,
            amount_cents=given,
            inputs=entered(done, LEVY),
            rule="The levy of the month as it was entered.",
            source="Employment of Foreign Manpower (Levy) Order 2011",
            branch="an amount was entered",
            parameters=(),
            arithmetic=(step(money(given), given),),
        )
    else:
        told = levy.explain(done.law.levy, done.month, own.workers)
    return replace(
        told,
        amount_cents=told.amount_cents - taken,
        arithmetic=(*told.arithmetic, *earlier_payslips_lines(told.amount_cents, taken)),
    )


def _within_pay(done: CalculationTrace, line: PayslipLine, told: Explanation) -> Explanation:
    """What is due, less what the pay does not hold; what it does not hold of CPF is added to the employer's share."""
    name = CPF_EMPLOYEE if line.name == "cpf_employer" else line.name
    by_law = next(one for one in done.statutory_deductions if one.name == name)
    due, left, taken = int(by_law.due_cents[0]), int(by_law.available_cents[0]), int(by_law.deducted_cents[0])
    if due == taken:
        return told
    amount = int(done.lines[line.name][0])
    within = step(f"min({money(due)}, {money(left)})", taken)
    if line.name == name:
        lines: tuple[str, ...] = (within,)
    else:
        lines = (within, step(f"{money(told.amount_cents)} + {money(due)} − {money(taken)}", amount))
    inputs = told.inputs | {
        f"due of {done.catalogue.types[name].caption}": money(due),
        "pay to take it from": money(left),
    }
    return replace(told, amount_cents=amount, inputs=inputs, arithmetic=(*told.arithmetic, *lines))


WRITERS = {
    "cpf_employee": cpf_share,
    "cpf_employer": cpf_share,
    **dict.fromkeys(FUND_NAMES.values(), fund),
    "sdl": skills_levy,
    LEVY: foreign_worker_levy,
}
