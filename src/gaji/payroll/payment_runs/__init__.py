"""Payment runs: the payslips of a wave and period that are calculated, finalised and released together."""
