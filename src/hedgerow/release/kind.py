"""ReleaseKind: all that the life cycle, the certificate and `verify` must know of a kind."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from hedgerow.base.errors import DataError

if TYPE_CHECKING:
    from hedgerow.engines.base import TablePlace
    from hedgerow.plan.plan import Plan
    from hedgerow.release.certificate_parts import Form
    from hedgerow.release.maker import Maker
    from hedgerow.release.options import Options
    from hedgerow.release.verdicts import Verdicts

KindName = Literal["recoded", "randomised", "safe"]


class ReleaseKind(ABC):
    """One kind of release; what is heavy is loaded when it is asked for."""

    name: ClassVar[KindName]
    family: ClassVar[str]
    """How the formats of its certificates begin."""
    version: ClassVar[int]
    """Of the format that is written now."""
    oldest: ClassVar[int] = 1
    may_be_table: ClassVar[bool] = True
    """Whether it may be a table of a database or a cluster."""
    unsaid: ClassVar[str]
    """What older certificates do not say, so that they cannot be verified."""
    renewal: ClassVar[str]
    """What to do about an older one."""

    @property
    def format(self) -> str:
        """Of the certificates that are written now."""
        return f"{self.family}{self.version}"

    @abstractmethod
    def makes(self, plan: Plan) -> bool:
        """Whether a plan asks for it."""

    @abstractmethod
    def maker(self, plan: Plan, data: Any, options: Options) -> Maker:
        """A release on its way.

        Args:
            plan: The plan.
            data: The table, where it is not the plan's source.
            options: Where to, and how.

        Raises:
            PlanError: Something does not go with it.
        """

    @abstractmethod
    def schema(self) -> type[Form]:
        """The form of its certificates."""

    @abstractmethod
    def stated(self, certificate: Mapping[str, Any]) -> Any:
        """What a certificate of the right form says.

        Raises:
            HedgerowError: It makes no sense.
        """

    @abstractmethod
    def check(
        self,
        certificate: Mapping[str, Any],
        stated: Any,
        place: Path | TablePlace,
        plan: Plan | None,
    ) -> Verdicts:
        """Check what a certificate says on what is at its place.

        Args:
            certificate: The certificate.
            stated: What it says.
            place: The release: a folder, or a table.
            plan: The plan that it must keep, where one is given.
        """

    def made_again(
        self, content: bytes, certificate: Mapping[str, Any], folder: Path
    ) -> dict[str, Any] | None:
        """Make it again from what the ledger keeps; None where that is not enough.

        Args:
            content: What the ledger keeps.
            certificate: Says the form of the files.
            folder: Where they go.
        """
        return None

    def other_drawn(self, made: Mapping[str, Any], folder: Path, release: Path) -> str | None:
        """In what a release has other numbers or rows than one that was made again.

        Args:
            made: The certificate of the one that was made again.
            folder: Where that is.
            release: The folder of the release.
        """
        return None

    def refuse_unverifiable(self, certificate: Mapping[str, Any], where: str) -> None:
        """Refuse a certificate that this version cannot judge.

        Raises:
            DataError: It is of another version.
        """
        found = certificate.get("format")
        if found == self.format:
            return
        older = [f"{self.family}{number}" for number in range(self.oldest, self.version)]
        if found in older:
            what = f"is too old to be verified: it does not {self.unsaid}"
            raise DataError(what, where=where, fix=self.renewal)
        raise DataError(
            f"has the format {found!r}, which this version does not know",
            where=where,
            fix="Use a newer version of hedgerow.",
        )
