"""Employees."""
