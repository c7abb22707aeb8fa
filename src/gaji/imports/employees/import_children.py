"""Import the sheet of children, in the steps in which the employees are imported."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from gaji.core.errors import Errors
from gaji.core.threads import run_in_thread_if_many
from gaji.db.tenancy import Transaction
from gaji.imports.employees.cell_errors import CellErrors
from gaji.imports.employees.header import read_child_header
from gaji.imports.employees.layout import known_child_columns
from gaji.imports.employees.match_children import ChildMatcher, ChildRow, ChildRows
from gaji.imports.employees.result import ChildrenResult, ImportedChild
from gaji.imports.employees.xlsx_reader import SheetContent, SheetRow
from gaji.people.children import bulk_changes
from gaji.people.children.queries import load_children
from gaji.people.children.schemas import ChildInput


@dataclass(frozen=True)
class ValidChild:
    """A valid row, and the attributes of the child after it."""

    row: ChildRow
    attributes: ChildInput


class ChildImport:
    """The import of a sheet of children."""

    def __init__(self, tx: Transaction, client_id: int, sheet: SheetContent) -> None:
        self._tx, self._client_id, self._sheet = tx, client_id, sheet
        known = known_child_columns()
        self.errors = CellErrors(sheet, {key: column.caption for key, column in known.items()})
        self._header = read_child_header(sheet, known, self.errors)
        self._rows = ChildRows()
        self._valid: list[ValidChild] = []

    async def compare(self, id_by_number: Mapping[str, int | None]) -> Set[int]:
        """Find the rows that change something. Return the existing employees whose children change.

        The caller locks them. `id_by_number` has the employees by number; a new employee has no ID yet.
        """
        if self._sheet.rows:
            self._rows = await self._match(self._sheet.rows, id_by_number)
        return self._rows.employee_ids

    async def validate(self, id_by_number: Mapping[str, int | None]) -> None:
        """Compare the changed rows again, now that their employees are locked, and validate them."""
        if not self._rows.changed:
            return
        locked = await self._match([row.row for row in self._rows.changed], id_by_number)
        changes = [row.change for row in locked.changed]
        results = await bulk_changes.validate_changes(self._tx, self._client_id, changes)
        for row, result in zip(locked.changed, results, strict=True):
            if isinstance(result, Errors):
                self.errors.add_row_errors(row.row.number, result)
            else:
                self._valid.append(ValidChild(row, result))

    async def save(self, new_employees: Mapping[object, int]) -> ChildrenResult:
        """Save the valid rows. `new_employees` has the IDs of new employees by number."""
        created = await self._create(new_employees)
        updated = [(child.row.change.stored, child) for child in self._valid]
        existing = [(stored, child) for stored, child in updated if stored is not None]
        attributes = [(stored.id, child.attributes) for stored, child in existing]
        await bulk_changes.update_children(self._tx, self._client_id, attributes)
        return ChildrenResult(
            created,
            [ImportedChild(child.row.row.number, stored.id, stored.employee_id) for stored, child in existing],
            self._rows.unchanged,
        )

    async def _create(self, new_employees: Mapping[object, int]) -> list[ImportedChild]:
        new = [child for child in self._valid if child.row.change.stored is None]
        employee_ids = [child.row.change.employee_id or new_employees[child.row.employee_number] for child in new]
        attributes = [(employee_id, child.attributes) for employee_id, child in zip(employee_ids, new, strict=True)]
        child_ids = await bulk_changes.insert_children(self._tx, self._client_id, attributes)
        return [
            ImportedChild(child.row.row.number, child_id, employee_id)
            for child, child_id, employee_id in zip(new, child_ids, employee_ids, strict=True)
        ]

    async def _match(self, rows: Sequence[SheetRow], id_by_number: Mapping[str, int | None]) -> ChildRows:
        children = await load_children(self._tx, self._client_id)
        return await run_in_thread_if_many(
            len(rows) + len(children),
            lambda: ChildMatcher(self._header, id_by_number, children, self.errors).match(rows),
        )
