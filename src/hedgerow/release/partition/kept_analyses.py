"""The analyses that a plan keeps: on the source, on a recoding, on what was written."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from hedgerow.analyses import Analysis, AnalysisComparison, UncomputableError, WeightedAnalysis
from hedgerow.analyses.rows import AnalysisRows, Variable
from hedgerow.base.errors import ClaimError, DataError
from hedgerow.engines.base import Engine, Written
from hedgerow.plan.plan import Plan
from hedgerow.recode.recoding import SUPPRESSED, Recoding
from hedgerow.release.partition.job import Job
from hedgerow.table.cells import Cells
from hedgerow.table.contents import Contents
from hedgerow.table.groups import Ints
from hedgerow.table.hierarchy import Hierarchy
from hedgerow.table.pack import distinct
from hedgerow.table.schema import Schema
from hedgerow.table.written_form import WrittenForm

SHOWN = 6
"""Numbers of an analysis that `check` shows."""


@dataclass(frozen=True, eq=False)
class KeptAnalyses:
    """The source as the plan's analyses see it, and what they are there."""

    analyses: tuple[Analysis, ...]
    rows: AnalysisRows
    """Everybody, as they are."""
    cells: Cells

    @classmethod
    def of(cls, job: Job, cells: Cells) -> KeptAnalyses:
        """Read the columns of the source that the analyses, or the groups, are about.

        Raises:
            DataError: An analysis has no answer on the source.
        """
        names = _columns(job.plan.keep, job.schema)
        kept = cls(job.plan.keep, _source(job, cells, names), cells)
        kept.figures  # noqa: B018 (says early what has no answer)
        return kept

    @classmethod
    def of_all(
        cls, job: Job, cells: Cells, chosen: Callable[[Schema, AnalysisRows], tuple[Analysis, ...]]
    ) -> KeptAnalyses:
        """The same of analyses that are chosen once all columns are read."""
        rows = _source(job, cells, list(job.schema.published))
        return cls(chosen(job.schema, rows), rows, cells)

    @cached_property
    def figures(self) -> tuple[Mapping[str, float], ...]:
        """What each analysis is on the source."""
        found = []
        for analysis in self.analyses:
            try:
                found.append(analysis.original(self.rows))
            except UncomputableError as error:
                raise DataError(
                    f"{analysis} cannot be computed on the source: {error.what}",
                    fix="Correct the line under `keep`.",
                ) from None
        return tuple(found)

    @property
    def on_source(self) -> list[str]:
        """What each analysis is on the source, in a line: for the steward alone."""
        told = []
        for analysis, figures in zip(self.analyses, self.figures, strict=True):
            first = [f"{name} {value:.6g}" for name, value in list(figures.items())[:SHOWN]]
            more = f" and {len(figures) - SHOWN:,} more" if len(figures) > SHOWN else ""
            told.append(f"{analysis} on the source: {'; '.join(first)}{more}.")
        weights = {one.weights for one in self.analyses if isinstance(one, WeightedAnalysis)}
        for name in sorted(weights):
            people = self.rows.variables[name].people(self.rows.n)
            if alone := int(np.count_nonzero(people == 1)):
                told.append(
                    f"{alone:,} of the survey weights in {name!r} are one person's each, and the "
                    "column is published as it is: whoever knows somebody's weight finds them."
                )
        return told

    def compare(self, release: AnalysisRows) -> tuple[AnalysisComparison, ...]:
        """Each analysis on the source and on a release."""
        return tuple(
            analysis.compare(self.rows, release, known)
            for analysis, known in zip(self.analyses, self.figures, strict=True)
        )

    def under(self, recoding: Recoding) -> tuple[AnalysisComparison, ...]:
        """Each analysis as it would be if a recoding that separates nobody were published."""
        group = self._group_of_tuple(recoding)[self._tuple]
        kept = (self._tuple >= 0) & (group != SUPPRESSED)
        variables = {}
        for name, variable in self.rows.variables.items():
            codes = variable.codes[kept]
            variables[name] = replace(variable, codes=codes)
        for h, labels in zip(self.cells.hierarchies, recoding.labels, strict=True):
            texts = list(dict.fromkeys(labels.tolist()))
            place = {text: code for code, text in enumerate(texts)}
            of_group = np.array([place[text] for text in labels.tolist()], np.int64)
            variables[h.name] = Variable.of(h.name, texts, of_group[group[kept]], h)
        return self.compare(AnalysisRows(variables, self.rows.n[kept], self.rows.hierarchies))

    def written(
        self, written: Written, schema: Schema, *, escaped: bool, staged: Engine | None
    ) -> tuple[AnalysisComparison, ...]:
        """Each analysis on what was written, read back as its recipients read it."""
        form = WrittenForm.of(written.path, schema.published, escaped=escaped)
        names = [n for n in _columns(self.analyses, schema) if n in schema.published]
        contents = Contents.read(written.path, quasi=names, form=form, engine=staged)
        return self.compare(_rows(contents, self.rows.hierarchies))

    @cached_property
    def _tuple(self) -> Ints:
        """The tuple of quasi-identifiers of each row; -1 where it is in no release."""
        columns = []
        for h in self.cells.hierarchies:
            variable = self.rows.variables[h.name]
            place = np.array([h.place.get(text, -1) for text in variable.texts], np.int64)
            columns.append(place[variable.codes])
        tuples, _ = self.cells.tuples
        mine = np.stack(columns, axis=1) if columns else np.zeros((len(self.rows.n), 0), np.int64)
        known = (mine >= 0).all(axis=1)
        both = np.concatenate((tuples.astype(np.int64), mine[known])).astype(np.int32)
        first, into = distinct(both, [len(h.values) for h in self.cells.hierarchies])
        # Tuples of the cells come first and differ, so that whoever is first is one of them.
        found = np.full(len(mine), -1, np.int64)
        at = first[into[len(tuples) :]]
        found[known] = np.where(at < len(tuples), at, -1)
        return found

    def _group_of_tuple(self, recoding: Recoding) -> Ints:
        tuples, of_cell = self.cells.tuples
        group = np.full(len(tuples) + 1, SUPPRESSED, np.int64)
        group[of_cell[recoding.cell]] = recoding.group
        return group


