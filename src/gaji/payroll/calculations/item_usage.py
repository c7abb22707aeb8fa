"""Where a custom item is used, and removing calculations of it that have ended."""

from dataclasses import dataclass

from gaji.db.tenancy import Transaction
from gaji.payroll.calculations import repository
from gaji.payroll.calculations.effective_dates import load_current_days
from gaji.payroll.calculations.history import is_in_force_from


@dataclass(frozen=True)
class ItemUsage:
    """Where a custom item is used."""

    profile_ids: tuple[int, ...]
    calculation_count: int
    """The number of calculations of the client, of employees and of payslips."""
    ended_ids: tuple[int, ...]
    """Recurring calculations that have ended."""

    @property
    def has_calculations(self) -> bool:
        """Whether there are calculations of the item, in force or not."""
        return bool(self.profile_ids or self.calculation_count or self.ended_ids)


async def load_item_usage(tx: Transaction, client_id: int, definition_id: int) -> ItemUsage:
    """Load where a custom item of a client is used."""
    row = await repository.load_item_usage(tx, client_id, definition_id)
    profile_ids, count, ended_ids = set(row["profile_ids"]), row["calculation_count"], []
    calculations = await repository.load_dated_calculations(tx, client_id, definition_id)
    days = await load_current_days(tx, client_id, {calculation.owner for calculation in calculations})
    for calculation in calculations:
        if not is_in_force_from(calculation, days[calculation.owner].isoformat()):
            ended_ids.append(calculation.id or 0)
        elif calculation.owner.profile_id is not None:
            profile_ids.add(calculation.owner.profile_id)
        else:
            count += 1
    return ItemUsage(tuple(sorted(profile_ids)), count, tuple(ended_ids))


async def delete_ended(tx: Transaction, client_id: int, usage: ItemUsage) -> None:
    """Delete the calculations of a custom item that have ended, with what is known about them."""
    for calculation_id in usage.ended_ids:
        await repository.delete(tx, client_id, calculation_id)
