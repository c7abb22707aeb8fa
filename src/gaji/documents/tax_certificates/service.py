"""What can be asked about tax certificates."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from gaji.company.clients.service import require_client
from gaji.core.errors import Conflict, NotFound
from gaji.core.validation import ValidatedInput
from gaji.db.json_lists import Page, json_text
from gaji.db.tenancy import Tenant, Transaction
from gaji.documents.pdf_client import render_pdf
from gaji.documents.tax_certificates import pdf_context, repository
from gaji.documents.tax_certificates.certificate import Stored, has_changed
from gaji.documents.tax_certificates.generate_certificates import Made, make
from gaji.documents.tax_certificates.repository import Draft
from gaji.documents.tax_certificates.rules import GENERATE
from gaji.documents.tax_certificates.schemas import reviewed
from gaji.identity.service import require_writer
from gaji.people.employees.access import lock_employee, require_readable_employee
from gaji.people.service_periods import queries as service_periods
from gaji.people.take_on import queries as take_on


class Generated(NamedTuple):
    """What was generated."""

    year: int
    ids: Sequence[int]
    withdrawn: int
    """How many had been released and say something else now."""
    removed: int


class Listed(NamedTuple):
    """Certificates as JSON, how many there are in all, and the law's figures that their amounts go by."""

    elements: list[str]
    total: int
    rules_versions: set[str]


async def generate_certificates(
    tenant: Tenant, client_id: int, body: Mapping[str, Any]
) -> tuple[Generated, ValidatedInput]:
    """Make the certificates of a year for all who have income of it, in place of those that were there."""
    async with tenant.transaction() as tx:
        await require_writer(tx, client_id)
        reading = GENERATE.parse_create(body)
        year: int = reading.record["year"]
        await repository.hold(tx, client_id)
        made = await make(tx, client_id, year)
        generated = await _save(tx, client_id, year, made)
        await repository.note_year(tx, client_id, year, len(made))
        return generated, reading


async def find_client_id(tenant: Tenant, certificate_id: int) -> int:
    """The client of a certificate that the caller may see."""
    async with tenant.reading() as tx:
        employee_id: int = await repository.employee_of(tx, certificate_id) or _missing(certificate_id)
        return await require_readable_employee(tx, employee_id)


async def release_certificate(tenant: Tenant, certificate_id: int) -> None:
    """Let the employee see a certificate whose figures are those of now."""
    async with tenant.transaction() as tx:
        employee_id: int = await repository.employee_of(tx, certificate_id) or _missing(certificate_id)
        client_id = await lock_employee(tx, employee_id)
        await repository.hold(tx, client_id)
        kept: Stored = await repository.for_release(tx, client_id, certificate_id) or _missing(certificate_id)
        if await _changed(tx, client_id, [kept]):
            raise Conflict(
                f"The figures of certificate {certificate_id} have changed since it was generated; "
                f"generate the certificates of {kept.year} again first"
            )
        if not kept.released:
            await repository.release(tx, client_id, certificate_id)


async def list_released(tenant: Tenant, employee_id: int, page: Page | None) -> Listed:
    """The released certificates of an employee."""
    async with tenant.reading() as tx:
        client_id = await require_readable_employee(tx, employee_id)
        found, total = await repository.released_of_employee(tx, client_id, employee_id, page)
        changed = await _changed(tx, client_id, found)
    return Listed([json_text(one.element(one.id in changed)) for one in found], total, _versions(found))


async def read_pdf(tenant: Tenant, certificate_id: int) -> tuple[bytes, Stored]:
    """A released certificate as PDF; and what it was made of."""
    async with tenant.reading() as tx:
        kept, identifier = await repository.released(tx, certificate_id) or _missing(certificate_id)
    return await render_pdf("ir8a", pdf_context.ir8a(kept.year, kept.content, identifier), kept.generated_on), kept


async def list_for_review(tenant: Tenant, client_id: int, year: int | None, page: Page | None) -> Listed:
    """The certificates of a client with their figures, released or not."""
    async with tenant.reading() as tx:
        await require_client(tx, client_id)
        found, total = await repository.of_client(tx, client_id, year, page)
        changed = await _changed(tx, client_id, found)
    return Listed([json_text(reviewed(one, one.id in changed)) for one in found], total, _versions(found))


async def _save(tx: Transaction, client_id: int, year: int, made: Mapping[int, Made]) -> Generated:
    """Keep what was made: what says the same stays as it is, released where it was."""
    kept = await repository.of_year(tx, client_id, year)
    new = [employee_id for employee_id in made if employee_id not in kept]
    ids = dict(zip(new, await repository.new_ids(tx, len(new)), strict=True)) | {
        employee_id: certificate.id for employee_id, (certificate, _) in kept.items()
    }
    drafts = {employee_id: Draft(ids[employee_id], employee_id, *one) for employee_id, one in made.items()}
    changed = [
        employee_id
        for employee_id, one in made.items()
        if employee_id in kept and (kept[employee_id][0].content, kept[employee_id][1]) != one
    ]
    same = [ids[employee_id] for employee_id in made if employee_id in kept and employee_id not in set(changed)]
    gone = [certificate.id for employee_id, (certificate, _) in kept.items() if employee_id not in made]
    await repository.insert(tx, client_id, year, [drafts[employee_id] for employee_id in new])
    await repository.replace(tx, client_id, year, [drafts[employee_id] for employee_id in changed])
    await repository.confirm(tx, client_id, same)
    await repository.remove(tx, client_id, gone)
    withdrawn = sum(kept[employee_id][0].released for employee_id in changed)
    return Generated(year, sorted(ids[employee_id] for employee_id in made), withdrawn, len(gone))


async def _changed(tx: Transaction, client_id: int, found: Sequence[Stored]) -> set[int]:
    """The ids of those whose figures are no longer what the certificate says."""
    employee_ids = sorted({one.employee_id for one in found})
    services = await service_periods.load_service_intervals(tx, client_id, employee_ids) if found else {}
    taken_on: dict[int, dict[int, dict[str, int]]] = defaultdict(dict)
    for year in {one.year for one in found}:
        taken_on[year] = await take_on.load_ir8a_amounts(tx, client_id, year, employee_ids)
    return {
        one.id
        for one in found
        if has_changed(one, services[one.employee_id], taken_on[one.year].get(one.employee_id, {}))
    }


def _versions(found: Iterable[Stored]) -> set[str]:
    return {version for one in found for version in one.content.rules_versions}


def _missing(certificate_id: int) -> Any:
    raise NotFound(f"There is no tax certificate {certificate_id}")
