"""The register of a pay run: the query of the page, its columns, and downloads."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import IO

import msgspec

from gaji.console.request import PageRequest
from gaji.console.table_sort import TableSort, parse_sort
from gaji.core.temporary_files import new_temporary_file
from gaji.db.json_lists import ListPage, json_text
from gaji.engine.catalogue import Catalogue
from gaji.engine.money import decimal_text
from gaji.payroll.payment_runs.overview import RunHeader, RunOverview
from gaji.payroll.payslips.pay_register import (
    AMOUNTS,
    ITEM_PREFIX,
    ITEM_SECTIONS,
    ROW_FILTERS,
    SORT_KEYS,
    RegisterItem,
    RegisterRow,
    RegisterSelection,
    RegisterTotal,
    iterate_register,
)
from gaji.people.employees.filters import search_patterns
from gaji.tabular import CSV, EXTENSIONS, WRITERS, XLSX
from gaji.web.responses import HttpResponse

COLUMNS: Mapping[str, str] = {
    "pay_point": "Pay point",
    "gross": "Gross pay",
    "wage_deductions": "Unpaid leave",
    "cpf_employee": "CPF employee",
    "funds": "Self-help funds",
    "other_deductions": "Other deductions",
    "nett_pay": "Nett pay",
    "change": "Change",
    "cpf_employer": "CPF employer",
    "sdl": "SDL",
    "levy": "Foreign worker levy",
    "other_contributions": "Other contributions",
    "employer_cost": "Employer cost",
}
"""Headings of the columns that can be chosen, in order."""
LINES: Mapping[str, str] = {
    "gross": "income-total",
    "wage_deductions": "deduction-unpaid_leave",
    "cpf_employee": "deduction-cpf_employee",
    "other_deductions": "deduction-total",
    "nett_pay": "grand_total-nett_pay",
    "change": "grand_total-nett_pay",
    "cpf_employer": "employer_contribution-cpf_employer",
    "sdl": "employer_contribution-sdl",
    "levy": "employer_contribution-foreign_worker_levy",
}
"""The line of the payslip that explains each amount."""
FILTERS: Mapping[str, str] = {
    "": "All payslips",
    "attention": "Needs attention",
    "changed": "Changed",
    "new": "New",
    "gone": "No longer paid",
}
COST_DETAILS = ("sdl", "other_contributions")
LEVY = "levy"
COST_PARTS = ("cpf_employer", "sdl", LEVY, "other_contributions")
"""The columns that the employer cost has in addition to the pay."""
MAX_DEFAULT_COLUMNS = 8
"""How many columns fit on a screen of 1,440 pixels."""
LARGE_TOTAL_CENTS = 10_000_000_00
"""From here on, totals are so wide that one column less fits."""
NO_PAY_POINT = "-"
"""The value that selects employees without a pay point."""
DOWNLOADS = {"csv": CSV, "xlsx": XLSX}
PER_PAGE = 50
FIXED_COLUMNS = ("Employee", "Number")
OWN_COLUMNS = ("unpaid_leave", "cpf_employee", "cdac", "ecf", "mbmf", "sinda")
"""Lines that other columns have."""
ITEMS_BEFORE: Mapping[str, str] = {"gross": "income", "nett_pay": "deduction"}
"""The section whose pay items come before a column."""
SHOW_ITEMS = "pay_items"
MAX_ITEMS = 20
MAX_SCANNED_PAYSLIPS = 500
"""Pages of larger runs list the pay items in use only when the user asks for them."""


@dataclass(frozen=True)
class VisibleColumns:
    """The columns that the page shows."""

    headings: dict[str, str]
    is_default: bool
    """Whether they are the ones without a choice. A phone shows only some of these."""


@dataclass(frozen=True)
class RegisterQuery:
    """What the query string of the page selects."""

    request: PageRequest
    search: str
    pay_point: str
    row_filter: str
    sort: TableSort
    columns: Sequence[str]
    page: ListPage

    @property
    def lists_items(self) -> bool:
        """Whether the query asks which pay items there are."""
        return SHOW_ITEMS in self.request.query

    @property
    def chooses_items(self) -> bool:
        """Whether the query chooses columns of pay items."""
        return any(name.startswith(ITEM_PREFIX) for name in self.columns)

    def chosen_items(self, items: Iterable[RegisterItem]) -> list[RegisterItem]:
        """Return the pay items that the query chooses, in order."""
        return [item for item in items if item.column in self.columns][:MAX_ITEMS]

    @property
    def is_filtered(self) -> bool:
        """Whether some rows are left out."""
        return bool(self.search or self.pay_point or self.row_filter)

    def select(
        self, header: RunHeader, *, has_pay_points: bool, items: Sequence[RegisterItem] = ()
    ) -> RegisterSelection:
        """Return the selected rows of a run, with the amounts of these pay items."""
        run, sort = header.run, self.sort.name
        is_sorted = not sort.startswith(ITEM_PREFIX) or sort in {item.column for item in items}
        return RegisterSelection(
            client_id=header.client_id,
            run_id=run.id,
            wave_id=run.wave_id,
            previous_offset=header.previous_offset,
            previous_nett_pay=header.before.nett_pay,
            finalised=run.finalised,
            has_pay_points=has_pay_points,
            patterns=search_patterns(self.search),
            pay_point=None if not self.pay_point else "" if self.pay_point == NO_PAY_POINT else self.pay_point,
            row_filter=self.row_filter,
            sort=sort if is_sorted else "",
            descending=self.sort.descending,
            items=items,
        )

    def visible_columns(
        self,
        total: RegisterTotal,
        *,
        compared: bool,
        has_pay_points: bool,
        has_levy: bool = False,
        items: Mapping[RegisterItem, str] = MappingProxyType({}),
        is_download: bool = False,
    ) -> VisibleColumns:
        """Return the chosen columns. If none were chosen, columns without any amount are left out.

        So are details of the employer cost, if the others would not fit on a screen with them, the pay points of pay
        runs with a foreign worker levy, and the self-help funds of very large ones. The levy itself stays, also if no
        row that is shown has one. A file has them all.
        """
        texts = _with_items(items)
        usable = [name for name in texts if (compared or name != "change") and (has_pay_points or name != "pay_point")]
        always = ("pay_point", "gross", "cpf_employee", "nett_pay", "change", "cpf_employer", "employer_cost")
        levy = (LEVY,) if has_levy else ()
        default = [name for name in usable if name in (*always, *levy) or (name in COLUMNS and total.cents.get(name))]
        is_large = total.cents["gross"] >= LARGE_TOTAL_CENTS
        wide = (*(["pay_point"] if has_levy else []), *(["funds"] if is_large else []))
        details = [name for name in (*COST_DETAILS, *wide) if name in default]
        excess = 0 if is_download else len(default) - MAX_DEFAULT_COLUMNS + is_large
        default = [name for name in default if name not in details[: max(0, excess)]]
        chosen = [name for name in usable if name in self.columns]
        headings = {name: texts[name] for name in chosen or default}
        return VisibleColumns(headings, is_default=list(headings) == default)


def hidden_costs(columns: Iterable[str], total: RegisterTotal) -> list[str]:
    """Return the headings of the parts of the employer cost that have amounts but no column, if the cost has one."""
    names = {*columns}
    if "employer_cost" not in names:
        return []
    return [COLUMNS[name] for name in COST_PARTS if name not in names and total.cents[name]]


def list_items(catalogue: Catalogue) -> dict[RegisterItem, str]:
    """Return the pay items of a company that can have a column, with their headings, in the order of payslips."""
    used_texts = {*FIXED_COLUMNS, *COLUMNS.values()}
    items: dict[RegisterItem, str] = {}
    for line in catalogue.lines.values():
        if line.section in ITEM_SECTIONS and line.name not in OWN_COLUMNS:
            text = line.caption if line.caption not in used_texts else f"{line.caption} ({line.name})"
            used_texts.add(text)
            items[RegisterItem(str(line.section), line.name)] = text
    return items


def _with_items(items: Mapping[RegisterItem, str]) -> dict[str, str]:
    """Return the headings of all columns. Earnings come before gross pay, deductions before nett pay."""
    texts: dict[str, str] = {}
    for name, text in COLUMNS.items():
        if section := ITEMS_BEFORE.get(name):
            texts |= {item.column: caption for item, caption in items.items() if item.section == section}
        texts[name] = text
    return texts


def parse_register_query(request: PageRequest) -> RegisterQuery:
    """Read the query string. Values that the page does not know are ignored."""
    row_filter = request.query.get("show", "")
    columns = request.queries.get("column", ())
    amounts = [name for name in (*SORT_KEYS, *columns) if name in AMOUNTS or name.startswith(ITEM_PREFIX)]
    return RegisterQuery(
        request=request,
        search=request.query.get("search", "").strip(),
        pay_point=request.query.get("pay_point", ""),
        row_filter=row_filter if row_filter in ROW_FILTERS else "",
        sort=parse_sort(request, {*SORT_KEYS, *amounts}, amounts, "#register"),
        columns=columns,
        page=request.list_page(PER_PAGE),
    )


def item_lines(items: Iterable[RegisterItem]) -> dict[str, str]:
    """Return the line of the payslip that explains each amount, also of pay items."""
    return {**LINES, **{item.column: f"item-{item.name}" for item in items}}


def line_anchor(row: RegisterRow, name: str, lines: Mapping[str, str]) -> str:
    """Return the fragment of the payslip page that explains an amount."""
    line = f"deduction-{row.fund}" if name == "funds" and row.fund else lines.get(name, "")
    return f"#why-{line}" if line else ""


async def download_register(
    request: PageRequest, overview: RunOverview, selection: RegisterSelection, columns: Mapping[str, str]
) -> HttpResponse:
    """Return all selected rows as a file."""
    media_type = DOWNLOADS[request.query["format"]]
    file = new_temporary_file()
    writer = WRITERS[media_type](file, [*FIXED_COLUMNS, *columns.values()])
    async with request.tenant.snapshot() as tx:
        async for rows in iterate_register(tx, selection):
            await writer.write(",".join(_file_row(row, columns) for row in rows))
    await writer.finish()
    return _file_response(request, overview, media_type, file)


def _file_row(row: RegisterRow, columns: Mapping[str, str]) -> str:
    cells: dict[str, object] = dict(zip(FIXED_COLUMNS, (row.employee.name, row.employee.number), strict=True))
    for name, heading in columns.items():
        if name == "pay_point":
            cells[heading] = row.pay_point
        elif not row.dirty:
            cells[heading] = msgspec.Raw(decimal_text(row.cents[name]).encode())
    return json_text(cells)


def _file_response(request: PageRequest, overview: RunOverview, media_type: str, file: IO[bytes]) -> HttpResponse:
    name = f"pay-register-{overview.run.period_end_date}.{EXTENSIONS[media_type]}"
    disposition = f'attachment; filename="{name}"'
    return request.respond(200, b"", media_type, ("Content-Disposition", disposition), file=file)
