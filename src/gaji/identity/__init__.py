"""Accounts, users, roles, API keys, sessions and second factors."""
