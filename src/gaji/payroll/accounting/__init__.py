"""Accounting: the accounts of a client's ledger, over what its journals are divided, and the journals of its runs."""
