"""A Python client that a generator makes from the OpenAPI document runs the payroll of a month."""

import datetime
import importlib
import re
import subprocess
import sys
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.support.running import Member, Service

pytestmark = pytest.mark.slow

GENERATOR = Path(sys.prefix) / "clients/bin/openapi-python-client"
"""Installed by `make .venv/.clients`."""
CONFIGURATION = """
content_type_overrides:
  application/pdf: application/octet-stream
  application/zip: application/octet-stream
  image/png: application/octet-stream
  image/jpeg: application/octet-stream
  text/csv: application/octet-stream
  application/vnd.openxmlformats-officedocument.spreadsheetml.sheet: application/octet-stream
post_hooks: []
"""
PERIOD_END = datetime.date(2026, 1, 31)


class GeneratedClient:
    """Calls operations of the generated package, by their operation IDs."""

    def __init__(self, package: str, service: Service, key: str) -> None:
        self._package = package
        self.models: Any = importlib.import_module(f"{package}.models")
        client: Any = importlib.import_module(f"{package}.client")
        self._client = client.AuthenticatedClient(
            base_url=f"{service.url}/v1", token=key, prefix="", raise_on_unexpected_status=True
        )

    def call(self, tag: str, operation: str, *arguments: Any, **keywords: Any) -> Any:
        """Return the parsed response of an operation."""
        module = importlib.import_module(f"{self._package}.api.{tag}.{operation}")
        response = module.sync_detailed(*arguments, client=self._client, **keywords)
        assert response.status_code == 200, response.content
        return response.parsed


