"""Gaji: self-hosted payroll for Singapore."""

__version__ = "0.1.0"
