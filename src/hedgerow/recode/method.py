"""Method: how people are put into groups that differ in what they publish, on a table or a part."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from hedgerow.claims.anonymity import KAnonymity
from hedgerow.claims.base import PrivacyModel
from hedgerow.recode.axes import Space
from hedgerow.recode.boxes import Boxes
from hedgerow.recode.division import Mode
from hedgerow.recode.lattice import Lattice
from hedgerow.recode.local import local
from hedgerow.recode.metrics import CellMetric
from hedgerow.recode.microaggregation import clustered, microaggregation
from hedgerow.recode.mondrian import divided, mondrian, refuse_unfit
from hedgerow.recode.parts import Progress, refuse_population
from hedgerow.recode.recoding import Recoding
from hedgerow.table.cells import Cells


@dataclass(frozen=True, eq=False, kw_only=True)
class RecodingMethod:
    """Mondrian, microaggregation or local recoding, with what each has to know."""

    search: Literal["mondrian", "microaggregation", "local"]
    models: tuple[PrivacyModel, ...]
    mode: Mode = "strict"
    """Mondrian: whether people with the same value must stay on one side of a cut."""
    boxes: Boxes = "ranges"
    """Mondrian: what groups are published as."""
    k: int = 1
    """Microaggregation: people each cluster must have."""
    metric: CellMetric | None = None
    """Local recoding: orders the nodes, and says what suppressing counts."""
    weights: tuple[float, ...] = ()
    """Of each quasi-identifier, how much it matters; alike where there are none."""
    bounds: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """Local recoding: the lowest and highest level of the columns that have some."""

    def recode(self, cells: Cells, *, limit: int = 0, progress: Progress | None = None) -> Recoding:
        """The recoding of a whole table, whose claims hold.

        Args:
            cells: What the engine counted.
            limit: People who may be left out, those barred included.
            progress: Told the share of people who are placed.

        Raises:
            ClaimError: A claim does not hold.
            PlanError: A claim that does not fit the method.
        """
        if self.search == "mondrian":
            return mondrian(
                cells,
                self.models,
                mode=self.mode,
                boxes=self.boxes,
                weights=self.weights,
                progress=progress,
            )
        if self.search == "microaggregation":
            return microaggregation(
                cells, k=self.k, models=self.models, weights=self.weights, progress=progress
            )
        return self._local(cells, limit, progress)

    def recode_part(
        self, cells: Cells, *, space: Space, limit: int = 0, progress: Progress | None = None
    ) -> Recoding:
        """The recoding of a part that, as one group, keeps every claim about groups.

        Claims are not measured again: the recipient may see groups of several parts as one.

        Args:
            cells: The people of the part.
            space: The axes of the whole table.
            limit: People of the part who may be left out.
            progress: Told the share of people who are placed.

        Raises:
            ClaimError: Too many people would be left out.
        """
        if self.search == "mondrian":
            return divided(
                cells, self.models, mode=self.mode, boxes=self.boxes, space=space,
                progress=progress,
            )  # fmt: skip
        if self.search == "microaggregation":
            made = clustered(
                cells, k=self.k, models=self.models, weights=self.weights, progress=progress
            )
            # How many clusters were joined in all is nothing a part knows.
            return replace(made, detail={"method": "MDAV", "k": self.k})
        return self._local(cells, limit, progress)

    def _local(self, cells: Cells, limit: int, progress: Progress | None) -> Recoding:
        lattice = Lattice.of(cells, dict(self.bounds))
        return local(
            cells, self.models, lattice=lattice, metric=self.metric, limit=limit,
            progress=progress,
        )  # fmt: skip

    @property
    def claims(self) -> tuple[PrivacyModel, ...]:
        """What the parts of a table have to keep."""
        if self.search == "microaggregation":
            return (*self.models, KAnonymity(k=self.k))
        return self.models

    @property
    def starts_whole(self) -> bool:
        """Whether the table as one group has to keep the claims, since nobody is left out."""
        return self.search != "local"

    @property
    def separates(self) -> bool:
        """Whether people with equal quasi-identifiers may be in different groups."""
        return self.search == "microaggregation" or (
            self.search == "mondrian" and self.mode == "relaxed"
        )

    @property
    def detail(self) -> dict[str, object]:
        """What the certificate says of a recoding that is made part by part."""
        if self.search == "mondrian":
            return {"mode": self.mode, "boxes": self.boxes}
        return {"method": "MDAV", "k": self.k} if self.search == "microaggregation" else {}

    def refuse_unfit(self) -> None:
        """Refuse claims that do not fit the method, before a table is cut into parts.

        Raises:
            PlanError: There is one.
        """
        if self.search == "mondrian":
            refuse_unfit(self.models, self.mode, self.boxes)
        refuse_population(self.models, "parts", "only the people of the table are counted in them")
