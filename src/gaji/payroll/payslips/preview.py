"""The preview: a payslip of anyone for any period, which is calculated and explained, and not kept."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from msgspec.structs import replace

from gaji.company.clients.service import client_features, require_client
from gaji.company.waves.facts import WaveFacts
from gaji.core import clock
from gaji.core.errors import INVALID, Errors, ValidationError, invalid
from gaji.core.law_loader import law
from gaji.core.validation import MAX_ID, DateType, Record, ValidatedInput, parse_integer
from gaji.db.tenancy import Tenant, Transaction
from gaji.engine import batch, catalogue
from gaji.engine.payslip_input import PayslipInput, CalculationEntry, EmployeeDetails, ServiceInterval, YearToDate
from gaji.engine.periods import NotAPeriodEnd, Schedule
from gaji.law.parameters import MonthNotCovered
from gaji.payroll.calculations import resolve as calculations
from gaji.payroll.payslips import build_inputs
from gaji.payroll.payslips import employment_context as grounds
from gaji.payroll.payslips.drafts import Draft
from gaji.payroll.payslips.employment_context import Grounds
from gaji.payroll.payslips.preview_schemas import PREVIEW, Entered, Known
from gaji.payroll.payslips.rules import Place, touching
from gaji.payroll.payslips.service import Explained, told
from gaji.people.employees.rules import choose_work_pass
from gaji.people.wave_periods.facts import PaidBy

NO_WAVE = 0
MONTHLY = WaveFacts(Schedule("monthly", last_day=31), 0, None)
"""The wave of someone who has none."""
NOWHERE = Place(NO_WAVE, 0)
NOBODY = 0
ANYONE = EmployeeDetails(birthdate=date(1990, 1, 1), legal_status="CITIZEN")
SYSTEM = catalogue.build_catalogue()


@dataclass
class Asked:
    """What is asked for, as far as it makes sense."""

    employee_id: int
    """Whoever it is about, or nobody that is known."""
    grounds: Grounds
    known: Known
    place: Place = NOWHERE
    entered: Sequence[Entered] = ()

    @property
    def wave(self) -> WaveFacts:
        """The wave of the payslip."""
        return self.grounds.waves.get(self.place.wave_id, MONTHLY)

    def check(self, record: Record, errors: Errors) -> None:
        """That there is what the record names; finds the period and what is entered."""
        if record["employee_id"] is not None and not self.grounds.service[self.employee_id]:
            errors.add("employee_id", INVALID, reason=f"there is no employee {record['employee_id']} in this client")
        self.entered = self.known.read(record["calculations"], errors)
        wave_id = record["wave_id"]
        if wave_id is not None and wave_id not in self.grounds.waves:
            errors.add("wave_id", INVALID, reason=f"there is no wave {wave_id} in this client")
        elif record["period_end_date"] is not None and "period_end_date" not in errors:
            self._find_period(wave_id, record["period_end_date"], errors)

    def _find_period(self, wave_id: int | None, end: date, errors: Errors) -> None:
        """The period that ends on this day, in a month that the law covers."""
        chosen = _wave_on(self.grounds.stretches[self.employee_id], end) if wave_id is None else wave_id
        self.place = Place(chosen, 0)
        try:
            self.place = Place(chosen, self.wave.schedule.offset(end))
            batch.calculate(law(), SYSTEM, [PayslipInput(self.wave.period(self.place.offset), ANYONE, [], {})])
        except (NotAPeriodEnd, MonthNotCovered) as error:
            errors.add("period_end_date", INVALID, reason=str(error))


async def preview(tenant: Tenant, client_id: int, body: Mapping[str, Any]) -> tuple[Explained, ValidatedInput]:
    """The payslip that the body describes, and why it is what it is."""
    async with tenant.reading() as tx:
        await require_client(tx, client_id)
        asked = await _asked(tx, client_id, PREVIEW.unwrap(body))
        reading = PREVIEW.parse_create(body, asked.check)
        case = await _case(tx, client_id, asked, reading.record)
    return _told(asked, case), reading


async def _asked(tx: Transaction, client_id: int, given: Mapping[str, Any]) -> Asked:
    """What the body is held against; what of it makes no sense is told when it is read."""
    number = parse_integer(given.get("employee_id")) or NOBODY
    employee_id = number if 0 < number <= MAX_ID else NOBODY
    day = DateType().parse(given.get("period_end_date"), "", Errors()) or clock.today()
    [stored] = await calculations.resolve_entries(tx, client_id, [(None, employee_id, False)], day)
    return Asked(
        employee_id,
        await grounds.load(tx, client_id, [employee_id]),
        Known(await calculations.catalogue(tx, client_id), await client_features(tx, client_id), stored),
    )


async def _case(tx: Transaction, client_id: int, asked: Asked, record: Record) -> PayslipInput:
    """The case of what was asked for: that of the employee, or of a person, with what was given laid over it."""
    wave_id, offset = asked.place
    period = asked.wave.period(offset)
    service = asked.grounds.service[asked.employee_id] or [ServiceInterval(period.start)]
    if given := record["service"]:
        service = [ServiceInterval(given["start_date"] or service[-1].start, given["end_date"])]
    paid_by = [PaidBy(wave_id, one.start, one.end) for one in service]
    if asked.employee_id:
        stands = Grounds({wave_id: asked.wave}, {asked.employee_id: service}, {asked.employee_id: paid_by})
        draft = Draft(0, asked.employee_id, asked.place)
        items = asked.known.catalogue
        [case] = await build_inputs.build(tx, client_id, items, [draft], stands, before=period.end)
    else:
        choose_work_pass(record["employee"], {})
        touched = touching(paid_by, wave_id, period)
        case = PayslipInput(period, EmployeeDetails(**record["employee"]), touched, {}, last_service_date=service[-1].end)
    return _laid_over(case, asked.entered, record["year_to_date"])


def _laid_over(case: PayslipInput, entered: Sequence[Entered], year: Record | None) -> PayslipInput:
    """The case with what was given in place of what is stored."""
    given = {one.type.name: one.inputs for one in entered}
    stored = case.calculations
    own = {name: replace(stored.get(name, CalculationEntry({})), inputs=inputs, skip=False) for name, inputs in given.items()}
    if year is not None:
        ordinary, additional = year["ordinary_wages_subject"], year["additional_wages_subject"]
        case = replace(case, year=YearToDate(ordinary, additional, additional))
    return replace(case, calculations={**stored, **own})


def _told(asked: Asked, case: PayslipInput) -> Explained:
    try:
        problems = batch.calculate_with_trace(law(), asked.known.catalogue, [case]).problems
    except MonthNotCovered as error:
        raise invalid("period_end_date", INVALID, reason=str(error)) from None
    if problems:
        raise ValidationError({_path(asked.entered, problem.message): problem.message for problem in problems})
    return told(law(), asked.known.catalogue, case)


def _path(entered: Sequence[Entered], message: str) -> str:
    """Where the custom item was given that a message is about; all of them when it is one of the employee's own."""
    return next((one.path for one in entered if message.startswith(f"{one.type.caption}: ")), "calculations")


def _wave_on(stretches: Sequence[PaidBy], day: date) -> int:
    """The wave that pays on a day, or the last one before it."""
    begun = [one.wave_id for one in stretches if one.start <= day]
    return begun[-1] if begun else stretches[0].wave_id if stretches else NO_WAVE
