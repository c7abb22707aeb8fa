"""Retro proposals: differences of finalised periods that an officer accepts, edits or declines."""
