"""Maker: what one kind of release does in its own way, on the one way that all releases go."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol

from hedgerow.base.errors import HedgerowError, interrupted
from hedgerow.release.companions import Companions
from hedgerow.release.delivery_state import DeliveryState
from hedgerow.release.destination import Destination, Staged
from hedgerow.release.options import Options

Certificate = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Record:
    """What the ledger has of a release, in words for somebody whose run ends before its end."""

    seq: int
    """The entry that reserved it."""
    what: str
    """What is in the ledger, such as "the noisy numbers are"."""
    means: str
    """What that means, as a sentence."""
    repeat: str = "Run it again"
    """What to do if the release is not at its place."""

    def interrupted(self, delivery: DeliveryState) -> str:
        """What somebody hears who stopped the run."""
        there = delivery.there
        return (
            f"interrupted; {self.what} in the ledger (reserved as entry {self.seq}), and the "
            f"release {there} at its place" + ("" if there == "is" else f". {self.repeat}")
        )


class Maker(Protocol):
    """One release on its way. `publish` calls the steps in the order in which they stand here.

    What a step returns is handed to the next; what it is differs from kind to kind.
    """

    options: Options
    destination: Destination
    companions: Companions

    def opened(self) -> AbstractContextManager[None]:
        """Open the ledger, if there is one, and refuse what the options do not fit."""
        ...

    def recall(self) -> Any | None:
        """What the ledger keeps of the same request; None where it has not been made before.

        Whatever must be refused before anything is reserved or charged is refused here.
        """
        ...

    def at_place(self, kept: Any) -> Certificate | None:
        """The certificate of the same release, if it is at its place, untouched."""
        ...

    def told_again(self, kept: Any, certificate: Certificate) -> Any:
        """The release that is at its place already."""
        ...

    def made(self, kept: Any | None) -> AbstractContextManager[Any]:
        """Reserve and make it, or take what is kept; what fails is recorded as failed."""
        ...

    def staged(self, made: Any, delivery: DeliveryState) -> AbstractContextManager[Staged]:
        """The hidden place in which it is written."""
        ...

    def write(self, made: Any, staged: Staged) -> Any:
        """Write the data where nobody sees them."""
        ...

    def read_back(self, written: Any, staged: Staged) -> Any:
        """Read what was written, as a recipient would."""
        ...

    def judge(self, read: Any) -> Any:
        """Judge the claims on what was read.

        Raises:
            ClaimError: One does not hold.
            DataError: Something else came out than was written.
        """
        ...

    def certify(self, judged: Any, staged: Staged) -> Certificate:
        """The certificate, with all that goes with the release listed, not signed yet."""
        ...

    def record(self, judged: Any, certificate: Certificate) -> None:
        """Write it down in the ledger, unless it is there by now."""
        ...

    @property
    def recorded(self) -> Record | None:
        """What the ledger has of it; None as long as it does not count as published."""
        ...

    def finish(self, judged: Any, certificate: Certificate, staged: Staged) -> Any:
        """Write what stays inside; the release, which is at its place."""
        ...


@contextlib.contextmanager
def told_of_record(maker: Maker, delivery: DeliveryState) -> Iterator[None]:
    """Whoever is stopped when the ledger has the release hears so."""
    try:
        yield
    except BaseException as error:
        record = maker.recorded
        if record is None:
            raise
        if interrupted(error):
            raise KeyboardInterrupt(record.interrupted(delivery)) from None
        if isinstance(error, HedgerowError):
            error.fix = f"{error.fix} {record.means}" if error.fix else record.means
        raise
