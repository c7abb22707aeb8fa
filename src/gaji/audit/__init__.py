"""What people changed of a record, from the audit log."""
