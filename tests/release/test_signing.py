"""Signatures: keys as openssl and ssh-keygen write them, and everything that is none."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import hedgerow
from hedgerow.api.verification import verify
from hedgerow.base.errors import DataError
from hedgerow.claims import KAnonymity
from hedgerow.release.certificate_text import as_text
from hedgerow.release.signature import PASSPHRASE, fingerprint, is_signed_by, read_public, sign

PRIVATE = {
    "pem": (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8),
    "ssh": (serialization.Encoding.PEM, serialization.PrivateFormat.OpenSSH),
}
PUBLIC = {
    "pem": (serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo),
    "ssh": (serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH),
}


def write_pair(
    folder: Path, form: str = "pem", *, secret: str | None = None, key: Any = None
) -> tuple[Path, Path]:
    """A private and a public key file."""
    key = key or ed25519.Ed25519PrivateKey.generate()
    lock = (
        serialization.BestAvailableEncryption(secret.encode())
        if secret
        else serialization.NoEncryption()
    )
    private, public = folder / f"{form}.key", folder / f"{form}.pub"
    private.write_bytes(key.private_bytes(*PRIVATE[form], lock))
    public.write_bytes(key.public_key().public_bytes(*PUBLIC[form]))
    return private, public


@pytest.fixture
def release(tmp_path: Path) -> Path:
    hedgerow.publish(
        pd.DataFrame({"town": ["x"] * 5, "illness": list("abcde")}),
        columns={"town": "quasi-identifier", "illness": "sensitive"},
        protect=[KAnonymity(k=5)],
        to=tmp_path / "release",
    )
    return tmp_path / "release"


def signed(release: Path, key: Path) -> dict[str, Any]:
    path = release / "certificate.json"
    certificate = sign(json.loads(path.read_text("utf-8")), key)
    path.write_text(as_text(certificate), "utf-8")
    return certificate


def signature(release: Path, key: Path | None = None) -> tuple[str, str]:
    found = verify(release, key=key)
    return next((c.verdict, c.why) for c in found.checks if c.what == "signature")


@pytest.mark.parametrize("form", ["pem", "ssh"])
@pytest.mark.parametrize("secret", [None, "correct horse"])
def test_signed_and_verified(
    release: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str, secret: str | None
) -> None:
    private, public = write_pair(tmp_path, form, secret=secret)
    if secret:
        monkeypatch.setenv(PASSPHRASE, secret)
    certificate = signed(release, private)
    assert set(certificate["signature"]) == {"algorithm", "public_key", "value"}
    name = fingerprint(read_public(public))
    verdict, why = signature(release)
    assert (verdict, why) == ("verified", f"signed by {name}; whose key that is was not checked")
    assert signature(release, public) == ("verified", f"signed by {name}, the key given")
    assert verify(release, key=public).refuted == ()


def as_reformatted(value: Any) -> Any:
    """As tools that know one kind of number write it."""

    def number(text: str) -> int | float:
        return int(float(text)) if float(text).is_integer() else float(text)

    return json.loads(json.dumps(value), parse_float=number)


def test_the_signature_is_over_canonical_json(release: Path, tmp_path: Path) -> None:
    """By hand: sorted keys, no spaces, UTF-8, 2 for 2.0, everything but the signature."""
    key = ed25519.Ed25519PrivateKey.generate()
    private, public = write_pair(tmp_path, key=key)
    certificate = signed(release, private)
    rest = as_reformatted(certificate)
    del rest["signature"]
    message = json.dumps(rest, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    value = base64.b64decode(certificate["signature"]["value"])
    key.public_key().verify(value, message)
    assert sign(certificate, private) == certificate, "Ed25519 has one signature a message"
    # Reformatting is no change to the signature, whether 2.0 becomes 2 by it or not; to the text
    # it is one.
    path = release / "certificate.json"
    for text in (json.dumps(certificate), json.dumps(as_reformatted(certificate))):
        path.write_text(text, "utf-8")
        assert signature(release, public)[0] == "verified"
        assert [why.split(":")[0] for why in verify(release).refuted] == ["certificate text"]
    assert '"level": 2.0' not in text


def test_what_cannot_be_written_down_was_not_signed(release: Path, tmp_path: Path) -> None:
    private, public = write_pair(tmp_path)
    certificate = signed(release, private)
    assert is_signed_by(certificate, read_public(public))
    for strange in (float("inf"), "\ud800", {1: 2}):
        assert not is_signed_by(certificate | {"population": strange}, read_public(public))


def test_unsigned(release: Path, tmp_path: Path) -> None:
    _, public = write_pair(tmp_path)
    why = "nobody has signed the certificate, so anybody may have written it"
    assert signature(release) == ("not verifiable", why)
    assert signature(release, public) == ("refuted", why)


def test_signed_by_somebody_else(release: Path, tmp_path: Path) -> None:
    private, _ = write_pair(tmp_path, "pem")
    _, other = write_pair(tmp_path, "ssh")
    signed(release, private)
    verdict, why = signature(release, other)
    assert verdict == "refuted"
    assert f"not by {fingerprint(read_public(other))}" in why


def leaves(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    if isinstance(value, dict):
        return [p for k, v in value.items() for p in leaves(v, (*path, k))]
    if isinstance(value, list):
        return [p for k, v in enumerate(value) for p in leaves(v, (*path, k))]
    return [path]


def refused(release: Path, public: Path) -> bool:
    """Whether somebody who trusts the key is told that something is wrong."""
    try:
        found = verify(release, key=public).refuted
    except DataError:
        return True  # it is no certificate any more
    return any(text.startswith(("signature: ", "form: ")) for text in found)


@settings(
    max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_no_edit_survives_a_signature(release: Path, tmp_path: Path, data: st.DataObject) -> None:
    original = (release / "certificate.json").read_bytes()
    private, public = write_pair(tmp_path)
    certificate = signed(release, private)
    assert not refused(release, public)
    path = data.draw(st.sampled_from(leaves(certificate)))
    place = certificate
    for step in path[:-1]:
        place = place[step]
    new = data.draw(st.sampled_from([True, False, None, 0, 1, 2.5, "x", "data.parquet"]))
    try:
        changed = json.dumps(as_reformatted(place[path[-1]])) != json.dumps(as_reformatted(new))
        place[path[-1]] = new
        (release / "certificate.json").write_text(as_text(certificate), "utf-8")
        assert refused(release, public) == changed
    finally:
        (release / "certificate.json").write_bytes(original)


@pytest.mark.parametrize("part", ["value", "public_key"])
def test_an_edited_signature(release: Path, tmp_path: Path, part: str) -> None:
    private, public = write_pair(tmp_path)
    certificate = signed(release, private)
    raw = bytearray(base64.b64decode(certificate["signature"][part]))
    raw[3] ^= 1
    for text in (
        base64.b64encode(bytes(raw)).decode(),
        "AAAA",
        base64.b64encode(raw[:-1]).decode(),
    ):
        certificate["signature"][part] = text
        (release / "certificate.json").write_text(as_text(certificate), "utf-8")
        for key in (None, public):
            verdict, why = signature(release, key)
            assert verdict == "refuted"
            assert "not that of this certificate" in why


def test_keys_that_are_none(tmp_path: Path) -> None:
    private, public = write_pair(tmp_path)
    garbage = tmp_path / "garbage"
    garbage.write_bytes(b"\x00\xffno key")
    empty = tmp_path / "empty"
    empty.write_bytes(b"")
    large = tmp_path / "large"
    large.write_bytes(b"-" * 100_000)
    other = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    rsa_private, rsa_public = write_pair(tmp_path, "ssh", key=other)
    for path, why in (
        (tmp_path / "missing", "the key cannot be read"),
        (tmp_path, "the key cannot be read"),
        (garbage, "is no private key"),
        (empty, "is no private key"),
        (large, "too large for a key"),
        (public, "is a public key, and signing needs the private one"),
        (rsa_private, r"is a key of another kind \(RSA\)"),
    ):
        with pytest.raises(DataError, match=why):
            sign({}, path)
    for path, why in (
        (tmp_path / "missing", "the key cannot be read"),
        (garbage, "is no public key"),
        (empty, "is no public key"),
        (private, "is a private key"),
        (rsa_public, r"is a key of another kind \(RSA\)"),
    ):
        with pytest.raises(DataError, match=why):
            read_public(path)
    elliptic = tmp_path / "elliptic.pem"
    elliptic.write_bytes(
        ec.generate_private_key(ec.SECP256R1()).private_bytes(
            *PRIVATE["pem"], serialization.NoEncryption()
        )
    )
    with pytest.raises(DataError, match="another kind"):
        sign({}, elliptic)


@pytest.mark.parametrize("form", ["pem", "ssh"])
def test_passphrases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str) -> None:
    private, _ = write_pair(tmp_path, form, secret="right")
    monkeypatch.delenv(PASSPHRASE, raising=False)
    with pytest.raises(DataError, match="encrypted, and there is no passphrase"):
        sign({}, private)
    monkeypatch.setenv(PASSPHRASE, "wrong")
    with pytest.raises(DataError, match="is the passphrase right"):
        sign({}, private)
    monkeypatch.setenv(PASSPHRASE, "right")
    assert sign({}, private)["signature"]
    # One that is set for another key does no harm.
    plain, _ = write_pair(tmp_path, form)
    assert sign({}, plain)["signature"]


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")
def test_the_commands_of_the_documentation(release: Path, tmp_path: Path) -> None:
    for command in (
        "openssl genpkey -algorithm ed25519 -out key.pem",
        "openssl pkey -in key.pem -pubout -out public.pem",
    ):
        assert command in (Path(__file__).parents[2] / "docs/certificate.md").read_text("utf-8")
        subprocess.run(command.split(), cwd=tmp_path, check=True, capture_output=True)
    signed(release, tmp_path / "key.pem")
    assert signature(release, tmp_path / "public.pem")[0] == "verified"


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not installed")
def test_the_fingerprint_is_that_of_ssh_keygen(tmp_path: Path) -> None:
    _, public = write_pair(tmp_path, "ssh")
    told = subprocess.run(
        ["ssh-keygen", "-l", "-f", str(public)], capture_output=True, text=True, check=True
    )
    assert fingerprint(read_public(public)) in told.stdout


def test_publishing_without_a_key_does_not_load_cryptography(tmp_path: Path) -> None:
    code = (
        "import sys, pandas as pd, hedgerow; "
        "hedgerow.publish(pd.DataFrame({'q': ['x', 'x']}), columns={'q': 'quasi-identifier'}, "
        "protect=[hedgerow.KAnonymity(k=2)]); "
        "print(*{'cryptography', 'sqlite3'} & {*sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
