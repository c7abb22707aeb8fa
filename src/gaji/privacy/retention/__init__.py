"""Retention periods of a client, and their enforcement."""
