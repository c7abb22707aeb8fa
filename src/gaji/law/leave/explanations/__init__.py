"""Explanations of statutory leave and length of service, one module per kind of leave."""
