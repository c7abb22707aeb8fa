"""What a pay run says about payments that changed after their files were downloaded."""

from tests.console.console_user import page_text, signed_in_user
from tests.documents.payment_files.test_files import GIRO, OCBC, PAYER, download
from tests.payroll.payment_runs.runs import done, hired, paid
from tests.payroll.payslips.slips import enter
from tests.support.company import Company
from tests.support.running import Service


def test_each_changed_payment_is_counted_once_also_after_a_change_of_bank(service: Service) -> None:
    company = Company.of(service.new_account(), bank_account={**PAYER, "bank_id": 7302})
    employee_id = hired(company, **GIRO)
    hired(company, "3000.00", payment_method="eft_manual", bank_account=OCBC)
    run_id = paid(company)
    for name in ("pain001_03.xml", "pain001_09.xml"):
        assert download(company, run_id, name).status_code == 200
    user, page = signed_in_user(company.member), f"/payment_runs/{run_id}"
    company.member.patch(f"/clients/{company.id}", {"bank_account": PAYER})
    assert "from the payment file that was downloaded" not in page_text(user.get(page))
    done(company, run_id, "unfinalise")
    enter(company, f"employees/{employee_id}", "basic_salary", fixed_amount="4300.00")
    done(company, run_id, "finalise")
    assert "1 payment differs from the payment file" in page_text(user.get(page))
    company.member.patch(f"/clients/{company.id}", {"bank_account": {**PAYER, "bank_id": 7302}})
    assert "1 payment differs from the payment file" in page_text(user.get(page))
    company.member.patch(f"/clients/{company.id}", {"bank_account": PAYER})
    assert download(company, run_id, "dbs_giro.csv").status_code == 200
    assert "from the payment file that was downloaded" not in page_text(user.get(page))
