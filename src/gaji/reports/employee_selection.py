"""The employees of a report: all employees of a client, those of some waves, or a given list."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from gaji.core.validation import Record
from gaji.db.json_lists import json_text
from gaji.db.tenancy import Transaction
from gaji.engine.payslip_input import ServiceInterval
from gaji.people.employees.queries import list_employee_ids, load_employee_numbers
from gaji.people.service_periods.queries import (
    ServiceTerm,
    load_service_intervals,
    load_service_terms,
    load_terms_on,
)
from gaji.people.wave_periods.queries import WaveInterval, load_wave_intervals, load_waves_on

BATCH_SIZE = 5000
"""Employees that are loaded together."""


@dataclass(frozen=True)
class EmployeeFilter:
    """A filter for employees. An empty list of ids means no restriction."""

    wave_ids: frozenset[int]
    employee_ids: Sequence[int]

    @classmethod
    def from_record(cls, record: Record) -> "EmployeeFilter":
        """Return the filter of a request."""
        return cls(frozenset(record["wave_ids"] or ()), sorted(record["employee_ids"] or ()))

    def matches_wave(self, waves: Sequence[WaveInterval], as_of: date) -> bool:
        """Return whether a selected wave pays for the day. True if no wave is selected."""
        return not self.wave_ids or any(wave.wave_id in self.wave_ids and _includes(wave, as_of) for wave in waves)


@dataclass(frozen=True, slots=True)
class ReportedEmployee:
    """An employee in a report for a date."""

    number: str
    """As JSON."""
    in_service: bool
    """Whether the employee is in service on the date."""


@dataclass(frozen=True, slots=True)
class ReportedService:
    """A service of an employee and its last day in the range of the report."""

    number: str
    """The employee number, as JSON."""
    term: ServiceTerm
    last: date


@dataclass(frozen=True, slots=True)
class EmployeesInService:
    """A batch of employees who are in service on a date."""

    terms: Sequence[ServiceTerm]
    numbers: Mapping[int, str]
    """By employee."""
    waves: Mapping[int, int]
    """The wave that pays for the date, by employee."""


async def iterate_employees(
    tx: Transaction, client_id: int, employee_filter: EmployeeFilter, as_of: date
) -> AsyncIterator[dict[int, ReportedEmployee]]:
    """Yield batches of the employees whose service started on or before a date."""
    async for employee_ids in iterate_employee_ids(tx, client_id, employee_filter):
        numbers = await load_employee_numbers(tx, client_id, employee_ids)
        services = await load_service_intervals(tx, client_id, employee_ids)
        waves = await _load_waves(tx, client_id, employee_filter, employee_ids)
        yield {
            employee_id: ReportedEmployee(
                json_text(numbers[employee_id]), any(_includes(service, as_of) for service in services[employee_id])
            )
            for employee_id in employee_ids
            if services[employee_id][0].start <= as_of
            and employee_filter.matches_wave(waves.get(employee_id, ()), as_of)
        }


async def iterate_in_service(
    tx: Transaction, client_id: int, employee_filter: EmployeeFilter, as_of: date
) -> AsyncIterator[EmployeesInService]:
    """Yield batches of the employees who are in service on a date."""
    async for employee_ids in iterate_employee_ids(tx, client_id, employee_filter):
        waves = await load_waves_on(tx, client_id, employee_ids, as_of)
        terms = await load_terms_on(tx, client_id, as_of, employee_ids)
        if employee_filter.wave_ids:
            terms = [term for term in terms if waves[term.employee_id] in employee_filter.wave_ids]
        yield EmployeesInService(terms, await load_employee_numbers(tx, client_id, employee_ids), waves)


async def iterate_services(
    tx: Transaction, client_id: int, employee_filter: EmployeeFilter, first: date, last: date
) -> AsyncIterator[list[ReportedService]]:
    """Yield batches of the services between two dates. The wave filter applies to the last day of each."""
    async for employee_ids in iterate_employee_ids(tx, client_id, employee_filter):
        numbers = await load_employee_numbers(tx, client_id, employee_ids)
        terms = await load_service_terms(tx, client_id, employee_ids)
        waves = await _load_waves(tx, client_id, employee_filter, employee_ids)
        services = []
        for employee_id in employee_ids:
            for term in terms[employee_id]:
                end = last if term.end is None else min(last, term.end)
                is_in_range = term.start <= end and first <= end
                if is_in_range and employee_filter.matches_wave(waves.get(employee_id, ()), end):
                    services.append(ReportedService(json_text(numbers[employee_id]), term, end))
        yield services


async def iterate_employee_ids(
    tx: Transaction, client_id: int, employee_filter: EmployeeFilter, batch_size: int = BATCH_SIZE
) -> AsyncIterator[Sequence[int]]:
    """Yield batches of the selected employees, or of all employees of the client. The wave filter is not applied."""
    employee_ids = employee_filter.employee_ids or await list_employee_ids(tx, client_id)
    for start in range(0, len(employee_ids), batch_size):
        yield employee_ids[start : start + batch_size]


async def _load_waves(
    tx: Transaction, client_id: int, employee_filter: EmployeeFilter, employee_ids: Sequence[int]
) -> dict[int, list[WaveInterval]]:
    """Return the waves by employee, or nothing if the filter does not need them."""
    return await load_wave_intervals(tx, client_id, employee_ids) if employee_filter.wave_ids else {}


def _includes(interval: ServiceInterval | WaveInterval, day: date) -> bool:
    return interval.start <= day and (interval.end is None or day <= interval.end)
