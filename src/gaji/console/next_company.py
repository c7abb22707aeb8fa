"""What to do next in a company, and then the next company that needs attention."""

from dataclasses import dataclass

from gaji.company.clients.service import ClientMembership
from gaji.console import cookies
from gaji.console.company_list import WaitingTask, load_statuses
from gaji.console.request import PageRequest

CHUNK_COMPANIES = 100


@dataclass(frozen=True)
class NextCompany:
    """A company, and the first of what waits in it."""

    company: ClientMembership
    task: WaitingTask
    is_here: bool = False
    """Whether it is the company of the page."""


def was_step_done(request: PageRequest) -> bool:
    """Return whether a step was just finished, which the notice says."""
    return bool(request.notice) and not request.notice.startswith(cookies.REFUSAL_MARK)


async def find_next_step(request: PageRequest, company: ClientMembership, *, is_finished: bool) -> NextCompany | None:
    """Return what waits in this company once a page of it is finished, or else the next company that needs attention.

    What may wait for weeks or for someone else does not keep users in the company.
    """
    if is_finished and company.can_write:
        [status] = await load_statuses(request.tenant_of_all_companies, [company])
        if task := next((task for task in status.waiting_tasks() if not task.is_reminder), None):
            return NextCompany(company, task, is_here=True)
    return await find_next_company(request, company, is_finished=is_finished)


async def find_next_company(
    request: PageRequest, company: ClientMembership, *, is_finished: bool
) -> NextCompany | None:
    """Return the next company of the list that needs attention, after this one and then from the start.

    Only if there is nothing left to do in this company. Differences of pay runs and CPF files of other companies from
    what is recorded now do not count, because many companies would be compared for each page.
    """
    if not is_finished:
        return None
    companies = [item for item in await request.companies() if item.can_write or item.id == company.id]
    position = next((index for index, item in enumerate(companies) if item.id == company.id), 0)
    others = [item for item in companies[position:] + companies[:position] if item.id != company.id]
    for start in range(0, len(others), CHUNK_COMPANIES):
        chunk = others[start : start + CHUNK_COMPANIES]
        for status in await load_statuses(request.tenant_of_all_companies, chunk, compare=False):
            if task := next(status.waiting_tasks(), None):
                return NextCompany(status.company, task)
    return None
