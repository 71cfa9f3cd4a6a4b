"""Prediction: how much of a number other columns explain, cross-validated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from hedgerow.analyses.base import ANALYSES, Analysis, AnalysisKind, UncomputableError
from hedgerow.analyses.folds import FOLDS, dealt
from hedgerow.analyses.formula import Formula, ModelMatrix
from hedgerow.analyses.rows import AnalysisRows

ERRORS = "The difference, in parts of 1."


@dataclass(frozen=True, kw_only=True)
class Prediction(Analysis):
    """The share of a number's variance that a linear regression foretells of people it was not
    trained on. Below 0 it is worse than the mean.
    """  # noqa: D205

    name: ClassVar[str] = "prediction"
    errors: ClassVar[str] = ERRORS
    formula: Formula

    @property
    def columns(self) -> tuple[str, ...]:
        return self.formula.columns

    def __str__(self) -> str:
        return f"prediction {self.formula}"

    def figures(self, rows: AnalysisRows, original: AnalysisRows) -> Mapping[str, float]:
        matrix = ModelMatrix.of(self.formula.terms, rows, original)
        y = self.formula.response.of(rows)
        known = ~np.isnan(y)
        # A term that a row does not tell is as on average: to predict, somebody has to say.
        x = matrix.x[known]
        told = ~np.isnan(x)
        weight = rows.n[known][:, None] * told
        means = (weight * np.nan_to_num(x)).sum(axis=0) / np.maximum(weight.sum(axis=0), 1)
        x = np.where(told, x, means)
        y, part = y[known], dealt(rows.n[known])
        n = part.sum(axis=1).astype(np.float64)
        wrong = whole = 0.0
        for k in range(FOLDS):
            test = part[:, k].astype(np.float64)
            train = n - test
            if not train.sum() or not test.sum():
                raise UncomputableError("there are too few rows")
            root = np.sqrt(train)[:, None]
            found, *_ = np.linalg.lstsq(root * x, root[:, 0] * y, rcond=None)
            wrong += float((test * (y - x @ found) ** 2).sum())
            mean = float((train * y).sum() / train.sum())
            whole += float((test * (y - mean) ** 2).sum())
        if not whole > 0:
            raise UncomputableError("the number is the same for everybody")
        return {"R²": 1 - wrong / whole}

    def scales(self, original: AnalysisRows, figures: Mapping[str, float]) -> Mapping[str, float]:
        return dict.fromkeys(figures, 1.0)


class PredictionKind(AnalysisKind):
    """Reads `prediction: {formula: hours ~ age + sex}`."""

    name = "prediction"
    says = "How much of a number other columns explain, cross-validated."
    needs = ("formula",)
    example = 'prediction: {formula: "hours ~ age + sex", within: 5%}'
    errors = ERRORS

    def made(self, said: Mapping[str, Any]) -> Prediction:
        return Prediction(formula=Formula.read(said["formula"]))


ANALYSES.register(PredictionKind())
