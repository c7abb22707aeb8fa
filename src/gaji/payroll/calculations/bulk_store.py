"""The SQL of many calculations at once."""

from collections.abc import Mapping, Sequence

from gaji.db.json_lists import json_text
from gaji.db.tenancy import Transaction
from gaji.payroll.calculations.inheritance import Calculation, CalculationOwner
from gaji.payroll.calculations.repository import COLUMNS, calculation_of


async def own_rows(tx: Transaction, client_id: int, owners: Sequence[CalculationOwner]) -> dict[tuple[CalculationOwner, str], Calculation]:
    """What these employees and payslips say already, by owner and type."""
    rows = await tx.fetch(
        f"SELECT {COLUMNS} FROM calculations WHERE client_id = $1 AND employee_id = ANY ($2::bigint[]) "
        "AND (payslip_id IS NULL OR payslip_id = ANY ($3::bigint[]))",
        client_id,
        list({owner.employee_id for owner in owners}),
        list({owner.payslip_id for owner in owners if owner.payslip_id is not None}),
    )
    found = [calculation_of(row) for row in rows]
    return {(one.owner, one.type): one for one in found}


async def save(tx: Transaction, calculations: Sequence[Calculation], definitions: Mapping[str, int]) -> None:
    """Save what employees and payslips say in place of what they said."""
    if not calculations:
        return
    await tx.execute(
        "INSERT INTO calculations AS c (client_id, employee_id, payslip_id, type, calculation_def_id, inputs, skip, "
        "deleted, multiplier) SELECT $1, n.* FROM (SELECT employee_id, payslip_id, type, calculation_def_id, "
        "inputs::jsonb, skip, deleted, multiplier::numeric FROM unnest($2::bigint[], $3::bigint[], $4::text[], "
        "$5::bigint[], $6::text[], $7::boolean[], $8::boolean[], $9::text[]) AS "
        "t(employee_id, payslip_id, type, calculation_def_id, inputs, skip, deleted, multiplier)) n "
        "ON CONFLICT ON CONSTRAINT calculations_once DO UPDATE SET inputs = excluded.inputs, skip = excluded.skip, "
        "deleted = excluded.deleted, multiplier = excluded.multiplier, updated_at = now()",
        calculations[0].owner.client_id,
        [one.owner.employee_id for one in calculations],
        [one.owner.payslip_id for one in calculations],
        [one.type for one in calculations],
        [definitions.get(one.type) for one in calculations],
        [json_text(one.inputs) for one in calculations],
        [one.skip for one in calculations],
        [one.deleted for one in calculations],
        [one.multiplier for one in calculations],
    )
