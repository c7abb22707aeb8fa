"""Custom employee fields: attributes that a client defines for its employees."""
