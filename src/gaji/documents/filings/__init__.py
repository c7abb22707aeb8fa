"""Filings: what a client sends to the authorities for a month."""
