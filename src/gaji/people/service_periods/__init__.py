"""Service periods: when an employee worked here, from appointment to termination."""
