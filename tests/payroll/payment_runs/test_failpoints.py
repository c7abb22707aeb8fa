"""A server or worker dies at each failpoint of a run: the run is completed, with every employee exactly once."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from gaji.core.failpoints import VARIABLE
from gaji.core.settings import Settings
from tests.payroll.payment_runs.crowd import crowded, standing
from tests.payroll.payment_runs.runs import FEBRUARY, JANUARY, act, ask, listed, read
from tests.support.company import Company
from tests.support.running import Service, running_service

pytestmark = pytest.mark.slow

FEW = 70
"""Enough for steps that are one transaction."""
MANY = 500
"""Several chunks of the worker."""
LEAVERS_APART = 60
"""Every sixtieth employee leaves, from the first on."""
WITHIN_S = 240
RESPAWN_INTERVAL_S = 6
"""A server process that dies again within 5.5 seconds is not started again."""
SERVER = ("open", "finalise", "unfinalise")
WORKER = [f"{step}.{when}_commit" for step in ("chunk", "ready", "recalculate") for when in ("before", "after")]
LOANS = """INSERT INTO calculations (client_id, employee_id, type, inputs)
    SELECT client_id, id, 'loan', '{"balance": "1000.00", "instalment": "100.00", "start_date": "2026-01-01"}'
    FROM employees WHERE client_id = $1"""


@contextmanager
def dying(settings: Settings, folder: Path, *names: str) -> Iterator[Service]:
    """A server that dies at these places, the worker beside it too; checked to have done so."""
    died = folder / "died"
    died.mkdir()
    with running_service(settings, folder, {VARIABLE: f"{','.join(names)}@{died}"}) as service:
        yield service
    assert {file.name for file in died.iterdir()} == set(names)


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + WITHIN_S
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def insist(request: Callable[[], httpx.Response], already: str) -> None:
    """Ask until there is an answer: that it is done, or that it was done when the answer was lost."""

    def answered() -> bool:
        try:
            answer = request()
        except httpx.TransportError:
            return False
        done = answer.status_code == 200 or (answer.status_code == 409 and already in answer.json()["message"])
        assert done or answer.status_code in (409, 503), answer.text
        return done

    until(answered)


def run_payroll(service: Service, employees: int, pause_s: float = 0) -> None:
    """January opened, finalised and unfinalised twice, with everything checked and a pause on the way."""
    company = crowded(Company.of(service.new_account()), employees)
    service.as_owner(LOANS, company.id)
    insist(lambda: ask(company), "already")
    [run] = listed(company)
    run_id = run["id"]
    until(lambda: read(company, run_id)["state"] != "calculating")
    assert standing(service, company, run_id) == (employees, employees, employees)
    before = lines(service, company)
    time.sleep(pause_s)
    for _ in range(2):
        insist(lambda: act(company, run_id, "finalise"), "is finalised")
        until(lambda: not waiting(service, company))
        check_finalised(service, company, run_id, employees)
        assert lines(service, company) == before
        time.sleep(pause_s)
        insist(lambda: act(company, run_id, "unfinalise"), "is not finalised")
        until(lambda: not waiting(service, company))
        assert lines(service, company) == before
        [drafts] = service.as_owner(
            "SELECT count(*) AS all, count(*) FILTER (WHERE NOT withdrawn) AS shown FROM payslips WHERE client_id = $1",
            company.id,
        )
        assert (drafts["shown"], drafts["all"]) == (employees, 2 * employees - leavers(employees))


def leavers(employees: int) -> int:
    return -(-employees // LEAVERS_APART)


def check_finalised(service: Service, company: Company, run_id: int, employees: int) -> None:
    staying = employees - leavers(employees)
    assert standing(service, company, run_id) == (employees, employees, employees)
    rows = service.as_owner(
        "SELECT date::text, finalised, count(*) AS payslips, count(DISTINCT employee_id) AS employees, "
        "sum((moved ->> 'loan')::bigint)::bigint AS moved FROM payslips WHERE client_id = $1 AND NOT withdrawn "
        "GROUP BY 1, 2 ORDER BY 1",
        company.id,
    )
    assert [tuple(row.values())[:4] for row in rows] == [
        (JANUARY, True, employees, employees),
        (FEBRUARY, False, staying, staying),
    ]
    # The balance of February's case is what January took, once.
    [carried] = service.as_owner(
        "SELECT sum((n.inputs -> 'moved' ->> 'loan')::bigint)::bigint AS before, "
        "sum((p.moved ->> 'loan')::bigint)::bigint AS taken FROM payslips p "
        "JOIN payslips n ON n.client_id = p.client_id AND n.employee_id = p.employee_id AND NOT n.finalised "
        "WHERE p.client_id = $1 AND p.finalised AND NOT n.withdrawn",
        company.id,
    )
    assert carried["before"] == carried["taken"]
    assert carried["taken"] > 0


def lines(service: Service, company: Company) -> list[str]:
    """The lines of January."""
    rows = service.as_owner(
        "SELECT lines::text FROM payslips WHERE client_id = $1 AND date = '2026-01-31' ORDER BY employee_id", company.id
    )
    return [row["lines"] for row in rows]


def waiting(service: Service, company: Company) -> bool:
    return bool(service.as_owner("SELECT FROM payslips WHERE client_id = $1 AND dirty AND NOT withdrawn", company.id))


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_server_that_dies_in_every_step(settings: Settings, tmp_path: Path, when: str) -> None:
    with dying(settings, tmp_path, *(f"{step}.{when}_commit" for step in SERVER)) as service:
        run_payroll(service, FEW, pause_s=RESPAWN_INTERVAL_S)


def test_a_worker_that_dies_everywhere(settings: Settings, tmp_path: Path) -> None:
    with dying(settings, tmp_path, *WORKER) as service:
        run_payroll(service, MANY)
