"""Accounting: the ledger accounts of a client, its accounting splits, and the journals of its pay runs."""
