"""How often an API key that hides identifiers is told that an NRIC or FIN is in use.

Without a limit, such a key could find out by trying which identifiers a client has. The refusals are counted when the
response is sent, because the transaction of a refused request is rolled back.
"""

from gaji.core.errors import TooManyRequests
from gaji.core.identifier_reads import note_identifier_refusals
from gaji.db.tenancy import Transaction

UNIQUE_IDENTIFIERS = ("nric", "fin")
"""Identifiers that two employees of a client cannot share."""
MAX_REFUSALS = 20
"""For each key and hour."""
REFUSALS_OF_KEY = """
    SELECT refused_identifiers, ceil(extract(epoch FROM refusals_since + interval '1 hour' - now()))::int AS wait_s
    FROM api_key_uses WHERE key_id = $1 AND refusals_since > now() - interval '1 hour'"""


async def limit_refusals(tx: Transaction, client_id: int, count: int) -> None:
    """Allow the caller to be told that this many of the supplied identifiers are in use. Raises TooManyRequests.

    When the limit is reached, it is raised for every request with an identifier, in use or not.
    """
    if not tx.caller.hide_identifiers or tx.caller.key_id is None:
        return
    row = await tx.fetchrow(REFUSALS_OF_KEY, tx.caller.key_id)
    earlier, wait_s = (row["refused_identifiers"], row["wait_s"]) if row else (0, 3600)
    note_identifier_refusals(f"/clients/{client_id}/employees", count)
    if earlier >= MAX_REFUSALS or earlier + count > MAX_REFUSALS:
        raise TooManyRequests(
            "This API key hides identifiers and has sent too many that are in use; "
            f"it can send identifiers again in {wait_s} s",
            headers={"Retry-After": str(wait_s)},
        )
