"""The people who work with a company, and their roles."""

from gaji.accounts import members
from gaji.console.lists import pager
from gaji.console.pages import Pages
from gaji.console.visit import Visit
from gaji.web.gateway import Response

pages = Pages()

PER_PAGE = 50
ROLES = {
    "owner": "Changes everything",
    "payroll": "Changes everything",
    "viewer": "Looks at everything and changes nothing",
    "employee": "Sees their own payslips, leave and details",
}


@pages.get("/companies/{client_id}/settings/users")
async def list_users(visit: Visit) -> Response:
    """Who may do what in a company."""
    company = await visit.company(visit.ids["client_id"])
    page = visit.list_page(PER_PAGE)
    role, typed = visit.query.get("role", ""), visit.query.get("search", "")[:254].replace("\0", "")
    role = role if role in ROLES else ""
    found, total = await members.list_members(visit.tenant, company.id, page, role=role, text=typed)
    return visit.show(
        "settings_users.html",
        company=company,
        here="Settings",
        found=found,
        roles=ROLES,
        role=role,
        typed=typed,
        pages=pager(visit, page, total),
    )
