"""Worker processes for a server without its own worker, and companies with many payslips."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from bench.payslip_history import repeat_payslips
from tests.payroll.payment_runs.crowd import crowded
from tests.support.company import Company
from tests.support.preloaded import GajiProcess, start_gaji
from tests.support.running import Service, as_environment


@contextmanager
def worker(
    service: Service, folder: Path, environment: Mapping[str, str] | None = None, *, preloaded: bool = True
) -> Iterator[GajiProcess]:
    """Run `gaji worker` during the block."""
    with (folder / "worker.log").open("ab") as log:
        variables = {**os.environ, **as_environment(service.settings), **(environment or {})}
        process = start_gaji(["worker"], variables, stdout=log, stderr=log, folder=folder, preloaded=preloaded)
    try:
        yield process
    finally:
        process.terminate()
        process.wait(60)


def create_payslip_history(company: Company, employees: int, months: int) -> Company:
    """Add employees and months of finalised payslips, which are the same each month."""
    company = crowded(company, employees)
    service = company.member.service

    async def create() -> None:
        async with service.database.maintenance("test") as connection:
            await connection.execute(LINES, company.id)
            await repeat_payslips(connection, company.id, months)
        async with service.database.owner_connection() as connection:
            await connection.execute("VACUUM ANALYZE payslips")

    service.runner.run(create())
    return company


# The columns as a calculation would set them.
LINES = """
    UPDATE payslips SET dirty = false, rules_version = 'abcdefabcdef', nett_pay = 100 * (a + 199 - a / 5),
        lines = json_build_object(
            'income', json_build_array(
                json_build_array('basic_salary', a || '.00'), json_build_array('transport_allowance', '150.00'),
                json_build_array('meal_allowance', '80.50'), json_build_array('total', a + 230 || '.50')),
            'deduction', json_build_array(
                json_build_array('cpf_employee', a / 5 || '.00'), json_build_array('cdac', '1.50'),
                json_build_array('insurance', '30.00'), json_build_array('total', a / 5 + 31 || '.50')),
            'grand_total', json_build_array(json_build_array('nett_pay', a + 199 - a / 5 || '.00')),
            'sideline', json_build_array(json_build_array('employer_contribution', json_build_array(
                json_build_array('cpf_employer', a / 6 || '.00'), json_build_array('sdl', '11.25')))))
    FROM (SELECT id AS slip, 2000 + employee_id % 5000 AS a FROM payslips WHERE client_id = $1) amounts
    WHERE client_id = $1 AND id = amounts.slip
"""
