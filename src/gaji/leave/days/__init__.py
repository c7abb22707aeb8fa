"""Leave days: the days, or parts of days, on which employees are on leave."""
