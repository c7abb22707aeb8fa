"""Bulk input: attributes and calculation inputs of many employees in one request. Each entity is saved or rejected."""
