"""A payslip can be recalculated from its stored inputs, whatever has changed since."""

import time
from dataclasses import replace
from pathlib import Path

from gaji.core.settings import Settings
from gaji.db.tenancy import Transaction
from gaji.payroll.payslips.replay import recompute_lines
from gaji.tasks.client_transactions import WORKER
from tests.payroll.payslips.slips import detail, draft, enter, finalise, slips
from tests.support.company import Company
from tests.support.running import Service, created, running_service

OTHER_LAW = '[rate]\nvalues = [{ from = 2026-01-01, value = 0.3, source = "a guess" }]'
"""The rate of the skills development levy, which is 0.25."""
WAIT_S = 60


def replayed(service: Service, payslip_id: int) -> str:
    vault = service.vault

    async def again() -> str:
        async with service.database.maintenance() as connection:
            return await recompute_lines(Transaction(connection, WORKER, vault), payslip_id)

    return service.runner.run(again())


def kept(service: Service, payslip_id: int) -> dict[str, str]:
    [row] = service.as_owner("SELECT lines, rules_version, catalogue_version FROM payslips WHERE id = $1", payslip_id)
    return dict(row)


def wait_for_other_rules(service: Service, payslip_id: int, rules_version: str) -> None:
    deadline = time.monotonic() + WAIT_S
    while time.monotonic() < deadline:
        [row] = service.as_owner("SELECT dirty, rules_version FROM payslips WHERE id = $1", payslip_id)
        if not row["dirty"] and row["rules_version"] != rules_version:
            return
        time.sleep(0.05)
    raise AssertionError("the draft was not calculated with the other figures")


def test_it_gives_the_same_lines_after_figures_of_the_law_and_custom_items_changed(
    settings: Settings, tmp_path: Path
) -> None:
    first_folder, second_folder, law = (tmp_path / name for name in ("first", "second", "law"))
    for folder in (first_folder, second_folder, law):
        folder.mkdir()
    (law / "sdl.toml").write_text(OTHER_LAW)
    with running_service(settings, first_folder, arguments=["--no-worker"]) as service:
        company = Company.of(service.new_account())
        definition = {"name": "Shift money", "kind": "allowance", "input": "formula", "cpf": "none", "taxable": True}
        path = f"/clients/{company.id}/calculation_definitions"
        item = created(company.member.post(path, {**definition, "formula": "basic_salary * 0.1"}))
        employee_id = company.hire(appointment_date="2026-01-01")
        enter(company, f"employees/{employee_id}", "basic_salary", fixed_amount="4000.00")
        enter(company, f"employees/{employee_id}", str(item))
        january = finalise(company, employee_id)
        before = kept(service, january)
        assert [item, "400.00"] in detail(company, january)["income"]
        changed = company.member.patch(f"/calculation_definitions/{item}", {"formula": "basic_salary * 0.2"})
        assert changed.status_code == 200, changed.text
        february = draft(company, employee_id)
        assert [item, "800.00"] in detail(company, february)["income"]
        assert replayed(service, january) == before["lines"]

    with running_service(replace(settings, law=law), second_folder) as service:
        company = replace(company, member=replace(company.member, service=service))
        wait_for_other_rules(service, february, before["rules_version"])
        finalise(company, employee_id)
        after = kept(service, february)
        assert after["rules_version"] != before["rules_version"]
        assert after["catalogue_version"] != before["catalogue_version"]
        sdl = [dict(detail(company, one)["sideline"][0][1])["sdl"] for one in (january, february)]
        assert sdl == ["10.00", "12.00"]
        assert kept(service, january) == before
        assert replayed(service, january) == before["lines"]
        assert replayed(service, february) == after["lines"]
        for payslip_id, found in ((january, before), (february, after)):
            told = company.member.get(f"/payslips/{payslip_id}/explanation")
            assert told.headers["X-Rules-Version"] == found["rules_version"]
        versions = company.member.get(f"/employees/{employee_id}/payslips").headers["X-Rules-Version"]
        assert versions.split(", ") == sorted({before["rules_version"], after["rules_version"]})
        assert len(slips(company, employee_id)) == 3
