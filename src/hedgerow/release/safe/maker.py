"""The maker of safe releases: groups of a sample, differentially private."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hedgerow.answers.charge import Charge, address_of, source_of
from hedgerow.answers.unit_of_privacy import Unit
from hedgerow.base.canonical_json import digest
from hedgerow.base.errors import PlanError
from hedgerow.engines.base import TablePlace
from hedgerow.noise.sampling.measure import SampleOrigin
from hedgerow.plan.plan import Plan
from hedgerow.release.charge.maker import ChargedMaker
from hedgerow.release.destination import refuse_escaped
from hedgerow.release.maker import Certificate
from hedgerow.release.options import Options
from hedgerow.release.safe.design import Sampling
from hedgerow.release.safe.file import SafeFile
from hedgerow.release.safe.public_levels import refuse_itself
from hedgerow.release.safe.record import SafeRecord
from hedgerow.release.safe.release import SafeRelease
from hedgerow.release.safe.request import SafeRequest
from hedgerow.table.certificate_file import read_data

if TYPE_CHECKING:
    from hedgerow.engines.base import Engine

KIND = "safe"
"""What the ledger calls it."""


class SafeMaker(ChargedMaker[SafeRecord]):
    """A table of a random sample in groups of at least k, on its way.

    The same request is answered with the same groups. Another format costs nothing more; anything
    else does.
    """

    name = "a safe release"
    drawn = "what was drawn is"

    def __init__(self, plan: Plan, data: Any, options: Options) -> None:
        super().__init__(plan, data, options)
        escaped = self.destination.escaped
        if (table := self.destination.table) is not None and escaped:
            refuse_escaped(table)
        self.request = SafeRequest.of(plan)
        self.request.require_writable(escaped=escaped)
        # What must fail fails before it costs.
        self.request.terms.loss.amounts()
        if options.anew and self.request.terms.drawn is SampleOrigin.BEFORE:
            raise PlanError(
                "the table is the sample, so there is no other that could be published",
                fix="Leave --anew out; the same release is made again for nothing.",
            )
        if (public := plan.method.levels_from) is not None:
            self.inputs = (public,)

    def refuse(self, engine: Engine) -> None:
        """Refuse the source as the public table from which levels are chosen."""
        refuse_itself(self.plan, self.request.columns, engine)

    @cached_property
    def charge(self) -> Charge:
        """For the draw, and for the choice of levels."""
        request, terms = self.request, self.request.terms
        asked = {"kind": KIND, "source": source_of(self.plan, self.data)} | request.as_json()
        return Charge(
            population=request.population,
            asked=asked,
            what={"kind": KIND, "name": self.destination.name, "terms": terms.as_json()},
            unit=Unit(
                neighbours=terms.neighbours,
                person=request.person,
                words=terms.protects,
                sample=digest(asked) if terms.drawn is SampleOrigin.BEFORE else None,
            ),
            design=Sampling(request),
            source=address_of(self.plan, self.data),
            others=self.plan.other_people_than,
            doing="drawing people"
            if terms.drawn is SampleOrigin.HERE
            else "leaving out small groups",
        )

    def draw(self, noisy: Any, tip: Mapping[str, Any]) -> SafeRecord:
        """The published groups."""
        return SafeRecord.of(self.request, noisy, tip)

    def read_kept(self, content: bytes) -> SafeRecord:
        """The published groups."""
        return SafeRecord.read(content)

    def files(self, kept: SafeRecord) -> SafeFile:
        """A row for each person who was drawn."""
        return SafeFile(kept, self.destination.format, self.destination.escaped)

    def release(
        self,
        kept: SafeRecord,
        certificate: Certificate,
        home: Path | TablePlace,
        *,
        in_memory: bool,
        again: bool,
    ) -> SafeRelease:
        """The rows, and what they cost."""
        data: Any = home
        if isinstance(home, Path):
            file = home / str(certificate["data"]["file"])
            data = read_data(file) if in_memory else file
        return SafeRelease(
            certificate=certificate,
            data=data,
            position=self.position,
            groups=len(kept.counts),
            again=again,
        )
