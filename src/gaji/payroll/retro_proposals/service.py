"""Use cases of retro proposals: list, create, accept, decline and delete them."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from gaji.company.clients.service import require_officer
from gaji.core.errors import Conflict, Errors, NotFound, ValidationError
from gaji.core.threads import run_in_thread_if_many
from gaji.core.validation import Record
from gaji.db.tenancy import Tenant, Transaction
from gaji.engine.payslip_input import DECIDED_LATER, MISSED, PastDifference
from gaji.law.months import Month
from gaji.payroll.corrections.differences import book_contributions, corrections_of_month, without_self_settling
from gaji.payroll.corrections.open_differences import load_open_differences
from gaji.payroll.payslips.queries import load_current_draft_id, load_draft_months, load_payslip_periods
from gaji.payroll.payslips.recalculation import recalculate_employee
from gaji.payroll.retro_proposals import repository
from gaji.payroll.retro_proposals.models import (
    ACCEPTED,
    DECLINED,
    PAID,
    RetroProposal,
    earlier_corrections,
    proposal_from_row,
)
from gaji.payroll.retro_proposals.schemas import (
    NO_OPEN_DIFFERENCE,
    NO_OPEN_ITEM,
    NOT_EDITABLE,
    NOT_SELECTED,
    ONLY_MISSED,
    PROPOSAL,
    ProposalInput,
)
from gaji.people.employees.access import lock_employee_for_pay_change, require_readable_employee

NOT_PROPOSALS = "Employees can read their own payslips but not proposals about them"
COMPARED_AT_ONCE = 10
"""The employees compared at a time while the caller waits. Each may have many payslips."""


async def list_proposals(tenant: Tenant, employee_id: int) -> list[RetroProposal]:
    """List the stored proposals of an employee, and the differences that are in no proposal."""
    async with tenant.snapshot() as tx:
        client_id = await require_readable_employee(tx, employee_id)
        await require_officer(tx, client_id, NOT_PROPOSALS)
        stored = await _load_stored(tx, client_id, employee_id)
        differences, draft_months = await _load_open(tx, client_id, employee_id, stored)
    return [*stored, *_computed(employee_id, differences, draft_months)]


def _computed(
    employee_id: int, differences: Sequence[PastDifference], draft_months: Collection[Month]
) -> list[RetroProposal]:
    """The proposals of open differences, one for each treatment."""
    proposals = (
        RetroProposal(employee_id, treatment, book_contributions(_of_treatment(differences, treatment), draft_months))
        for treatment in (DECIDED_LATER, MISSED)
    )
    return [proposal for proposal in proposals if proposal.differences]


async def list_undecided(tenant: Tenant, client_id: int, employee_ids: Sequence[int]) -> dict[int, list[RetroProposal]]:
    """List the proposals of employees that are not paid or declined, and their open differences."""
    undecided: dict[int, list[RetroProposal]] = {}
    for first in range(0, len(employee_ids), COMPARED_AT_ONCE):
        chunk = employee_ids[first : first + COMPARED_AT_ONCE]
        async with tenant.snapshot() as tx:
            await require_officer(tx, client_id, NOT_PROPOSALS)
            rows = await repository.list_of_employees(tx, client_id, chunk)
            stored = [proposal_from_row(row) for row in rows]
            differences = await load_open_differences(tx, client_id, chunk, earlier_corrections(stored))
            draft_months = await load_draft_months(tx, client_id, chunk)
        for employee_id in chunk:
            months = draft_months.get(employee_id, frozenset())
            pending = [
                proposal
                for proposal in stored
                if proposal.employee_id == employee_id and proposal.status not in (PAID, DECLINED)
            ]
            undecided_differences = without_self_settling(differences.get(employee_id, []), months)
            if proposals := [*pending, *_computed(employee_id, undecided_differences, months)]:
                undecided[employee_id] = proposals
    return undecided


async def decide(tenant: Tenant, employee_id: int, body: Mapping[str, Any], *, accept: bool) -> None:
    """Save a proposal of open differences and accept it, or decline it, in one step."""
    async with tenant.transaction() as tx:
        client_id = await lock_employee_for_pay_change(tx, employee_id)
        proposal_id, _ = await _create(tx, client_id, employee_id, body)
        if accept:
            await _accept(tx, client_id, employee_id, proposal_id)
        else:
            await repository.set_status(tx, client_id, proposal_id, DECLINED, None)


async def create_proposal(tenant: Tenant, employee_id: int, body: Mapping[str, Any]) -> tuple[int, dict[str, str]]:
    """Save a proposal of open differences, and return its id and warnings about the body."""
    async with tenant.transaction() as tx:
        client_id = await lock_employee_for_pay_change(tx, employee_id)
        return await _create(tx, client_id, employee_id, body)


async def _create(
    tx: Transaction, client_id: int, employee_id: int, body: Mapping[str, Any]
) -> tuple[int, dict[str, str]]:
    validated = PROPOSAL.parse_create(body, _check_treatment)
    request = validated.data
    stored = await _load_stored(tx, client_id, employee_id)
    open_differences, draft_months = await _load_open(
        tx, client_id, employee_id, stored, pay_is_missed=request.include_pay
    )
    differences = book_contributions(_select(open_differences, request), draft_months)
    proposal_id = await repository.insert(
        tx, client_id, employee_id, request.treatment, request.include_pay, differences
    )
    return proposal_id, validated.warnings


async def accept_proposal(tenant: Tenant, employee_id: int, proposal_id: int) -> None:
    """Put a proposal on the employee's draft."""
    async with tenant.transaction() as tx:
        client_id = await lock_employee_for_pay_change(tx, employee_id)
        proposal = await _require_unpaid(tx, client_id, employee_id, proposal_id)
        if proposal.status != ACCEPTED:
            await _accept(tx, client_id, employee_id, proposal_id)


