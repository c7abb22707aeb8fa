"""The parameter files: coverage, versions, overrides and errors."""

import shutil
from datetime import date
from importlib import resources
from pathlib import Path

import pytest

from gaji.law import registry
from gaji.law.months import Month
from gaji.law.parameters import InvalidParameterFile, MonthNotCovered, ParameterFiles, from_text, read_files

BUILT_IN = Path(str(resources.files("gaji.law"))) / "parameters"
SUBJECTS = sorted(path.stem for path in BUILT_IN.glob("*.toml"))


def load_with(directory: Path, name: str, text: str) -> registry.Law:
    """Load the law with this override file."""
    (directory / name).write_text(text)
    return registry.load(directory)


def test_a_value_has_its_date_and_source(law: registry.Law) -> None:
    in_force = law.sdl.rate.at(Month(2026, 5))
    assert (in_force.value, in_force.since) == (250, date(2008, 10, 1))
    assert "Skills Development Levy Act" in in_force.source


def test_an_uncovered_month_raises_an_error_with_the_covered_months(law: registry.Law) -> None:
    with pytest.raises(MonthNotCovered) as raised:
        law.sdl.rate.at(Month(2028, 1))
    assert (raised.value.subject, raised.value.month) == ("sdl.rate", Month(2028, 1))
    assert (raised.value.first, raised.value.last) == (Month(2008, 10), Month(2027, 12))


def test_an_uncovered_month_has_a_sentence_for_payroll_officers(law: registry.Law) -> None:
    with pytest.raises(MonthNotCovered) as raised:
        law.cpf.annual_ceiling_cents.at(Month(2015, 12))
    assert raised.value.sentence == (
        "December 2015 cannot be calculated: the figures of CPF are known from January 2016 to December 2027"
    )


@pytest.mark.parametrize("subject", ["cpf", "self_help_funds", "sdl", "pay", "holidays", "tax", "due_dates", "filings"])
def test_what_a_payslip_needs_reaches_back_to_2016(subject: str) -> None:
    assert read_files().subject(subject).covered_from <= Month(2016, 1)


@pytest.mark.parametrize("subject", SUBJECTS)
def test_every_subject_covers_2022_to_2027(subject: str) -> None:
    covered = read_files().subject(subject)
    assert covered.covered_from <= Month(2022, 1)
    assert covered.covered_until >= Month(2027, 12)


def test_the_same_content_in_another_layout_has_the_same_version(law: registry.Law, tmp_path: Path) -> None:
    text = (BUILT_IN / "sdl.toml").read_text().replace("value = 2,", "value = 2.00,")
    (tmp_path / "sdl.toml").write_bytes(("# another comment\n" + text).replace("\n", "\r\n").encode())
    assert registry.load(tmp_path).rules_version == law.rules_version


def test_different_content_has_a_different_version(law: registry.Law, tmp_path: Path) -> None:
    other = load_with(tmp_path, "sdl.toml", '[rate]\nvalues = [{ from = 2026-01-01, value = 0.3, source = "a guess" }]')
    assert other.rules_version != law.rules_version


def test_a_law_can_be_rebuilt_from_its_text(law: registry.Law) -> None:
    assert registry.from_files(from_text(law.text)) == law


def test_an_operator_adds_a_later_value(tmp_path: Path) -> None:
    law = load_with(
        tmp_path,
        "sdl.toml",
        'covered_until = "2028-12"\n[rate]\nvalues = [{ from = 2028-01-01, value = 0.5, source = "Budget 2028" }]',
    )
    assert law.sdl.rate.at(Month(2028, 1)).value == 500
    assert law.sdl.rate.at(Month(2027, 12)).value == 250
    assert law.sdl.min_levy_cents.at(Month(2028, 12)).value == 200


