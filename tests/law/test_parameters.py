"""The parameter files: loaded once, complete, and an operator's own laid over them or refused."""

import shutil
from datetime import date
from importlib import resources
from pathlib import Path

import pytest

from gaji.law import registry
from gaji.law.months import Month
from gaji.law.parameters import InvalidParameterFile, MonthNotCovered, from_text, read_files

OURS = Path(str(resources.files("gaji.law"))) / "parameters"
SUBJECTS = sorted(path.stem for path in OURS.glob("*.toml"))


def load_with(folder: Path, name: str, text: str) -> registry.Law:
    """The law with this operator's file laid over ours."""
    (folder / name).write_text(text)
    return registry.load(folder)


def test_a_value_comes_with_its_date_and_source(law: registry.Law) -> None:
    in_force = law.sdl.rate.at(Month(2026, 5))
    assert (in_force.value, in_force.since) == (250, date(2008, 10, 1))
    assert "Skills Development Levy Act" in in_force.source


def test_a_month_outside_is_an_error_that_says_the_span(law: registry.Law) -> None:
    with pytest.raises(MonthNotCovered) as refused:
        law.sdl.rate.at(Month(2028, 1))
    assert (refused.value.subject, refused.value.month) == ("sdl.rate", Month(2028, 1))
    assert (refused.value.first, refused.value.last) == (Month(2008, 10), Month(2027, 12))


@pytest.mark.parametrize("subject", SUBJECTS)
def test_every_subject_covers_2022_to_2027(subject: str) -> None:
    covered = read_files().subject(subject)
    assert covered.covered_from <= Month(2022, 1)
    assert covered.covered_until >= Month(2027, 12)


def test_the_same_content_has_the_same_version_however_it_is_written(law: registry.Law, tmp_path: Path) -> None:
    text = (OURS / "sdl.toml").read_text().replace("value = 2,", "value = 2.00,")
    (tmp_path / "sdl.toml").write_bytes(("# another comment\n" + text).replace("\n", "\r\n").encode())
    assert registry.load(tmp_path).rules_version == law.rules_version


def test_other_content_has_another_version(law: registry.Law, tmp_path: Path) -> None:
    other = load_with(tmp_path, "sdl.toml", '[rate]\nvalues = [{ from = 2026-01-01, value = 0.3, source = "a guess" }]')
    assert other.rules_version != law.rules_version


def test_an_earlier_law_can_be_had_again_from_its_text(law: registry.Law) -> None:
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


def test_a_whole_value_can_take_the_place_of_ours(tmp_path: Path) -> None:
    law = load_with(tmp_path, "levy.toml", FIRST_LEVY + "3 = { R1 = 3, R2 = 4 }")
    assert law.levy.rates["services"].at(Month(2022, 1)).value["3"] == {"R1": 300, "R2": 400}


def test_an_operator_replaces_a_whole_file(tmp_path: Path) -> None:
    text = (OURS / "sdl.toml").read_text().replace('covered_from = "2008-10"', 'covered_from = "2022-01"')
    law = load_with(tmp_path, "sdl.toml", "replace = true\n" + text.replace("2008-10-01", "2022-01-01"))
    with pytest.raises(MonthNotCovered):
        law.sdl.rate.at(Month(2021, 12))


def test_a_folder_without_files_changes_nothing(law: registry.Law, tmp_path: Path) -> None:
    shutil.copy(OURS / "sdl.toml", tmp_path / ".sdl.toml.swp")
    assert registry.load(tmp_path) == law


