"""Safe samples as a kind of release."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hedgerow.base.delivery import DATA
from hedgerow.base.errors import HedgerowError
from hedgerow.plan.plan import Plan
from hedgerow.release.kind import ReleaseKind
from hedgerow.table.certificate_file import SAFE, read_data

if TYPE_CHECKING:
    from hedgerow.engines.base import TablePlace
    from hedgerow.release.options import Options
    from hedgerow.release.safe.certificate_schema import SafeCertificate
    from hedgerow.release.safe.maker import SafeMaker
    from hedgerow.release.safe.record import SafeRecord
    from hedgerow.release.verdicts import Verdicts


class SafeKind(ReleaseKind):
    """Rows of people who were drawn, in groups of at least k."""

    name = "safe"
    family = SAFE
    version = 2
    unsaid = "list the release's files"
    renewal = "Publish the release anew with its ledger: it costs nothing more."

    def makes(self, plan: Plan) -> bool:
        """A plan that asks for a safe sample."""
        return plan.method.search == "safe"

    def maker(self, plan: Plan, data: Any, options: Options) -> SafeMaker:
        """Charges, draws people, suppresses small groups."""
        from hedgerow.release.safe.maker import SafeMaker

        return SafeMaker(plan, data, options)

    def schema(self) -> type[SafeCertificate]:
        """What was published of a sample, how people were drawn, and what that means."""
        from hedgerow.release.safe.certificate_schema import SafeCertificate

        return SafeCertificate

    def stated(self, certificate: Mapping[str, Any]) -> SafeRecord:
        """The request and the levels, with no rows yet."""
        from hedgerow.release.safe.verification import stated

        return stated(certificate)

    def check(
        self, certificate: Mapping[str, Any], stated: SafeRecord, place: Path | TablePlace,
        plan: Plan | None,
    ) -> Verdicts:  # fmt: skip
        """Compute k and the loss again, and count the groups."""
        from hedgerow.release.safe.verification import check_safe

        return check_safe(certificate, stated, place, plan)

    def made_again(
        self, content: bytes, certificate: Mapping[str, Any], folder: Path
    ) -> dict[str, Any]:
        """From the published groups."""
        from hedgerow.release.safe.file import made_again

        return made_again(content, certificate, folder)

    def other_drawn(self, made: Mapping[str, Any], folder: Path, release: Path) -> str | None:
        """The rows."""
        file = str(made["data"]["file"])
        if file not in DATA.values():
            return None
        try:
            same = read_data(folder / file).equals(read_data(release / file))
        except HedgerowError:
            same = False
        return None if same else "rows"
