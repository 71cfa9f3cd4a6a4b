"""A release that somebody else touched: rows swapped, files added, the same rows in another form.

The forger knows the format, and writes hashes anew wherever no secret is needed for it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import recipients
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from typer.testing import CliRunner

import hedgerow
from hedgerow.cli import app
from hedgerow.ledger import Amounts, Ledger
from hedgerow.release.certificate_text import as_text

RECODED = """\
population: ward
ledger: ledger.db
source: patients.csv
columns:
  name: identifier
  age: {role: quasi-identifier, hierarchy: {ranges: [10, 20, 40]}}
  zip: {role: quasi-identifier, hierarchy: {prefix: 3}}
  sex: quasi-identifier
  disease: sensitive
  salary: insensitive
protect: [{k-anonymity: 3}]
method: {suppress: 10%}
publish: {to: release}
"""
RANDOMISED = """\
population: ward
ledger: ledger.db
source: sexes.csv
columns:
  sex: {role: quasi-identifier, domain: [F, M]}
privacy: add-remove
method: {search: marginals, epsilon: 1, tables: [[sex]], synthetic: true}
publish: {to: release}
"""
SAFE = """\
population: ward
ledger: ledger.db
source: sexes.csv
columns:
  sex: {role: quasi-identifier, domain: [F, M], levels: [0, 0]}
