"""Service periods: an employee's service, from appointment to termination."""
