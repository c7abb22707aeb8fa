"""Payments that are withheld for tax clearance (IR21), and their release to the employee or the tax authority."""