@pytest.mark.parametrize(
    ("text", "key", "reason"),
    [
        ("rate = ", "", "is not TOML: Invalid value"),
        ("[rates]\nvalues = []", "rates", "is not known here"),
        ('[rate]\nvalues = [{ from = 2026-01-01, value = "a", source = "s" }]', "rate from 2026-01-01.value", "'a'"),
        (
            '[rate]\nvalues = [{ from = 2026-01-01, value = 0.12345, source = "s" }]',
            "rate from 2026-01-01.value",
            "three",
        ),
        (
            '[rate]\nvalues = [{ from = 2026-01-01, value = 101, source = "s" }]',
            "rate from 2026-01-01.value",
            "above 100",
        ),
        (
            '[rate]\nvalues = [{ from = 2026-01-01, value = -1, source = "s" }]',
            "rate from 2026-01-01.value",
            "negative",
        ),
        ('[rate]\nvalues = [{ from = 2026-01-01, value = nan, source = "s" }]', "rate from 2026-01-01.value", "NaN"),
        ('[rate]\nvalues = [{ from = 2026-01-01, value = true, source = "s" }]', "rate from 2026-01-01.value", "True"),
        ("[rate]\nvalues = [{ from = 2026-01-01, value = 1 }]", "rate from 2026-01-01.source", "is missing"),
        ('[rate]\nvalues = [{ from = 2026-01-01, value = 1, source = " " }]', "rate from 2026-01-01.source", "a text"),
        ('[rate]\nvalues = [{ from = 2026-01-01, source = "s" }]', "rate from 2026-01-01.value", "is missing"),
        ('[rate]\nvalues = [{ value = 1, source = "s" }]', "rate.values[1].from", "is missing"),
        ('[rate]\nvalues = [{ from = "2026", value = 1, source = "s" }]', "rate.values[1].from", "must be a date"),
        ('[rate]\nvalues = [{ from = 2026-01-15, value = 1, source = "s" }]', "rate from 2026-01-15.from", "first day"),
        ('[rate]\nvalues = [{ from = 2028-01-01, value = 1, source = "s" }]', "rate.values", "covers until 2027-12"),
        (
            '[rate]\nvalues = [{ from = 2026-01-01, value = 1, source = "s", note = 1 }]',
            "rate from 2026-01-01.note",
            "is not known here",
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
        ('covered_from = "2000-01"', "rate.values", "begin in 2008-10, but the file covers from 2000-01"),
        ("replace = 1", "replace", "must be true or false"),
        ("replace = true", "subject", "is missing"),
        (
            '[parts_of_a_cent]\nvalues = [{ from = 2026-01-01, value = "up", source = "s" }]',
            "parts_of_a_cent from 2026-01-01.value",
            "must be one of half_up, down, not 'up'",
        ),
    ],
)
def test_a_wrong_file_is_refused_with_file_key_and_reason(tmp_path: Path, text: str, key: str, reason: str) -> None:
    with pytest.raises(InvalidParameterFile) as refused:
        load_with(tmp_path, "sdl.toml", text)
    assert refused.value.file == str(tmp_path / "sdl.toml")
    assert refused.value.key == key
    assert reason in refused.value.reason
    assert str(refused.value).startswith(f"{tmp_path / 'sdl.toml'}: {key}")


def test_values_out_of_order_are_refused(tmp_path: Path) -> None:
    entry = "{{ from = {}-10-01, value = 1, source = 's' }}"
    text = (OURS / "sdl.toml").read_text()
    start = text.index("values = [")
    swapped = f"values = [{entry.format(2008)}, {entry.format(2009)}]" + text[text.index("]", start) + 1 :]
    with pytest.raises(InvalidParameterFile, match="newest on top"):
        load_with(tmp_path, "sdl.toml", "replace = true\n" + text[:start] + swapped)


@pytest.mark.parametrize("name", ["cfp.toml", "sdl.TOML", "SDL.toml", "sdl.tml", "sdl.toml.disabled", "sdl"])
def test_a_file_of_no_subject_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(InvalidParameterFile, match=rf"{name}: no subject has this name; there are .*sdl\.toml"):
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
        ("cpf", T1.format(17, 0.6, 37, 38), "T1 from 2027-06-01.up_to_55.employee", "above total"),
        ("cpf", T1.format(17, 0.6, 101, 20), "T1 from 2027-06-01.up_to_55.total", "above 100"),
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
            "EURASIAN belongs to CDAC already",
        ),
        (
            "self_help_funds",
            FUND.format("SINDA", '["INDIAN"]', '["ISLAM"]'),
            "SINDA from 2027-01-01.religions",
            "ISLAM belongs to MBMF already",
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
        ("leave", YEARS.format("{ least = 2, days = 7 }"), "annual from 2027-01-01.years", "begin with year 1"),
        (
            "leave",
            YEARS.format("{ least = 1, days = 7 }, { least = 2, days = 6 }"),
            "annual from 2027-01-01.years",
            "must not fall",
        ),
    ],
)
def test_figures_that_do_not_go_together_are_refused(
    tmp_path: Path, subject: str, text: str, key: str, reason: str
) -> None:
    with pytest.raises(InvalidParameterFile) as refused:
        load_with(tmp_path, f"{subject}.toml", text)
    assert (refused.value.file, refused.value.key) == (str(tmp_path / f"{subject}.toml"), key)
    assert reason in refused.value.reason


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidParameterFile, match="is not a folder"):
        registry.load(tmp_path / "nowhere")
