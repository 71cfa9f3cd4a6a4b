"""Recoded tables as a kind of release."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hedgerow.base.errors import DataError
from hedgerow.plan.methods import PRICED
from hedgerow.plan.plan import Plan
from hedgerow.release.kind import ReleaseKind

if TYPE_CHECKING:
    from hedgerow.engines.base import TablePlace
    from hedgerow.release.options import Options
    from hedgerow.release.partition.certificate_schema import RecodedCertificate
    from hedgerow.release.partition.maker import RecodedMaker
    from hedgerow.release.verdicts import Verdicts


class RecodedKind(ReleaseKind):
    """Records of people in groups, about which claims are made."""

    name = "recoded"
    family = "hedgerow-certificate/"
    version, oldest = 2, 0
    unsaid = "say enough, nor list the release's files"
    renewal = "Publish the release anew; its recoding can be applied again with --recoding."

    def makes(self, plan: Plan) -> bool:
        """Every plan without a price."""
        return plan.method.search not in PRICED

    def maker(self, plan: Plan, data: Any, options: Options) -> RecodedMaker:
        """Counts, chooses a recoding, writes and judges it."""
        from hedgerow.release.partition.maker import RecodedMaker

        return RecodedMaker(plan, data, options)

    def schema(self) -> type[RecodedCertificate]:
        """What was claimed, measured and done."""
        from hedgerow.release.partition.certificate_schema import RecodedCertificate

        return RecodedCertificate

    def stated(self, certificate: Mapping[str, Any]) -> None:
        """The certificate says all itself."""

    def check(
        self, certificate: Mapping[str, Any], stated: None, place: Path | TablePlace,
        plan: Plan | None,
    ) -> Verdicts:  # fmt: skip
        """Judge the claims again on the published table."""
        from hedgerow.release.partition.verification import check_recoded

        return check_recoded(certificate, place, plan)

    def refuse_unverifiable(self, certificate: Mapping[str, Any], where: str) -> None:
        """Also one that claims nothing."""
        super().refuse_unverifiable(certificate, where)
        if certificate.get("claims") == []:
            raise DataError(
                "claims nothing, so there is nothing to verify",
                where=where,
                fix="Ask for the certificate as it was published.",
            )