def _source(job: Job, cells: Cells, names: Sequence[str]) -> AnalysisRows:
    """Everybody in the source, with these columns."""
    contents = Contents.read(None, quasi=names, engine=job.engine)
    return _rows(contents, {h.name: h for h in cells.hierarchies})


def _columns(analyses: Sequence[Analysis], schema: Schema) -> list[str]:
    """The quasi-identifiers, and what else the analyses read."""
    read = {name for analysis in analyses for name in analysis.columns}
    return list(dict.fromkeys((*schema.quasi_identifiers, *sorted(read))))


def _rows(contents: Contents, hierarchies: Mapping[str, Hierarchy]) -> AnalysisRows:
    """The rows of a table that was read, in an order that does not depend on the engine."""
    order = np.lexsort(contents.codes.T[::-1]) if contents.codes.size else np.arange(contents.size)
    n = np.bincount(contents.into, weights=contents.n, minlength=contents.size).astype(np.int64)
    variables = {
        name: Variable.of(name, texts, contents.codes[order, j].astype(np.int64),
                          hierarchies.get(name))
        for j, (name, texts) in enumerate(zip(contents.quasi, contents.texts, strict=True))
    }  # fmt: skip
    return AnalysisRows(variables, n[order], hierarchies)


def strain_of(found: Sequence[AnalysisComparison]) -> float:
    """The largest error in units of its tolerance."""
    return max((one.strain for one in found), default=0.0)


def refuse_spoiled(plan: Plan, found: Sequence[AnalysisComparison], more: str = "") -> None:
    """Refuse a release that does not keep what the plan says it must.

    Raises:
        ClaimError: It says how close it came.
    """
    spoiled = [one for one in found if one.kept is False]
    if not spoiled:
        return
    told = "; ".join(_told(one) for one in spoiled)
    raise ClaimError(
        f"{'no recoding was found that keeps' if more else 'the release does not keep'} the "
        f"plan's analyses{more}: {told}",
        where=plan.where("keep"),
        fix="Widen `within`, weaken a claim, allow more suppression, or give columns finer levels.",
    )


def _told(one: AnalysisComparison) -> str:
    within = one.analysis.within
    assert within is not None
    if one.problem is not None:
        return f"{one.analysis} cannot be computed ({one.problem})"
    worst = max(one.figures, key=lambda figure: figure.error)
    if not np.isfinite(one.error):
        return f"{one.analysis} does not tell {worst.name}"
    return f"{one.analysis} is off by {one.error:.3g} at {worst.name}, allowed {within:.3g}"
