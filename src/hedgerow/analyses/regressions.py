"""Linear and logistic regression.

A generalised value enters as what is expected of it: the middle of its interval, or the share of
each category that it covers. Rows that do not tell a term are left out, as missing values are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from hedgerow.analyses.base import ANALYSES, Analysis, AnalysisKind, UncomputableError
from hedgerow.analyses.formula import Formula, ModelMatrix
from hedgerow.analyses.rows import AnalysisRows
from hedgerow.table.groups import Floats

ERRORS = "Relative to the coefficient, or to its standard error where that is more."
ROUNDS = 100
"""Of reweighted least squares."""
LEVEL = 1e-9
"""Relative size of a singular value that counts as zero."""


@dataclass(frozen=True, eq=False)
class RegressionFit:
    """Coefficients and their standard errors."""

    names: tuple[str, ...]
    coefficients: Floats
    errors: Floats


def least_squares(x: Floats, y: Floats, n: Floats) -> tuple[Floats, Floats]:
    """Coefficients and standard errors of y on x, each row n times.

    Raises:
        UncomputableError: The columns of x depend on each other, or there are too few rows.
    """
    inverse = _inverse(x, n)
    found: Floats = inverse @ (x.T @ (n * y))
    free = float(n.sum()) - x.shape[1]
    if free <= 0:
        raise UncomputableError("there are too few rows")
    residual = y - x @ found
    variance = float((n * residual**2).sum()) / free
    return found, np.sqrt(np.maximum(variance * np.diag(inverse), 0.0))


def logistic(x: Floats, y: Floats, n: Floats) -> tuple[Floats, Floats]:
    """The same of the chance of y, by iteratively reweighted least squares.

    Raises:
        UncomputableError: There is no finite maximum of the likelihood.
    """
    found = np.zeros(x.shape[1])
    if not (n * y).sum() > 0 or not (n * (1 - y)).sum() > 0:
        raise UncomputableError("everybody, or nobody, has the value that is explained")
    _inverse(x, n)  # refuses terms that depend on each other, whatever y is
    for _ in range(ROUNDS):
        chance = _chance(x @ found)
        weight = n * chance * (1 - chance)
        try:
            inverse = _inverse(x, weight)
        except UncomputableError:
            break  # every chance is 0 or 1 by now
        step: Floats = inverse @ (x.T @ (n * (y - chance)))
        found = found + step
        if np.abs(found).max() > 1e3:
            break
        if np.abs(step).max() < 1e-10 * max(1.0, float(np.abs(found).max())):
            return found, np.sqrt(np.diag(inverse))
    raise UncomputableError("the values are separated: there is no finite maximum")


def _chance(score: Floats) -> Floats:
    chance: Floats = 1 / (1 + np.exp(-np.clip(score, -700, 700)))
    return chance


def _inverse(x: Floats, weight: Floats) -> Floats:
    """The inverse of the weighted cross products, of columns scaled alike."""
    if len(x) < 1:
        raise UncomputableError("there are no rows")
    products = x.T @ (weight[:, None] * x)
    scale = np.sqrt(np.diag(products))
    if not (scale > 0).all():
        raise UncomputableError("a term is the same for everybody")
    scaled = products / np.outer(scale, scale)
    values = np.linalg.eigvalsh(scaled)
    if values[0] <= LEVEL * values[-1]:
        raise UncomputableError("terms depend on each other: what is published does not tell them "
                                "apart")  # fmt: skip
    inverse: Floats = np.linalg.inv(scaled) / np.outer(scale, scale)
    return inverse


@dataclass(frozen=True, kw_only=True)
class LinearRegression(Analysis):
    """Ordinary least squares of a number."""

    name: ClassVar[str] = "linear"
    errors: ClassVar[str] = ERRORS
    weighs: ClassVar[bool] = True
    formula: Formula

    @property
    def columns(self) -> tuple[str, ...]:
        return self.formula.columns

    def __str__(self) -> str:
        return f"{self.name} regression {self.formula}"

    def figures(self, rows: AnalysisRows, original: AnalysisRows) -> Mapping[str, float]:
        fit = self.fit(rows, original)
        return dict(zip(fit.names, map(float, fit.coefficients), strict=True))

    def fit(self, rows: AnalysisRows, original: AnalysisRows) -> RegressionFit:
        """The coefficients and their standard errors.

        Raises:
            UncomputableError: There are none.
        """
        matrix = ModelMatrix.of(self.formula.terms, rows, original)
        y = self.formula.response.of(rows)
        known = ~(np.isnan(matrix.x).any(axis=1) | np.isnan(y))
        n, people = rows.mass[known], float(rows.n[known].sum())
        if rows.weight is not None and n.sum() > 0:
            n = n * (people / float(n.sum()))  # as many observations as rows, whatever they weigh
        return RegressionFit(matrix.names, *self._solved(matrix.x[known], y[known], n))

    def _solved(self, x: Floats, y: Floats, n: Floats) -> tuple[Floats, Floats]:
        return least_squares(x, y, n)

    def scales(self, original: AnalysisRows, figures: Mapping[str, float]) -> Mapping[str, float]:
        fit = self.fit(original, original)
        errors = dict(zip(fit.names, map(float, fit.errors), strict=True))
        return {name: max(abs(value), errors[name]) for name, value in figures.items()}


@dataclass(frozen=True, kw_only=True)
class LogisticRegression(LinearRegression):
    """Logistic regression of whether somebody has a value."""

    name: ClassVar[str] = "logistic"

    def _solved(self, x: Floats, y: Floats, n: Floats) -> tuple[Floats, Floats]:
        if ((y < 0) | (y > 1)).any():
            raise UncomputableError(f"{self.formula.response} is not 0 or 1")
        return logistic(x, y, n)


class RegressionKind(AnalysisKind):
    """Reads `linear: {formula: hours ~ age + sex}`."""

    needs = ("formula",)
    errors = ERRORS

    def __init__(self, made: type[LinearRegression], says: str, formula: str) -> None:
        self.name, self.says, self._type = made.name, says, made
        self.example = f'{self.name}: {{formula: "{formula}", within: 10%}}'

    def made(self, said: Mapping[str, Any]) -> Analysis:
        return self._type(formula=Formula.read(said["formula"]))


ANALYSES.register(
    RegressionKind(LinearRegression, "Coefficients of a number.", "hours ~ age + sex")
)
ANALYSES.register(
    RegressionKind(
        LogisticRegression, "Coefficients of the chance of a value.",
        "income = >50K ~ age + sex",
    )
)  # fmt: skip
