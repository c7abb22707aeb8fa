"""Profiles: named sets of calculations, and their mappings to employees."""