async def _accept(tx: Transaction, client_id: int, employee_id: int, proposal_id: int) -> None:
    payslip_id = await load_current_draft_id(tx, client_id, employee_id)
    if payslip_id is None:
        raise Conflict(
            f"Employee {employee_id} has no draft that could pay the proposal; delete it, and open a correction "
            "run (corrects) for each finalised run"
        )
    await repository.set_status(tx, client_id, proposal_id, ACCEPTED, payslip_id)
    await _book_on_draft(tx, client_id, employee_id, proposal_id, payslip_id)
    await _require_payable(tx, client_id, employee_id, payslip_id)
    await recalculate_employee(tx, client_id, employee_id)


async def _book_on_draft(tx: Transaction, client_id: int, employee_id: int, proposal_id: int, payslip_id: int) -> None:
    """Decide again which contributions are booked: the proposal may have been saved for the draft of another month."""
    proposal = await _require_unpaid(tx, client_id, employee_id, proposal_id)
    [(start, end)] = (await load_payslip_periods(tx, client_id, [payslip_id])).values()
    months = {Month.from_date(start), Month.from_date(end)}
    await repository.set_differences(tx, client_id, proposal_id, book_contributions(proposal.differences, months))


async def decline_proposal(tenant: Tenant, employee_id: int, proposal_id: int) -> None:
    """Decline a proposal. An accepted one leaves the draft."""
    async with tenant.transaction() as tx:
        client_id = await lock_employee_for_pay_change(tx, employee_id)
        proposal = await _require_unpaid(tx, client_id, employee_id, proposal_id)
        await repository.set_status(tx, client_id, proposal_id, DECLINED, None)
        await _leave_draft(tx, client_id, proposal)


async def delete_proposal(tenant: Tenant, employee_id: int, proposal_id: int) -> None:
    """Delete a proposal. Its differences are open again."""
    async with tenant.transaction() as tx:
        client_id = await lock_employee_for_pay_change(tx, employee_id)
        proposal = await _require_unpaid(tx, client_id, employee_id, proposal_id)
        await repository.delete(tx, client_id, proposal_id)
        await _leave_draft(tx, client_id, proposal)


async def load_corrections(
    tx: Transaction, client_id: int, employee_ids: Sequence[int], month: Month
) -> dict[int, list[PastDifference]]:
    """Load what payslips of a month should have paid, less what was paid or proposed, by employee.

    Changes of pay count as missed, because a correction run corrects mistakes, unless arrears of the payslip were
    already treated as decided later.
    """
    rows = await repository.list_of_employees(tx, client_id, employee_ids)
    stored = await run_in_thread_if_many(len(rows), lambda: [proposal_from_row(row) for row in rows])
    open_differences = await load_open_differences(
        tx, client_id, employee_ids, earlier_corrections(stored), pay_is_missed=True, month=month
    )

    draft_months = await load_draft_months(tx, client_id, employee_ids)

    def select() -> dict[int, list[PastDifference]]:
        selected = {
            employee_id: corrections_of_month(differences, month, draft_months.get(employee_id, frozenset()))
            for employee_id, differences in open_differences.items()
        }
        return {employee_id: differences for employee_id, differences in selected.items() if differences}

    return await run_in_thread_if_many(len(open_differences), select)


async def accept_corrections(
    tx: Transaction, client_id: int, payslip_ids: Mapping[int, int], month: Month
) -> dict[int, list[PastDifference]]:
    """Put the corrections of a month on the payslips of a correction run, which are given by employee.

    The employees are locked, or the client's drafts. Returns the corrections by employee.
    """
    corrections = await load_corrections(tx, client_id, list(payslip_ids), month)
    await repository.insert_accepted(
        tx,
        client_id,
        [(employee_id, payslip_ids[employee_id], differences) for employee_id, differences in corrections.items()],
    )
    return corrections


