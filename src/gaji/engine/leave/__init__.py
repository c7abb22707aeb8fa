"""Leave: policies, balances, and the length of a leave day. Order of computation: docs/rules/leave_balances.md."""
