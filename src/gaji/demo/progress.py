"""Progress of the creation of a demo."""


class Progress:
    """Receives the progress. This base class ignores it."""

    def update(self, label: str, done: int, total: int) -> None:
        """Report how many of the labelled items are done."""

    def report_existing(self, employees: int) -> None:
        """Report that the company already exists, with its number of employees."""