def test_an_operator_replaces_a_value(tmp_path: Path) -> None:
    law = load_with(tmp_path, "sdl.toml", '[rate]\nvalues = [{ from = 2008-10-01, value = 1, source = "ours" }]')
    assert [(value.value, value.source) for value in law.sdl.rate.values] == [(1000, "ours")]


def test_a_complete_value_can_replace_a_built_in_one(tmp_path: Path) -> None:
    law = load_with(tmp_path, "levy.toml", FIRST_LEVY + "3 = { R1 = 3, R2 = 4 }")
    assert law.levy.rates["services"].at(Month(2022, 1)).value["3"] == {"R1": 300, "R2": 400}


def test_an_operator_replaces_a_file(tmp_path: Path) -> None:
    text = (BUILT_IN / "sdl.toml").read_text().replace('covered_from = "2008-10"', 'covered_from = "2022-01"')
    law = load_with(tmp_path, "sdl.toml", "replace = true\n" + text.replace("2008-10-01", "2022-01-01"))
    with pytest.raises(MonthNotCovered):
        law.sdl.rate.at(Month(2021, 12))


def test_an_empty_directory_changes_nothing(law: registry.Law, tmp_path: Path) -> None:
    shutil.copy(BUILT_IN / "sdl.toml", tmp_path / ".sdl.toml.swp")
    assert registry.load(tmp_path) == law


@pytest.mark.parametrize(
    ("text", "key", "reason"),
    [
        ("rate = ", "", "is not TOML: Invalid value"),
        ("[rates]\nvalues = []", "rates", "is not a known field"),
        ('[rate]\nvalues = [{ from = 2026-01-01, value = "a", source = "s" }]', "rate from 2026-01-01.value", "'a'"),
        (
            '[rate]\nvalues = [{ from = 2026-01-01, value = 0.12345, source = "s" }]',
            "rate from 2026-01-01.value",
            "three",
        ),
        (
            '[rate]\nvalues = [{ from = 2026-01-01, value = 101, source = "s" }]',
            "rate from 2026-01-01.value",
            "at most 100",
        ),
        (
            '[rate]\nvalues = [{ from = 2026-01-01, value = -1, source = "s" }]',
            "rate from 2026-01-01.value",
            "negative",
        ),
        ('[rate]\nvalues = [{ from = 2026-01-01, value = nan, source = "s" }]', "rate from 2026-01-01.value", "NaN"),
        ('[rate]\nvalues = [{ from = 2026-01-01, value = true, source = "s" }]', "rate from 2026-01-01.value", "True"),
        ("[rate]\nvalues = [{ from = 2026-01-01, value = 1 }]", "rate from 2026-01-01.source", "is missing"),
        (
            '[rate]\nvalues = [{ from = 2026-01-01, value = 1, source = " " }]',
            "rate from 2026-01-01.source",
            "a string",
        ),
        ('[rate]\nvalues = [{ from = 2026-01-01, source = "s" }]', "rate from 2026-01-01.value", "is missing"),
        ('[rate]\nvalues = [{ value = 1, source = "s" }]', "rate.values[1].from", "is missing"),
        ('[rate]\nvalues = [{ from = "2026", value = 1, source = "s" }]', "rate.values[1].from", "must be a date"),
        ('[rate]\nvalues = [{ from = 2026-01-15, value = 1, source = "s" }]', "rate from 2026-01-15.from", "first day"),
        (
            '[rate]\nvalues = [{ from = 2028-01-01, value = 1, source = "s" }]',
            "rate.values",
            "covers months until 2027-12",
        ),
        (
            '[rate]\nvalues = [{ from = 2026-01-01, value = 1, source = "s", note = 1 }]',
            "rate from 2026-01-01.note",
            "is not a known field",
        ),
        (
            "[rate]\nvalues = [{ from = 2026-01-01, value = 1, source = 's' }, { from = 2026-01-01, value = 2 }]",
            "rate.values",
            "two values from 2026-01-01",
        ),
        ("[rate]\nvalues = 3", "rate.values", "must be a list of tables"),
        ("rate = 3", "rate", "must be a table, not 3"),
        ('covered_until = "2027-13"', "covered_until", "must be a month"),
        ('covered_until = "2000-01"', "covered_until", "is before covered_from"),
        ('covered_from = "2000-01"', "rate.values", "start in 2008-10, but the file covers months from 2000-01"),
        ("replace = 1", "replace", "must be true or false"),
        ("replace = true", "subject", "is missing"),
        (
            '[parts_of_a_cent]\nvalues = [{ from = 2026-01-01, value = "up", source = "s" }]',
            "parts_of_a_cent from 2026-01-01.value",
            "must be one of half_up, down, not 'up'",
        ),
    ],
)
def test_an_invalid_file_is_rejected_with_file_key_and_reason(tmp_path: Path, text: str, key: str, reason: str) -> None:
    with pytest.raises(InvalidParameterFile) as raised:
        load_with(tmp_path, "sdl.toml", text)
    assert raised.value.file == str(tmp_path / "sdl.toml")
    assert raised.value.key == key
    assert reason in raised.value.reason
    assert str(raised.value).startswith(f"{tmp_path / 'sdl.toml'}: {key}")


