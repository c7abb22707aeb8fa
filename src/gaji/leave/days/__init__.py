"""Leave days: which days, or parts of days, employees are on leave."""
