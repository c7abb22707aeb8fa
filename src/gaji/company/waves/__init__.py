"""Waves: pay schedules, which say how often employees are paid and when their pay periods end."""
