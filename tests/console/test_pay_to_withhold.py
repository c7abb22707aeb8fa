"""Pay of leavers with tax clearance that is withheld once a pay run is finalised."""

from tests.console.console_user import ConsoleUser, page_text
from tests.payroll.payment_runs.runs import done, hired, opened
from tests.support.company import FOREIGNER, Company

WITHHELD = "Withheld for tax clearance (IR21) once it is finalised:"


def test_the_page_to_finalise_names_whose_pay_is_withheld(owner: ConsoleUser, company: Company) -> None:
    name = {"first_name": "Priya", "last_name": "Ismail"}
    employee_id = hired(company, "3200.00", **FOREIGNER, **name, sdl_exempt=True)
    hired(company)
    run_id = opened(company)
    page = f"/payment_runs/{run_id}/finalise"
    assert WITHHELD not in page_text(owner.get(page))
    company.leave(employee_id, "2026-01-31", notice_date="2026-01-15", ir21=True)
    assert f"{WITHHELD} Priya Ismail ($3,200.00)." in page_text(owner.get(page))
    done(company, run_id, "finalise")
    assert WITHHELD not in page_text(owner.get(page))


def test_pay_of_leavers_without_tax_clearance_is_not_withheld(owner: ConsoleUser, company: Company) -> None:
    company.leave(hired(company, "3200.00", **FOREIGNER), "2026-01-31", notice_date="2026-01-15", ir21=False)
    assert WITHHELD not in page_text(owner.get(f"/payment_runs/{opened(company)}/finalise"))
