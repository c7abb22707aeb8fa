"""The next company that needs attention, for users who go through several of them."""

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


def was_step_done(request: PageRequest) -> bool:
    """Return whether a step was just finished, which the notice says."""
    return bool(request.notice) and not request.notice.startswith(cookies.REFUSAL_MARK)


async def find_next_company(
    request: PageRequest, company: ClientMembership, *, is_finished: bool
) -> NextCompany | None:
    """Return the next company of the list that needs attention, after this one and then from the start.

    Only if there is nothing left to do in this company, as far as the page knows. Differences of pay runs and CPF files
    from what is recorded now do not count, because many companies would be compared for each page.
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
