"""Calculation definitions: the custom items of a client, and the lists of calculation types and payslip items."""
