"""Noisy tables and synthetic rows as a kind of release."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hedgerow.plan.plan import Plan
from hedgerow.release.kind import ReleaseKind
from hedgerow.table.certificate_file import RANDOMISED

if TYPE_CHECKING:
    from hedgerow.engines.base import TablePlace
    from hedgerow.release.noisy.certificate_schema import RandomisedCertificate
    from hedgerow.release.noisy.maker import NoisyMaker
    from hedgerow.release.noisy.verification import StatedRelease
    from hedgerow.release.options import Options
    from hedgerow.release.verdicts import Verdicts


class RandomisedKind(ReleaseKind):
    """Tables of counts with noise that agree, and made-up rows that fit them."""

    name = "randomised"
    family = RANDOMISED
    version = 2
    may_be_table = False
    unsaid = "list the release's files"
    renewal = "Publish the release anew with its ledger: it costs nothing more."

    def makes(self, plan: Plan) -> bool:
        """A plan that asks for marginals."""
        return plan.method.search == "marginals"

    def maker(self, plan: Plan, data: Any, options: Options) -> NoisyMaker:
        """Charges, draws noise, makes the tables agree."""
        from hedgerow.release.noisy.maker import NoisyMaker

        return NoisyMaker(plan, data, options)

    def schema(self) -> type[RandomisedCertificate]:
        """What was published with noise, how much noise, and what that means."""
        from hedgerow.release.noisy.certificate_schema import RandomisedCertificate

        return RandomisedCertificate

    def stated(self, certificate: Mapping[str, Any]) -> StatedRelease:
        """The request, the noise and the loss."""
        from hedgerow.release.noisy.verification import stated

        return stated(certificate)

    def check(
        self, certificate: Mapping[str, Any], stated: StatedRelease, place: Path | TablePlace,
        plan: Plan | None,
    ) -> Verdicts:  # fmt: skip
        """Compute again what follows from the noisy numbers."""
        from hedgerow.release.noisy.verification import check_randomised

        assert isinstance(place, Path), "it is no table"
        return check_randomised(certificate, stated, place, plan)

    def made_again(
        self, content: bytes, certificate: Mapping[str, Any], folder: Path
    ) -> dict[str, Any]:
        """From the noisy numbers."""
        from hedgerow.release.noisy.files import made_again

        return made_again(content, certificate, folder)

    def other_drawn(self, made: Mapping[str, Any], folder: Path, release: Path) -> str | None:
        """The noisy numbers; counts may come out otherwise on another machine."""
        from hedgerow.base.delivery import TABLES
        from hedgerow.synthesis.tables_file import lines_of

        names = made["counts"]["columns"]
        escaped = made["software"]["configured"]["escape_formulas"]
        here, there = (lines_of(f / TABLES, names, escaped=escaped) for f in (folder, release))
        return None if here.drop([names[-1]]).equals(there.drop([names[-1]])) else "noisy numbers"