def test_values_out_of_order_are_rejected(tmp_path: Path) -> None:
    entry = "{{ from = {}-10-01, value = 1, source = 's' }}"
    text = (BUILT_IN / "sdl.toml").read_text()
    start = text.index("values = [")
    swapped = f"values = [{entry.format(2008)}, {entry.format(2009)}]" + text[text.index("]", start) + 1 :]
    with pytest.raises(InvalidParameterFile, match="newest first"):
        load_with(tmp_path, "sdl.toml", "replace = true\n" + text[:start] + swapped)


@pytest.mark.parametrize("name", ["cfp.toml", "sdl.TOML", "SDL.toml", "sdl.tml", "sdl.toml.disabled", "sdl"])
def test_a_file_that_is_not_named_for_a_subject_is_rejected(tmp_path: Path, name: str) -> None:
    with pytest.raises(
        InvalidParameterFile, match=rf"{name}: is not the file of a subject; the subjects are .*sdl\.toml"
    ):
        load_with(tmp_path, name, "")


ZERO = "[{}]\nvalues = [{{ from = 2026-01-01, value = 0, source = 's' }}]"
RATES = "{ employer_only = 17, graduated = 0.6, total = 37, employee = 20 }"
CELLS = "\n".join(f"above_{age} = {RATES}" for age in (55, 60, 65, 70))
T1 = "[[T1.values]]\nfrom = 2027-06-01\nsource = 's'\n" + CELLS.replace("{", "{{").replace("}", "}}")
T1 += "\nup_to_55 = {{ employer_only = {}, graduated = {}, total = {}, employee = {} }}"
BANDS = "[[wage_bands.values]]\nfrom = 2026-01-01\nsource = 's'\nnil_up_to = 50\n"
BANDS += "employer_only_up_to = 500\ngraduated_up_to = 800"
FUND = "[[{}.values]]\nfrom = 2027-01-01\nsource = 's'\nraces = {}\nreligions = {}\nbands = [{{ amount = 1 }}]"
LEVY = "[[services.values]]\nfrom = 2027-01-01\nsource = 's'\n1 = { R1 = 1, R2 = 2 }\n2 = { R1 = 1, R2 = 2 }\n"
FIRST_LEVY = LEVY.replace("2027-01-01", "2022-01-01")
YEARS = "[annual]\nvalues = [{{ from = 2027-01-01, source = 's', years = [{}] }}]"


