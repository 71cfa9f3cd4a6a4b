"""`hedgerow verify`, as somebody who received a release runs it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import recipients
import typer
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)
from typer.testing import CliRunner

import hedgerow
from hedgerow.cli.verify import verify
from hedgerow.release.certificate_text import as_text
from hedgerow.release.signature import sign

PLAN = """
source: patients.csv
columns:
  name:    {role: identifier}
  age:     {role: quasi-identifier, hierarchy: {ranges: [10, 20, 40]}}
  zip:     {role: quasi-identifier, hierarchy: {prefix: 3}}
  sex:     {role: quasi-identifier}
  disease: {role: sensitive}
  salary:  {role: insensitive}
protect:
  - k-anonymity: 5
  - t-closeness: {t: 0.6, of: disease}
method: {suppress: 5%}
publish: {to: release}
"""

app = typer.Typer()
app.command()(verify)


def run(*command: str, code: int = 0) -> Any:
    done = CliRunner().invoke(app, list(command))
    assert done.exit_code == code, (done.stdout, done.stderr, done.exception)
    return done


def flat(text: str) -> str:
    """Without the line breaks of a terminal."""
    return " ".join(text.split())


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A release, and the source is gone."""
    rows = recipients.hospital(200)
    recipients.write_csv(tmp_path / "patients.csv", rows)
    (tmp_path / "plan.yaml").write_text(PLAN)
    monkeypatch.chdir(tmp_path)
    hedgerow.publish("plan.yaml")
    (tmp_path / "patients.csv").unlink()
    return tmp_path


def test_a_release(folder: Path) -> None:
    k = recipients.k(recipients.read_csv(folder / "release/data.csv"), ["age", "zip", "sex"])
    told = run("release").stdout
    assert re.search(rf"^5-anonymity +{k} +5 +verified *$", told, re.M)
    left_out = recipients.certificate(folder / "release")["people"]["left_out"]
    assert "nobody has signed the certificate, so anybody may have written it." in flat(told)
    if left_out:
        assert re.search(
            r"^0\.6-closeness of disease \(equal.* +0\.6 +not verifiable *$", told, re.M
        )
        assert "Not verifiable from outside: 0.6-closeness" in flat(told)
        assert told.endswith("1 of 2 claims verified; 1 not verifiable from outside: release\n")
    strict = run("release", "--strict", code=1)
    assert "hedgerow verify --strict: nobody has signed the certificate" in strict.stderr
    assert run("release/certificate.json").stdout == told
    assert run("release", "-q").stdout == ""


def test_with_the_plan(folder: Path) -> None:
    assert "1 of 2 claims verified" in run("release", "--plan", "plan.yaml").stdout
    (folder / "plan.yaml").write_text(PLAN.replace("k-anonymity: 5", "k-anonymity: 6"))
    told = run("release", "--plan", "plan.yaml", code=1).stdout
    assert "Refuted: plan: the plan does not ask for 5-anonymity." in told


def test_json(folder: Path) -> None:
    told = json.loads(run("release", "--json").stdout)
    assert list(told) == ["release", "refuted", "checks", "claims"]
    assert told["refuted"] == []
    assert set(told["claims"][0]) == {"claim", "verdict", "level", "required", "stated", "why"}


def test_a_changed_cell(folder: Path) -> None:
    path = folder / "release/data.csv"
    lines = path.read_text().splitlines()
    lines[1] = "elsewhere" + lines[1][lines[1].index(",") :]
    path.write_text("\n".join(lines) + "\n")
    told = run("release", code=1).stdout
    assert re.search(r"^5-anonymity +1 +5 +refuted *$", told, re.M)
    assert "Refuted: file: data.csv is not the file the certificate was written for" in flat(told)
    assert "do not rely on this release" in told
    assert json.loads(run("release", "--json", code=1).stdout)["refuted"]
    assert run("release", "-q", code=1).stdout == ""


def test_signed(folder: Path) -> None:
    key = Ed25519PrivateKey.generate()
    private, public = folder / "key.pem", folder / "public.pem"
    private.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    public.write_bytes(
        key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    )
    run("release", "--key", str(public), code=1)
    path = folder / "release/certificate.json"
    path.write_text(as_text(sign(json.loads(path.read_text()), private)))
    assert "the key given" in flat(run("release", "--key", str(public)).stdout)
    assert "whose key that is was not checked" in flat(run("release").stdout)


@pytest.mark.parametrize(
    ("command", "why"),
    [
        (["nowhere"], "there is no such file"),
        (["release/data.csv"], "without a certificate only a plan"),
        ([".", "--json"], "no certificate.json in"),
        (["release", "--key", "plan.yaml"], "is no public key"),
        (["release", "--plan", "nowhere.yaml"], "nowhere.yaml"),
        (["nowhere.csv", "--plan", "plan.yaml"], "there is no such file"),
    ],
)
def test_wrong_input(folder: Path, command: list[str], why: str) -> None:
    done = run(*command, code=2)
    assert why in done.stderr
    assert "Traceback" not in done.stderr
    if "--json" in command:
        assert why in json.loads(done.stdout)["error"]["what"]


def test_a_file_of_another_tool(folder: Path) -> None:
    rows = [{"age": "*", "zip": "1**", "sex": "F", "disease": "ab"[i % 2]} for i in range(10)]
    recipients.write_csv(folder / "other.csv", rows)
    told = run("other.csv", "--plan", "plan.yaml").stdout
    assert re.search(r"^5-anonymity +10 +5 +verified *$", told, re.M)
    assert "nothing says whether people were left out" in flat(told)
    assert "columns: the file has no 'salary'." in told


def test_nothing_is_claimed(folder: Path) -> None:
    path = folder / "release/certificate.json"
    certificate = json.loads(path.read_text())
    certificate["claims"] = certificate["plan"]["protect"] = []
    path.write_text(as_text(certificate))
    assert "claims nothing, so there is nothing to verify" in run("release", code=2).stderr


def test_words_of_another_version_are_not_vouched_for(folder: Path) -> None:
    path = folder / "release/certificate.json"
    certificate = json.loads(path.read_text())
    certificate["software"]["version"] = "0.0.1"
    certificate["protected"] = "Everybody is safe."
    certificate["claims"][0]["not_verifiable"] = "verified by an auditor"
    path.write_text(as_text(certificate))
    told = flat(run("release").stdout)
    assert "words: they are of version 0.0.1, and this is " in told
    assert "not checked" in told
    assert "safe" not in told
    assert "auditor" not in told


@pytest.mark.parametrize("text", ["1e999", '"\\ud800"', "1" * 400, "[" * 30 + "]" * 30])
@pytest.mark.parametrize("signed", [False, True])
def test_what_no_certificate_holds(folder: Path, text: str, signed: bool) -> None:
    """It is an edit like any other, and nothing that ends in a message about the program."""
    path = folder / "release/certificate.json"
    if signed:
        private = folder / "key.pem"
        key = Ed25519PrivateKey.generate()
        private.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
        path.write_text(as_text(sign(json.loads(path.read_text()), private)))
    path.write_text(path.read_text().replace('"search": {', f'"search": {{"x": {text},', 1))
    assert "Refuted: form: " in run("release", code=1).stdout
    assert json.loads(run("release", "--json", code=1).stdout)["refuted"]


def test_control_characters_do_not_reach_the_terminal(folder: Path) -> None:
    path = folder / "release/data.csv"
    path.write_text(path.read_text().replace("age,", "\x1b[31mage,", 1))
    assert "\x1b" not in run("release", code=1).stdout
