"""Errors of parameter files."""


class InvalidParameterFile(ValueError):
    """A parameter file is not valid: the file, the key and the reason."""

    def __init__(self, file: str, key: str, reason: str) -> None:
        super().__init__(f"{file}: {key}: {reason}" if key else f"{file}: {reason}")
        self.file = file
        self.key = key
        self.reason = reason
