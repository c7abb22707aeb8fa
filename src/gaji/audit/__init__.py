"""The audit log: who changed which record, when and how."""
