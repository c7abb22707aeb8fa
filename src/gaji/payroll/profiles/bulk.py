"""Profiles for many employees at once."""

from collections.abc import Sequence

from gaji.db.tenancy import Transaction
from gaji.payroll.profiles import repository


async def load_profile_ids(tx: Transaction, client_id: int) -> list[int]:
    """The profiles of a client."""
    return [one.id for one in (await repository.profiles(tx, client_id, None))[0]]


async def assign_profile(tx: Transaction, client_id: int, profile_id: int, employee_ids: Sequence[int]) -> None:
    """Give employees who do not have it a profile with all that it says; whoever asks lets their drafts follow."""
    await repository.insert_mappings(tx, client_id, profile_id, employee_ids)
