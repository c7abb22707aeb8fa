"""Bulk input: attributes and calculation inputs of many employees in one request, each entity saved whole or not."""