async def delete_corrections(tx: Transaction, client_id: int, payment_run_id: int) -> None:
    """Delete the proposals of a correction run that is about to be compared again. The client's drafts are locked."""
    await repository.delete_paid_by_run(tx, client_id, payment_run_id)


async def delete_of_run(tx: Transaction, client_id: int, payment_run_id: int) -> None:
    """Delete the proposals about payslips of a run that is being unfinalised: its drafts pay what is due themselves."""
    await repository.delete_of_run(tx, client_id, payment_run_id)


async def _leave_draft(tx: Transaction, client_id: int, proposal: RetroProposal) -> None:
    if proposal.payslip_id is not None:
        await _require_payable(tx, client_id, proposal.employee_id, proposal.payslip_id)
        await recalculate_employee(tx, client_id, proposal.employee_id)


async def _require_payable(tx: Transaction, client_id: int, employee_id: int, payslip_id: int) -> None:
    """Reject arrears that add up to less than nothing on a draft, which no line of income can show."""
    on_draft = [
        proposal
        for proposal in await _load_stored(tx, client_id, employee_id)
        if proposal.payslip_id == payslip_id and proposal.treatment == DECIDED_LATER
    ]
    if sum(proposal.total_cents for proposal in on_draft) < 0:
        raise Conflict(
            "The arrears of the draft would be negative; recover the amount with the calculation overpaid_wages"
        )


async def _load_stored(tx: Transaction, client_id: int, employee_id: int) -> list[RetroProposal]:
    return [proposal_from_row(row) for row in await repository.list_of_employees(tx, client_id, [employee_id])]


async def _load_open(
    tx: Transaction,
    client_id: int,
    employee_id: int,
    stored: Sequence[RetroProposal],
    *,
    pay_is_missed: bool = False,
) -> tuple[list[PastDifference], Collection[Month]]:
    """Load the open differences of an employee, and the months of the employee's draft."""
    earlier = earlier_corrections(stored)
    differences = await load_open_differences(tx, client_id, [employee_id], earlier, pay_is_missed=pay_is_missed)
    months = (await load_draft_months(tx, client_id, [employee_id])).get(employee_id, frozenset())
    return without_self_settling(differences.get(employee_id, []), months), months


async def _require_unpaid(tx: Transaction, client_id: int, employee_id: int, proposal_id: int) -> RetroProposal:
    row = await repository.find(tx, client_id, employee_id, proposal_id)
    if row is None:
        raise NotFound(f"Retro proposal {proposal_id} does not exist")
    proposal = proposal_from_row(row)
    if proposal.status == PAID:
        raise Conflict(f"Retro proposal {proposal_id} was paid with payslip {proposal.payslip_id}")
    if proposal.is_correction:
        raise Conflict(f"Retro proposal {proposal_id} belongs to a correction run; delete that run instead")
    return proposal


def _check_treatment(record: Record, errors: Errors) -> None:
    if record["treatment"] == MISSED and record["amounts"]:
        errors.add("amounts", NOT_EDITABLE)
    if record["treatment"] == DECIDED_LATER:
        for name in ("include_pay", "recover_employee_share"):
            if record[name]:
                errors.add(name, ONLY_MISSED)


def _of_treatment(differences: Sequence[PastDifference], treatment: str) -> list[PastDifference]:
    return [difference for difference in differences if difference.treatment == treatment]


def _select(differences: Sequence[PastDifference], request: ProposalInput) -> list[PastDifference]:
    """Return the differences that were asked for, with agreed amounts."""
    available = {difference.payslip_id: difference for difference in _of_treatment(differences, request.treatment)}
    if not available and request.payslip_ids is None:
        raise Conflict("There is no open difference of this treatment")
    errors = Errors()
    for index, payslip_id in enumerate(request.payslip_ids or ()):
        if payslip_id not in available:
            errors.add(f"payslip_ids.{index}", NO_OPEN_DIFFERENCE, payslip_id=payslip_id)
    selected_ids = request.payslip_ids or list(available)
    for payslip_id, amounts in (request.amounts or {}).items():
        for item in amounts:
            if request.payslip_ids and payslip_id not in request.payslip_ids:
                errors.add(f"amounts.{payslip_id}.{item}", NOT_SELECTED, payslip_id=payslip_id)
            elif payslip_id not in available or item not in available[payslip_id].items:
                errors.add(f"amounts.{payslip_id}.{item}", NO_OPEN_ITEM, payslip_id=payslip_id, item=item)
    if errors:
        raise ValidationError(errors)
    return [_agreed(available[payslip_id], request) for payslip_id in selected_ids]


def _agreed(difference: PastDifference, request: ProposalInput) -> PastDifference:
    amounts = (request.amounts or {}).get(difference.payslip_id, {})
    items = {
        item: replace(amount, accepted=amounts[item]) if item in amounts else amount
        for item, amount in difference.items.items()
    }
    return replace(difference, items=items, recovers_share=request.recover_employee_share)
