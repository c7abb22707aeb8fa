"""Pay runs list employees without a foreign worker levy."""

import re
from html import unescape
from urllib.parse import urlencode

from gaji.law import check_letter
from tests.console.console_user import ConsoleUser, page_text
from tests.payroll.payment_runs.runs import hired, opened
from tests.payroll.payslips.slips import enter
from tests.support.company import WEEKLY, Company, of_status


def test_the_review_lists_who_has_no_levy(owner: ConsoleUser, company: Company) -> None:
    worker = of_status("FOREIGNER_WP", first_name="Ravi", appointment_date="2026-01-01", pass_from="2026-01-01")
    worker_id = hired(company, **worker)
    run = f"/payment_runs/{opened(company)}"
    path = f"{run}/finalise"
    for page in (run, path):
        assert "1 employee has a work permit or an S Pass but no foreign worker levy" in page_text(owner.get(page))
        link = f"/employees/{worker_id}?tab=pay&amp;enter=foreign_worker_levy&amp;return_to={page}"
        assert f'href="{link}">' in owner.get(page).text
    assert "No foreign worker levy." in page_text(owner.get(f"/employees/{worker_id}?tab=pay"))
    enter(company, f"employees/{worker_id}", "foreign_worker_levy", amount="0.00")
    assert "no foreign worker levy" not in page_text(owner.get(path))
    assert "no foreign worker levy" not in page_text(owner.get(run))
    assert "No foreign worker levy." not in page_text(owner.get(f"/employees/{worker_id}?tab=pay"))


def test_the_officer_returns_to_the_pay_runs_of_all_companies_after_the_levy_is_saved(
    owner: ConsoleUser, company: Company
) -> None:
    worker_id = hired(company, **of_status("FOREIGNER_WP", appointment_date="2026-01-01", pass_from="2026-01-01"))
    run_id = opened(company)
    steps = f"/companies/steps?step=finalise&client_id={company.id}"
    left_out = owner.get(steps)
    assert "1 pass holder has no foreign worker levy" in page_text(left_out)
    run = f"/payment_runs/{run_id}?{urlencode({'return_to': steps}, safe='/')}"
    assert f'href="{run}"' in left_out.text
    run_page = owner.get(run)
    assert "Check the warnings, then finalise" in page_text(run_page)
    [form] = re.findall(rf'href="(/employees/{worker_id}\?tab=pay&amp;enter=foreign_worker_levy[^"]*)"', run_page.text)
    page = owner.get(unescape(form))
    [return_to] = re.findall(r'name="return_to" value="([^"]*)"', page.text)
    data = {"calc_type": "foreign_worker_levy", "calculation_details.amount": "0", "return_to": unescape(return_to)}
    saved = owner.post(f"/employees/{worker_id}/calculations", data, page=unescape(form))
    assert saved.status_code == 303
    pay_tab = owner.get(saved.headers["location"])
    assert f'href="{steps.replace("&", "&amp;")}">Back to the pay runs</a>' in pay_tab.text
    assert "has no foreign worker levy" not in page_text(owner.get(steps))


def test_a_long_list_of_missing_levies_is_folded(owner: ConsoleUser, company: Company) -> None:
    worker = of_status("FOREIGNER_WP", appointment_date="2026-01-01", pass_from="2026-01-01")
    for number in range(7):
        fin = f"G123456{number}{check_letter.letter('G', f'123456{number}')}"
        hired(company, **worker | {"first_name": f"Ravi {number}", "fin": fin})
    text = page_text(owner.get(f"/payment_runs/{opened(company)}"))
    shown, folded = text.split("and 2 more")
    assert "Ravi 4" in shown
    assert "Ravi 5" not in shown
    assert "Ravi 6" in folded


def test_the_review_lists_leavers_without_a_levy_before_the_last_week_of_the_month(
    owner: ConsoleUser, company: Company
) -> None:
    weekly = company.wave(**{**WEEKLY, "first_end_date": "2026-01-09"})
    worker = of_status("FOREIGNER_WP", first_name="Ravi", appointment_date="2026-01-05", wave_id=weekly)
    worker_id = hired(company, **worker)
    path = f"/payment_runs/{opened(company, '2026-01-09', wave_id=weekly)}/finalise"
    assert "no foreign worker levy" not in page_text(owner.get(path))
    company.leave(worker_id, "2026-01-07")
    assert "1 employee has a work permit or an S Pass but no foreign worker levy" in page_text(owner.get(path))


def test_the_review_lists_joiners_without_a_levy_on_the_first_payslip(owner: ConsoleUser, company: Company) -> None:
    weekly = company.wave(**{**WEEKLY, "first_end_date": "2026-04-03"})
    hired(company, **of_status("FOREIGNER_WP", first_name="Ravi", appointment_date="2026-03-30", wave_id=weekly))
    path = f"/payment_runs/{opened(company, '2026-04-03', wave_id=weekly)}/finalise"
    assert "1 employee has a work permit or an S Pass but no foreign worker levy" in page_text(owner.get(path))
