"""Imports from files."""
