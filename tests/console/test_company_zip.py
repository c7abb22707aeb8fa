"""ZIP files with a folder for each company."""

from io import BytesIO
from zipfile import ZipFile

from gaji.console.company_zip import MISSING_FILES, build_zip


def test_no_file_replaces_another_one_of_the_same_name() -> None:
    contents = [("Bakery/PAIDE01.txt", b"a"), ("Bakery/paide01.txt", b"b"), ("Bakery/PAIDE01.txt", b"c")]
    package = ZipFile(BytesIO(build_zip([*contents, ("Clinic/PAIDE01.txt", b"d")], ["Bakery, a file"])))
    assert {name: package.read(name) for name in package.namelist()} == {
        "Bakery/PAIDE01.txt": b"a",
        "Bakery/2/paide01.txt": b"b",
        "Bakery/3/PAIDE01.txt": b"c",
        "Clinic/PAIDE01.txt": b"d",
        MISSING_FILES: b"Bakery, a file",
    }
