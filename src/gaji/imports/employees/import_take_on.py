"""Import the sheet of opening balances, in the steps in which the employees are imported."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace

from gaji.core.errors import Errors, FieldError
from gaji.core.threads import run_in_thread_if_many
from gaji.db.tenancy import Transaction
from gaji.imports.employees.cell_errors import CellErrors
from gaji.imports.employees.header import read_take_on_header
from gaji.imports.employees.match_take_on import TakeOnMatcher, TakeOnRow, TakeOnRows
from gaji.imports.employees.result import ImportedBalances, TakeOnResult
from gaji.imports.employees.take_on_columns import take_on_columns
from gaji.imports.employees.xlsx_reader import SheetContent, SheetRow
from gaji.leave.types.queries import load_leave_types
from gaji.people.take_on import bulk_changes
from gaji.people.take_on.queries import load_take_on_records
from gaji.people.take_on.schemas import TakeOnInput


class TakeOnImport:
    """The import of a sheet of opening balances."""

    def __init__(self, tx: Transaction, client_id: int, sheet: SheetContent, captions: Mapping[str, str]) -> None:
        self._tx, self._client_id, self._sheet, self._captions = tx, client_id, sheet, captions
        self.errors = CellErrors(sheet, captions)
        self._rows = TakeOnRows()
        self._valid: list[tuple[TakeOnRow, TakeOnInput]] = []

    async def compare(self, id_by_number: Mapping[str, int | None]) -> Set[int]:
        """Find the rows that change something. Return the existing employees whose balances change.

        The caller locks them. `id_by_number` has the employees by number; a new employee has no ID yet.
        """
        if self._sheet.keys:
            self._rows = await self._match(self._sheet.rows, id_by_number)
        return self._rows.employee_ids

    async def validate(self, id_by_number: Mapping[str, int | None]) -> None:
        """Compare the changed rows again, now that their employees are locked, and validate them."""
        if not self._rows.changed:
            return
        locked = await self._match([item.row for item in self._rows.changed], id_by_number)
        bodies = [item.body for item in locked.changed]
        results = await bulk_changes.validate_changes(self._tx, self._client_id, bodies)
        for item, result in zip(locked.changed, results, strict=True):
            if isinstance(result, Errors):
                self.errors.add_row_errors(item.row.number, self._with_captions(result))
            else:
                self._valid.append((item, result))

    async def save(self, new_employees: Mapping[object, int]) -> TakeOnResult:
        """Save the valid rows. `new_employees` has the IDs of new employees by number."""
        balances = {item.employee_id or new_employees[item.employee_number]: data for item, data in self._valid}
        await bulk_changes.save_changes(self._tx, self._client_id, balances)
        rows = [item.row.number for item, _ in self._valid]
        saved = [ImportedBalances(row, employee_id) for row, employee_id in zip(rows, balances, strict=True)]
        return TakeOnResult(saved, self._rows.unchanged)

    async def _match(self, rows: Sequence[SheetRow], id_by_number: Mapping[str, int | None]) -> TakeOnRows:
        leave_types = await load_leave_types(self._tx, self._client_id)
        known = {column.key: column for column in take_on_columns(leave_types)}
        header = read_take_on_header(self._sheet, known, self.errors)
        employee_ids = [employee_id for employee_id in id_by_number.values() if employee_id is not None]
        stored = await load_take_on_records(self._tx, self._client_id, employee_ids)
        matcher = TakeOnMatcher(header, id_by_number, stored, self.errors)
        return await run_in_thread_if_many(len(rows), lambda: matcher.match(rows))

    def _with_captions(self, errors: Errors) -> Errors:
        """Return errors that name other columns by their captions."""
        return Errors({path: self._with_caption(error) for path, error in errors.items()})

    def _with_caption(self, error: FieldError) -> FieldError:
        caption = self._captions.get(str(error.params.get("attribute")))
        return replace(error, params={**error.params, "attribute": caption}) if caption else error


async def load_take_on_import(tx: Transaction, client_id: int, sheet: SheetContent) -> TakeOnImport:
    """Return the import of a client's sheet."""
    columns = take_on_columns(await load_leave_types(tx, client_id)) if sheet.keys else []
    return TakeOnImport(tx, client_id, sheet, {column.key: column.caption for column in columns})
