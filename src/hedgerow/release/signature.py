"""Signatures: whose certificate it is, by a key pair of Ed25519.

What is signed is the canonical JSON of the certificate without its signature, numbers by their
value, so that nobody who reformats the file breaks it and nobody who changes a word keeps it.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hedgerow.base.canonical_json import canonical
from hedgerow.base.errors import DataError, HedgerowError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import (
        Ed25519PrivateKey,
        Ed25519PublicKey,
    )

ALGORITHM = "ed25519"
PASSPHRASE = "HEDGEROW_KEY_PASSPHRASE"  # noqa: S105 (the name of the variable, not its content)
LARGEST = 64 * 1024
"""Bytes of a key file; nobody has a larger one."""
MAKE = "Make one with: openssl genpkey -algorithm ed25519 -out key.pem"
SHOW = "Write it with: openssl pkey -in key.pem -pubout -out public.pem"


def sign(certificate: Mapping[str, Any], key: str | os.PathLike[str]) -> dict[str, Any]:
    """The certificate with a signature; one it had before is replaced.

    Args:
        certificate: The certificate.
        key: File of a private key, PEM (PKCS #8) or OpenSSH. Where it is encrypted, the
            environment's HEDGEROW_KEY_PASSPHRASE has the passphrase.

    Raises:
        DataError: The file has no such key, or the passphrase is wrong.
    """
    private = read_private(Path(key))
    value = private.sign(signed_bytes(certificate))
    return dict(certificate) | {
        "signature": {
            "algorithm": ALGORITHM,
            "public_key": _text(private.public_key().public_bytes_raw()),
            "value": _text(value),
        }
    }


def signed_bytes(certificate: Mapping[str, Any]) -> bytes:
    """What is signed: everything but the signature.

    Tools that reformat JSON write 2.0 as 2, so whole numbers are signed as such.

    >>> signed_bytes({"level": 2.0, "t": 0.5, "signature": {}})
    b'{"level":2,"t":0.5}'

    Raises:
        HedgerowError: Something in it has no canonical form.
    """
    kept = {key: value for key, value in certificate.items() if key != "signature"}
    try:
        return canonical(_by_value(kept))
    except RecursionError:
        raise HedgerowError("this is nested too deeply to be signed") from None


def _by_value(value: Any) -> Any:
    """The same with whole numbers as such, however they were written."""
    if isinstance(value, Mapping):
        return {key: _by_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_by_value(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def is_signed_by(certificate: Mapping[str, Any], public: Ed25519PublicKey) -> bool:
    """Whether the certificate's signature was made with the private key to this public one."""
    from cryptography.exceptions import InvalidSignature

    try:
        value = base64.b64decode(certificate["signature"]["value"], validate=True)
        public.verify(value, signed_bytes(certificate))
    except (InvalidSignature, HedgerowError, binascii.Error, ValueError):
        return False  # what cannot even be written down was not signed by anybody
    return True


def embedded_key(certificate: Mapping[str, Any]) -> Ed25519PublicKey | None:
    """The public key the certificate carries; None where it is none."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        raw = base64.b64decode(certificate["signature"]["public_key"], validate=True)
        return Ed25519PublicKey.from_public_bytes(raw)
    except (binascii.Error, ValueError):
        return None


def fingerprint(public: Ed25519PublicKey) -> str:
    """A short name of a public key, as `ssh-keygen -l` prints it."""
    kind = b"ssh-ed25519"
    raw = public.public_bytes_raw()
    wire = len(kind).to_bytes(4, "big") + kind + len(raw).to_bytes(4, "big") + raw
    return f"SHA256:{_text(hashlib.sha256(wire).digest()).rstrip('=')}"


def read_private(path: Path) -> Ed25519PrivateKey:
    """The private key in a file.

    Raises:
        DataError: There is none of Ed25519, or the passphrase is wrong or missing.
    """
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    content = _content(path, MAKE)
    if _is_public(content):
        raise DataError(
            "is a public key, and signing needs the private one", where=str(path), fix=MAKE
        )
    secret = os.environ.get(PASSPHRASE)
    given = secret.encode() if secret else None
    load = (
        serialization.load_ssh_private_key
        if b"BEGIN OPENSSH PRIVATE KEY" in content
        else serialization.load_pem_private_key
    )
    try:
        try:
            key = load(content, password=given)
        except TypeError:
            # A passphrase for a key that has none is no mistake of the key's.
            if given is None:
                raise
            key = load(content, password=None)
    except TypeError:
        raise _locked(path) from None
    except UnsupportedAlgorithm as error:
        raise DataError(
            f"the key cannot be read here: {error}", where=str(path), fix=MAKE
        ) from None
    except ValueError:
        if _is_encrypted(content):
            if given is None:
                raise _locked(path) from None
            raise DataError(
                "the key cannot be decrypted: is the passphrase right?",
                where=str(path),
                fix=f"The environment variable {PASSPHRASE} must hold it.",
            ) from None
        raise DataError("is no private key", where=str(path), fix=MAKE) from None
    if not isinstance(key, Ed25519PrivateKey):
        raise DataError(
            f"is a key of another kind ({_kind(key)}), and only Ed25519 signs certificates",
            where=str(path),
            fix=MAKE,
        )
    return key


def read_public(path: Path) -> Ed25519PublicKey:
    """The public key in a file, PEM or OpenSSH.

    Raises:
        DataError: There is none of Ed25519.
    """
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    content = _content(path, SHOW)
    if b"PRIVATE KEY" in content:
        raise DataError(
            "is a private key, and a signature is checked with the public one",
            where=str(path),
            fix=SHOW,
        )
    pem = b"-----BEGIN" in content
    load = serialization.load_pem_public_key if pem else serialization.load_ssh_public_key
    try:
        key = load(content.strip())
    except (ValueError, UnsupportedAlgorithm):
        raise DataError("is no public key", where=str(path), fix=SHOW) from None
    if not isinstance(key, Ed25519PublicKey):
        raise DataError(
            f"is a key of another kind ({_kind(key)}), and certificates are signed with Ed25519",
            where=str(path),
            fix=SHOW,
        )
    return key


def _locked(path: Path) -> DataError:
    return DataError(
        "the key is encrypted, and there is no passphrase",
        where=str(path),
        fix=f"Set the environment variable {PASSPHRASE}.",
    )


def _content(path: Path, fix: str) -> bytes:
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise DataError(f"the key cannot be read: {why}", where=str(path), fix=fix) from None
    if len(content) > LARGEST:
        raise DataError("is too large for a key", where=str(path), fix=fix)
    return content


def _is_public(content: bytes) -> bool:
    return b"BEGIN PUBLIC KEY" in content or content.lstrip().startswith(b"ssh-")


def _is_encrypted(content: bytes) -> bool:
    if b"BEGIN OPENSSH PRIVATE KEY" in content:
        # The name of the cipher stands near the beginning; "none" where there is none.
        lines = content.split(b"-----")
        body = b"".join(lines[2].split()) if len(lines) > 2 else b""
        try:
            head = base64.b64decode(body[:64])
        except binascii.Error:
            return False
        return head.startswith(b"openssh-key-v1\0") and b"\0\0\0\x04none" not in head
    return b"ENCRYPTED" in content


def _kind(key: object) -> str:
    return type(key).__name__.removesuffix("PrivateKey").removesuffix("PublicKey").lstrip("_")


def _text(raw: bytes) -> str:
    return base64.b64encode(raw).decode("ascii")
