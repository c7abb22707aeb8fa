"""The audit log of a client: which records were changed, by whom, when and how."""
