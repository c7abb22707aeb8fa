"""Accounts, their users with a role for each client, and the API keys of users."""