@pytest.mark.parametrize(
    ("subject", "text", "key", "reason"),
    [
        ("cpf", T1.format(17, 0.6, 37, 38), "T1 from 2027-06-01.up_to_55.employee", "at most total"),
        ("cpf", T1.format(17, 0.6, 101, 20), "T1 from 2027-06-01.up_to_55.total", "at most 100"),
        ("cpf", T1.format(18, 0.6, 37, 20), "T1 from 2027-06-01.up_to_55.total", "below employer_only and employee"),
        ("cpf", T1.format(17, 0.5, 37, 20), "T1 from 2027-06-01.up_to_55.graduated", "share jump"),
        ("cpf", T1.format(17, -0.6, 37, 20), "T1 from 2027-06-01.up_to_55.graduated", "negative"),
        ("cpf", T1.format(-17, 0.6, 37, 20), "T1 from 2027-06-01.up_to_55.employer_only", "negative"),
        ("cpf", BANDS, "T1 from 2026-01-01.up_to_55.graduated", "share jump"),
        ("cpf", ZERO.format("ordinary_wage_ceiling"), "ordinary_wage_ceiling from 2026-01-01.value", "above 0"),
        ("cpf", ZERO.format("annual_ceiling"), "annual_ceiling from 2026-01-01.value", "above 0"),
        ("sdl", ZERO.format("most_remuneration"), "most_remuneration from 2026-01-01.value", "above 0"),
        ("pay", ZERO.format("non_workman_overtime_cap"), "non_workman_overtime_cap from 2026-01-01.value", "above 0"),
        (
            "self_help_funds",
            FUND.format("CDAC", '["CHINESE", "EURASIAN"]', "[]"),
            "ECF from 2015-01-01.races",
            "EURASIAN already belongs to CDAC",
        ),
        (
            "self_help_funds",
            FUND.format("SINDA", '["INDIAN"]', '["ISLAM"]'),
            "SINDA from 2027-01-01.religions",
            "ISLAM already belongs to MBMF",
        ),
        ("self_help_funds", FUND.format("CDAC", '["CHINSE"]', "[]"), "CDAC from 2027-01-01.races", "'CHINSE'"),
        (
            "self_help_funds",
            FUND.format("MBMF", "[]", '["ISLAM"]'),
            "MBMF from 2027-01-01.bands[1].mosque",
            "is missing",
        ),
        ("levy", LEVY, "services from 2027-01-01.3.R1", "rates from 2022-01-01 have it"),
        ("levy", LEVY + "3 = { R1 = 3 }", "services from 2027-01-01.3.R2", "rates from 2022-01-01 have it"),
        ("levy", FIRST_LEVY, "services from 2022-01-01.3", "the value that this one replaces has it"),
        ("levy", FIRST_LEVY + "3 = { R1 = 3 }", "services from 2022-01-01.3.R2", "that this one replaces has it"),
        ("leave", YEARS.format("{ least = 2, days = 7 }"), "annual from 2027-01-01.years", "start with year 1"),
        (
            "leave",
            YEARS.format("{ least = 1, days = 7 }, { least = 2, days = 6 }"),
            "annual from 2027-01-01.years",
            "must not decrease",
        ),
    ],
)
def test_inconsistent_values_are_rejected(tmp_path: Path, subject: str, text: str, key: str, reason: str) -> None:
    with pytest.raises(InvalidParameterFile) as raised:
        load_with(tmp_path, f"{subject}.toml", text)
    assert (raised.value.file, raised.value.key) == (str(tmp_path / f"{subject}.toml"), key)
    assert reason in raised.value.reason


def test_a_missing_directory_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(InvalidParameterFile, match="is not a directory"):
        registry.load(tmp_path / "nowhere")


def test_a_stored_law_with_a_parameter_that_was_removed_since_can_be_read() -> None:
    current = read_files()
    document = {**current.documents["filings"], "salary_deadline": {"unit": "days", "values": []}}
    stored = ParameterFiles({**current.documents, "filings": document}, current.names)
    restored = from_text(stored.text).with_subjects_of(current)
    assert registry.from_files(restored).text == current.text