@pytest.fixture(scope="module")
def package(service: Service, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The name of the generated package."""
    folder = tmp_path_factory.mktemp("generated")
    (folder / "openapi.json").write_bytes(service.http.get(f"{service.url}/openapi.json").content)
    (folder / "configuration.yml").write_text(CONFIGURATION)
    command = [str(GENERATOR), "generate", "--path", "openapi.json", "--config", "configuration.yml", "--meta", "none"]
    output = subprocess.run(
        [*command, "--output-path", "gaji_generated", "--fail-on-warning"],
        cwd=folder,
        check=False,
        capture_output=True,
        text=True,
    )
    assert output.returncode == 0, output.stdout + output.stderr
    sys.path.insert(0, str(folder))
    yield "gaji_generated"
    sys.path.remove(str(folder))


@pytest.fixture
def generated(package: str, service: Service, account: Member) -> GeneratedClient:
    """A generated client with the key of a new account."""
    return GeneratedClient(package, service, account.key)


def new_employee(generated: GeneratedClient, wave_id: int) -> Any:
    """Return the attributes of a permanent resident in the first year."""
    models = generated.models
    return models.EmployeeInput(
        wave_id=wave_id,
        first_name="Mei Ling",
        last_name="Tan",
        payment_method=models.PaymentMethod.CASH,
        birthdate=datetime.date(1990, 4, 12),
        appointment_date=datetime.date(2026, 1, 1),
        legal_status=models.LegalStatus.PR,
        nric="S9012345I",
        nationality=models.Nationality.MY,
        pr_date=datetime.date(2025, 12, 1),
        pr_cpf_rates=models.PrCpfRates.FF,
        gender=models.Gender.F,
        race="CHINESE",
        religion=models.Religion.NONE,
        sdl_exempt=False,
        cpf_exempt=False,
    )


def test_it_runs_a_month(generated: GeneratedClient) -> None:
    models = generated.models
    client_id = generated.call("clients", "create_client", body=models.ClientInput(name="Kopi Works")).id
    wave = models.WaveInput(frequency=models.Frequency.MONTHLY, last_day_of_month=31, first_end_date=PERIOD_END)
    wave_id = generated.call("waves", "create_wave", client_id, body=wave).id
    envelope = models.EmployeeInputEnvelope(employee=new_employee(generated, wave_id))
    employee_id = generated.call("employees", "create_employee", client_id, body=envelope).id
    salary = models.CalculationEntry.from_dict(
        {"calc_type": "basic_salary", "calculation_details": {"pay_type": "monthly", "fixed_amount": "4200.00"}}
    )
    generated.call("calculations", "enter_employee_calculation", employee_id, body=salary)

    run = models.PaymentRunInput(wave_id=wave_id, period_end_date=PERIOD_END)
    run_id = generated.call("payment_runs", "open_payment_run", client_id, body=run).id
    [entry] = generated.call("payment_runs", "list_payslips_of_payment_run", run_id)
    payslip_id = entry.payslip.id
    payslip = generated.call("payslips", "read_payslip", payslip_id).payslip
    assert dict(payslip.income)["basic_salary"] == "4200.00"
    assert [group for group, _ in payslip.sideline] == ["employer_contribution"]
    for action in ("finalise_payment_run", "release_payment_run"):
        generated.call("payment_runs", action, run_id)
    read = generated.call("payment_runs", "read_payment_run", run_id).payment_run
    assert read.state is models.PaymentRunState.FINALISED

    [journal] = generated.call("accounting", "read_accounting", run_id)
    sides = [sum(Decimal(str(line.amount[""])) for line in side) for side in (journal.debit, journal.credit)]
    assert sides[0] == sides[1] > 0
    request = models.TransactionHistoryRequest(start_date=datetime.date(2026, 1, 1), end_date=PERIOD_END)
    [row] = generated.call("reports", "make_report", client_id, models.ReportId.TRANSACTION_HISTORY, body=request)
    assert isinstance(row, models.TransactionHistoryRow)
    assert row.additional_properties["Basic salary"] == 4200
    [filing] = [
        element.filing
        for element in generated.call("filings", "list_filings", client_id, "2026-01")
        if isinstance(element.filing, models.CpfFiling)
    ]
    assert filing.month == "2026-01"
    assert generated.call("payslip_documents", "read_payslip_pdf", payslip_id).payload.read(4) == b"%PDF"
    balances = generated.call("leave", "read_leave_balances", employee_id)
    assert balances.additional_properties


def test_changes_are_records_and_deleted_records(generated: GeneratedClient) -> None:
    models = generated.models
    client_id = generated.call("clients", "create_client", body=models.ClientInput(name="Kopi Works")).id
    kept, deleted = (
        generated.call("pay_points", "create_pay_point", client_id, body=models.PayPointInput(name=name)).id
        for name in ("Office", "Warehouse")
    )
    generated.call("pay_points", "delete_pay_point", deleted)
    changes = generated.call("pay_points", "list_pay_points", client_id, updated_since="2026-01-01T00:00:00+08:00")
    assert [(type(change.pay_point), change.pay_point.id) for change in changes] == [
        (models.PayPoint, kept),
        (models.DeletedRecord, deleted),
    ]


def test_an_update_sends_only_what_was_set(generated: GeneratedClient) -> None:
    models = generated.models
    client_id = generated.call("clients", "create_client", body=models.ClientInput(name="Kopi Works")).id
    wave = models.WaveInput(frequency=models.Frequency.MONTHLY, last_day_of_month=31, first_end_date=PERIOD_END)
    wave_id = generated.call("waves", "create_wave", client_id, body=wave).id
    envelope = models.EmployeeInputEnvelope(employee=new_employee(generated, wave_id))
    employee_id = generated.call("employees", "create_employee", client_id, body=envelope).id
    before = generated.call("employees", "read_employee", employee_id).employee.to_dict()
    update = models.EmployeeUpdateEnvelope(employee=models.EmployeeUpdate(first_name="Mei"))
    generated.call("employees", "update_employee", employee_id, body=update)
    after = generated.call("employees", "read_employee", employee_id).employee.to_dict()
    assert after["pr_cpf_rates"] == "FF"
    assert {name for name in before if before[name] != after[name]} == {"first_name", "updated_at"}


def test_no_type_is_named_after_its_position(package: str) -> None:
    models: Any = importlib.import_module(f"{package}.models")
    assert [name for name in models.__all__ if re.search(r"Type\d", name)] == []
