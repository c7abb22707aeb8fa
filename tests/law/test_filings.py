"""How self-help funds of employees without an NRIC are paid."""

from pathlib import Path

from gaji.law import registry
from gaji.law.filings import IN_FILE, SEPARATELY
from gaji.law.months import Month


def test_an_operator_can_send_fins_in_the_file_from_a_date_on(tmp_path: Path) -> None:
    (tmp_path / "filings.toml").write_text(
        '[funds_without_nric]\nvalues = [{ from = 2026-06-01, value = "in_file", source = "CPF Board" }]\n'
    )
    history = registry.load(tmp_path).filings.funds_without_nric
    assert history.at(Month(2026, 5)).value == SEPARATELY
    assert history.at(Month(2026, 6)).value == IN_FILE