privacy: add-remove
method: {search: safe, epsilon: 1, delta: 1e-6, beta: 0.8}
publish: {to: release}
"""
FAMILIES = {"recoded": RECODED, "randomised": RANDOMISED, "safe": SAFE}


@pytest.fixture(params=FAMILIES)
def family(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: Any) -> str:
    """The kind of the release that is in release/."""
    monkeypatch.chdir(tmp_path)
    publish(FAMILIES[request.param])
    return str(request.param)


@pytest.fixture
def recoded(tmp_path: Path, monkeypatch: Any) -> Path:
    monkeypatch.chdir(tmp_path)
    publish(RECODED)
    return Path("release")


def publish(plan: str, **more: Any) -> None:
    rows = recipients.hospital(400)
    recipients.write_csv(Path("patients.csv"), rows)
    recipients.write_csv(Path("sexes.csv"), [{"sex": row["sex"]} for row in rows])
    Path("plan.yaml").write_text(plan)
    with Ledger.open("ledger.db") as ledger:
        ledger.set_budget("ward", Amounts.of(epsilon=2, delta="1e-5"))
    hedgerow.publish("plan.yaml", **more)


def run(*command: str, code: int) -> str:
    done = CliRunner().invoke(app, list(command))
    assert done.exit_code == code, (done.stdout, done.stderr)
    return " ".join(done.stdout.split())


def verified(*more: str, code: int) -> str:
    return run("verify", "release", *more, code=code)


def in_ledger(*, code: int) -> str:
    return run("ledger", "verify", "--ledger", "ledger.db", "--release", "release", code=code)


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def rewritten(change: Callable[[bytes], bytes], name: str = "data.csv") -> None:
    """Change a file, and write its hash wherever the certificate has it."""
    folder = Path("release")
    told = recipients.certificate(folder)
    before = sha256(folder / name)
    (folder / name).write_bytes(change((folder / name).read_bytes()))
    text = as_text(told).replace(before, sha256(folder / name))
    (folder / "certificate.json").write_text(text)
    if name != "report.html":
        # What anybody can make of the two is made anew, too.
        (folder / "report.html").unlink()
        told = json.loads(text)
        from hedgerow.reports.files import read_by_anybody
        from hedgerow.reports.recipient_view import Handed

        (folder / "report.html").write_text(read_by_anybody(Handed.read(folder)))
        told["files"]["report.html"] = sha256(folder / "report.html")
        (folder / "certificate.json").write_text(as_text(told))


def swapped(data: bytes) -> bytes:
    """Everybody gets the diagnosis of somebody of another group; the order stays canonical."""
    head, *rows = data.decode().splitlines()
    place = head.split(",").index("disease")
    cells = [row.split(",") for row in rows]
    values = [row[place] for row in cells]
    for row, value in zip(cells, values[7:] + values[:7], strict=True):
        row[place] = value
    return "\n".join([head, *sorted(",".join(row) for row in cells), ""]).encode()


def test_every_file_is_listed(family: str) -> None:
    told = recipients.certificate(Path("release"))
    there = {file.name: sha256(file) for file in Path("release").iterdir()}
    del there["certificate.json"]
    assert told["files"] == there
    assert set(there) >= {"data.csv", "report.html"}
    verified(code=0)
    in_ledger(code=0)


def test_swapped_diagnoses(recoded: Path) -> None:
    rewritten(swapped)
    told = verified(code=0)
    assert "nobody has signed the certificate, so anybody may have written it" in told
    verified("--strict", code=1)
    assert "has other 'data', 'files'" in in_ledger(code=1).replace(" and ", ", ")


def test_a_strict_reader_asks_for_a_signature(recoded: Path) -> None:
    verified("--strict", code=1)
    key = Ed25519PrivateKey.generate()
    Path("key.pem").write_bytes(
        key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    )
    publish(RECODED, sign="key.pem", replace=True)
    verified("--strict", code=0)
    in_ledger(code=0)


def test_rows_of_another_draw(tmp_path: Path, monkeypatch: Any) -> None:
    """A release with a price: its numbers are those that the ledger keeps."""
    monkeypatch.chdir(tmp_path)
    publish(RANDOMISED)
    in_ledger(code=0)
    table = Path("release/tables.csv").read_text().splitlines()
    first = table[1].split(",")
    first[-2] = str(int(first[-2]) + 5)
    text = "\n".join([table[0], ",".join(first), *table[2:], ""])
    rewritten(lambda data: text.encode(), "tables.csv")
    assert "it has other" in in_ledger(code=1)


def test_fewer_rows_of_a_sample(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    publish(SAFE)
    lines = Path("release/data.csv").read_bytes().splitlines(keepends=True)
    rewritten(lambda data: b"".join(lines[:-1]))
    path = Path("release/certificate.json")
    told = json.loads(path.read_text())
    told["data"]["rows"] -= 1
    path.write_text(as_text(told))
    assert "it has other 'data'" in in_ledger(code=1)


@pytest.mark.parametrize("field", ["people", "claims", "optimal", "population", "with"])
def test_any_field_is_compared(recoded: Path, field: str) -> None:
    path = recoded / "certificate.json"
    told = json.loads(path.read_text())
    other = {"people": {"in_source": 4000, "left_out": 0}, "claims": told["claims"] * 2,
             "optimal": not told["optimal"], "population": "others", "with": ["x"]}  # fmt: skip
    path.write_text(as_text(told | {field: other[field]}))
    assert repr(field) in in_ledger(code=1)


INTRUDERS: dict[str, Callable[[Path], object]] = {
    "raw data": lambda folder: (folder / "patients.csv").write_text("name\nAda\n"),
    "a hidden file": lambda folder: (folder / ".notes").write_text("Ada is row 3"),
    "a folder": lambda folder: (folder / "more").mkdir(),
    "a link": lambda folder: (folder / "link").symlink_to("/etc/passwd"),
    "data of another format": lambda folder: (folder / "data.parquet").write_bytes(b"PAR1"),
}


@pytest.mark.parametrize("what", INTRUDERS)
def test_what_is_not_listed_is_refused(family: str, what: str) -> None:
    INTRUDERS[what](Path("release"))
    assert "which the certificate does not list" in verified(code=1)
    assert "which the certificate does not list" in in_ledger(code=1)


def test_what_is_listed_is_there(family: str) -> None:
    Path("release/report.html").unlink()
    assert "the folder lacks 'report.html'" in verified(code=1)


@pytest.mark.parametrize("name", ["data.csv", "report.html", "certificate.json"])
def test_links_are_no_files(family: str, name: str) -> None:
    file = Path("release") / name
    file.rename(name)
    file.symlink_to(Path(name).resolve())
    assert f"'{name}' in the folder is a link" in verified(code=1)


def test_a_foreign_report(family: str) -> None:
    page = b"<html><script>alert(1)</script></html>"
    Path("release/report.html").write_bytes(page)
    assert "'report.html' is not the file that the certificate lists" in verified(code=1)
    publish(FAMILIES[family], replace=True)
    rewritten(lambda data: page, "report.html")
    assert "report.html was made by something else" in verified(code=1)
    assert "it has other 'files'" in in_ledger(code=1)


def trailing(data: bytes) -> bytes:
    return data.replace(b"\n", b",\n")


def after_the_header(change: Callable[[list[bytes]], list[bytes]]) -> Callable[[bytes], bytes]:
    def changed(data: bytes) -> bytes:
        head, *rows = data.splitlines(keepends=True)
        return b"".join([head, *change(rows)])

    return changed


FORMS: dict[str, Callable[[bytes], bytes]] = {
    "a comma after every row": after_the_header(lambda rows: [trailing(row) for row in rows]),
    "another order": after_the_header(lambda rows: rows[::-1]),
    "the first row last": after_the_header(lambda rows: [*rows[1:], rows[0]]),
    "an empty line": after_the_header(lambda rows: [*rows, b"\n"]),
    "empty lines between": after_the_header(lambda rows: [row + b"\n" for row in rows]),
    "carriage returns": lambda data: data.replace(b"\n", b"\r\n"),
    "quotes": after_the_header(lambda rows: [b'"' + row.replace(b",", b'",', 1)
                                             if b"," in row else b'"' + row[:-1] + b'"\n'
                                             for row in rows]),
    "a quoted header": lambda data: b'"' + data.replace(b"\n", b'"\n', 1).replace(b",", b'","', 5)
                                    if data.count(b",", 0, data.index(b"\n")) == 5 else
                                    b'"sex"' + data[3:],
    "no line end": lambda data: data[:-1],
    "a mark": lambda data: b"\xef\xbb\xbf" + data,
    "spaces after quotes": after_the_header(
        lambda rows: [b'"' + rows[0].replace(b",", b'" ,', 1) if b"," in rows[0]
                      else b'"' + rows[0][:-1] + b'" \n', *rows[1:]]),
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_the_same_rows_in_another_form(family: str, form: str) -> None:
    data = Path("release/data.csv").read_bytes()
    changed = FORMS[form](data)
    assert changed != data
    folder, before = Path("release"), sha256(Path("release/data.csv"))
    (folder / "data.csv").write_bytes(changed)
    path = folder / "certificate.json"
    path.write_text(path.read_text().replace(before, sha256(folder / "data.csv")))
    found = hedgerow.verify("release")
    ours = [why for why in found.refuted if not why.startswith("report")]
    assert ours, form
    about = ("written form", "columns", "rows", "tables and rows", "made again")
    assert any(why.startswith(about) for why in ours)


def test_the_form_of_tables(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    publish(RANDOMISED)
    rewritten(lambda data: data + b"\n", "tables.csv")
    assert "tables.csv has these values, and not in the form" in verified(code=1)


def test_the_order_of_parquet(tmp_path: Path, monkeypatch: Any) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    monkeypatch.chdir(tmp_path)
    publish(RECODED.replace("{to: release}", "{to: release, format: parquet}"))
    verified(code=0)
    file = Path("release/data.parquet")
    table = pq.read_table(file)
    others = (
        table.slice(1),
        table.take(pa.array(range(len(table))[::-1])),
        table.replace_schema_metadata({"row 3": "Ada"}),
    )
    for other in others:
        publish(RECODED.replace("{to: release}", "{to: release, format: parquet}"), replace=True)
        before = sha256(file)
        pq.write_table(other, file)
        path = Path("release/certificate.json")
        path.write_text(path.read_text().replace(before, sha256(file)))
        found = [w for w in hedgerow.verify("release").refuted if not w.startswith("report")]
        assert found


def test_a_report_of_another_version_is_not_put_into_a_release(recoded: Path) -> None:
    path = recoded / "certificate.json"
    told = json.loads(path.read_text())
    told["files"]["report.html"] = "0" * 64
    path.write_text(as_text(told))
    done = CliRunner().invoke(app, ["report", "release"])
    assert done.exit_code == 2
    assert "the certificate lists another report.html" in done.stderr


@pytest.mark.parametrize("format_", ["certificate", "randomised", "safe"])
def test_certificates_of_earlier_versions(tmp_path: Path, monkeypatch: Any, format_: str) -> None:
    monkeypatch.chdir(tmp_path)
    publish(FAMILIES["recoded" if format_ == "certificate" else format_])
    path = Path("release/certificate.json")
    told = json.loads(path.read_text())
    told["format"] = f"hedgerow-{format_}/1"
    del told["files"]
    path.write_text(as_text(told))
    done = CliRunner().invoke(app, ["verify", "release"])
    assert done.exit_code == 2
    assert "is too old to be verified" in done.stderr
