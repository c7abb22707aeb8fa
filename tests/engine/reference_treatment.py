"""A reference table of the treatment of items, in the order of a payslip, independent of the engine's catalogue.

One line for each item: its section, whether it is ordinary or additional wages, and whether it counts for the skills
development levy, the self-help funds, and the gross rate of pay.
"""

from dataclasses import dataclass

LINES = """
basic_salary             income    ordinary    sdl  funds  gross
overtime                 income    ordinary    sdl  funds  -
overtime_previous        income    ordinary    sdl  funds  -
rest_day_pay             income    ordinary    sdl  funds  -
public_holiday_pay       income    ordinary    sdl  funds  -
public_holiday_off_pay   income    ordinary    sdl  funds  -
transport_allowance      income    ordinary    sdl  funds  -
meal_allowance           income    ordinary    sdl  funds  -
housing_allowance        income    ordinary    sdl  funds  -
entertainment_allowance  income    ordinary    sdl  funds  gross
other_allowance          income    ordinary    sdl  funds  gross
commission               income    by_input    sdl  funds  -
annual_bonus             income    additional  sdl  funds  -
bonus                    income    additional  sdl  funds  -
annual_wage_supplement   income    additional  sdl  funds  -
back_pay                 income    additional  sdl  funds  -
corrected_pay            income    -           -    -      -
leave_encashment         income    additional  sdl  funds  -
ns_makeup_pay            income    ordinary    sdl  funds  -
directors_fee            income    -           -    -      -
notice_pay               income    -           sdl  -      -
gratuity                 income    additional  sdl  funds  -
ex_gratia                income    -           -    -      -
retrenchment_benefit     income    -           -    -      -
reimbursement            income    -           -    -      -
unpaid_leave             deduction ordinary    sdl  funds  -
national_service_leave   deduction -           sdl  funds  -
excess_leave             deduction ordinary    sdl  funds  -
cpf_employee             deduction -           -    -      -
cdac                     deduction -           -    -      -
ecf                      deduction -           -    -      -
mbmf                     deduction -           -    -      -
sinda                    deduction -           -    -      -
loan                     deduction -           -    -      -
savings                  deduction -           -    -      -
garnishee                deduction -           -    -      -
salary_advance           deduction -           -    -      -
donation                 deduction -           -    -      -
community_chest          deduction -           -    -      -
union_fee                deduction -           -    -      -
insurance                deduction -           -    -      -
overpaid_wages           deduction -           -    -      -
bonus_repayment          deduction -           -    -      -
other_deduction          deduction -           -    -      -
notice_shortfall         deduction -           -    -      -
cpf_employer             employer  -           -    -      -
sdl                      employer  -           -    -      -
foreign_worker_levy      employer  -           -    -      -
benefit_in_kind          benefit   -           -    -      -
"""


@dataclass(frozen=True)
class Item:
    """The treatment of an item."""

    section: str
    cpf: str
    sdl: bool
    funds: bool
    gross: bool


ITEMS = {
    name: Item(section, cpf, sdl == "sdl", funds == "funds", gross == "gross")
    for name, section, cpf, sdl, funds, gross in (line.split() for line in LINES.strip().splitlines())
}
ALLOWANCES = tuple(name for name in ITEMS if name.endswith("_allowance"))
BONUSES = ("annual_bonus", "bonus", "annual_wage_supplement")
AMOUNT_OR_DAYS = ("back_pay", "leave_encashment", "notice_pay")
AMOUNTS = ("ns_makeup_pay", "directors_fee", "gratuity", "ex_gratia", "retrenchment_benefit", "reimbursement")
FUNDS = ("cdac", "ecf", "mbmf", "sinda")
BY_PRIORITY = (
    "excess_leave",
    "garnishee",
    "loan",
    "salary_advance",
    "overpaid_wages",
    "bonus_repayment",
    "savings",
    "insurance",
    "union_fee",
    "donation",
    "community_chest",
    "notice_shortfall",
    "other_deduction",
)
OWED = ("garnishee", "loan", "salary_advance")
TRACKED = (*OWED, "savings")
LIMITED_TO_A_QUARTER = ("loan", "salary_advance")
LIMITED_TO_THE_PAY = ("excess_leave", "overpaid_wages")
SECTION_OF_KIND = {
    "income": "income",
    "allowance": "income",
    "reimbursement": "income",
    "deduction": "deduction",
    "benefit": "benefit",
    "employer_contribution": "employer",
}
