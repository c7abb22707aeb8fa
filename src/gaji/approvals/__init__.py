"""Approval of changed bank accounts, of finalising and of payment files by a second person."""
