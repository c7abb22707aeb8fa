"""Gaji: Singapore payroll that a company or bureau runs itself."""

__version__ = "0.1.0"
