"""Erasure of former employees when the statutory periods have ended."""
