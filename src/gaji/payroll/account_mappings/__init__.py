"""Account mappings: the accounts of an accounting program for the ledger accounts of journals."""
