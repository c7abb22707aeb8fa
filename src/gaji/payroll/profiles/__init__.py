"""Profiles: templates of calculations, and which employees have them."""
