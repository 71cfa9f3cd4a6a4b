"""The maker of noisy tables that agree, and of synthetic rows that fit them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from hedgerow.answers.charge import Charge, address_of, source_of
from hedgerow.answers.unit_of_privacy import Unit
from hedgerow.base.delivery import TABLES
from hedgerow.base.errors import PlanError
from hedgerow.engines.base import TablePlace
from hedgerow.plan.plan import Plan
from hedgerow.release.charge.maker import ChargedMaker
from hedgerow.release.maker import Certificate
from hedgerow.release.noisy.files import FileForm, NoisyFiles
from hedgerow.release.noisy.release import RandomisedRelease
from hedgerow.release.options import Options
from hedgerow.synthesis.noisy_numbers import Drawn
from hedgerow.synthesis.request import SynthesisRequest
from hedgerow.synthesis.tables_and_rows import rehearse
from hedgerow.synthesis.tables_file import lines_of
from hedgerow.synthesis.texts import refuse_alike
from hedgerow.table.certificate_file import read_data

KIND = "randomised"
"""What the ledger calls it."""


class NoisyMaker(ChargedMaker[Drawn]):
    """Tables of counts with noise, and made-up rows if the plan asks for them, on their way.

    The same request is answered with the same noisy numbers. So another format, or rows in
    addition, cost nothing more; another price, other tables or another source do.
    """

    name = "a randomised release"
    drawn = "the noisy numbers are"

    def __init__(self, plan: Plan, data: Any, options: Options) -> None:
        super().__init__(plan, data, options)
        if (table := self.destination.table) is not None:
            raise PlanError(
                "a randomised release is several tables of counts, with what is made of them, and "
                f"{table.name!r} would be one table",
                where=plan.where("publish"),
                fix="Name a folder: `publish: {to: release}`. A release with `search: safe` can be "
                "a table.",
            )
        self.form = FileForm(
            format=self.destination.form,
            escaped=self.destination.escaped,
            rows=plan.method.synthetic,
        )
        self.request = SynthesisRequest.of(plan)
        refuse_alike(self.request, escaped=self.form.escaped)
        rehearse(self.request)

    @cached_property
    def charge(self) -> Charge:
        """For all tables together."""
        request = self.request
        return Charge(
            population=request.population,
            asked={"kind": KIND, "source": source_of(self.plan, self.data)} | request.as_json(),
            what={"kind": KIND, "name": self.destination.name, "tables": len(request.tables)},
            unit=Unit.of(request.public, request.person),
            design=request.design,
            source=address_of(self.plan, self.data),
            others=self.plan.other_people_than,
        )

    def draw(self, noisy: Any, tip: Mapping[str, Any]) -> Drawn:
        """The noisy numbers."""
        return Drawn.of(self.request, noisy, tip)

    def read_kept(self, content: bytes) -> Drawn:
        """The noisy numbers."""
        return Drawn.read(content)

    def files(self, kept: Drawn) -> NoisyFiles:
        """The tables that agree, and the rows."""
        self.options.say("making tables agree")
        return NoisyFiles.of(kept, self.form)

    def release(
        self,
        kept: Drawn,
        certificate: Certificate,
        home: Path | TablePlace,
        *,
        in_memory: bool,
        again: bool,
    ) -> RandomisedRelease:
        """The tables, and the made-up rows where there are some."""
        assert isinstance(home, Path), "it is no table"
        data = certificate["data"]
        tables: Any = home / TABLES
        rows: Any = None if data is None else home / str(data["file"])
        if in_memory:
            columns = certificate["counts"]["columns"]
            tables = lines_of(tables, columns, escaped=self.form.escaped)
            rows = None if rows is None else read_data(rows)
        return RandomisedRelease(
            certificate=certificate, tables=tables, data=rows, position=self.position, again=again
        )
