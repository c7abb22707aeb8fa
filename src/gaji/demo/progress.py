"""How far the making of a demo is, for whoever wants to show it."""


class Progress:
    """Hears how far the making is; this one keeps it to itself."""

    def made(self, what: str, count: int, of: int) -> None:
        """So many are made of what is being made."""

    def found(self, employees: int) -> None:
        """The company was there already, with so many employees."""
