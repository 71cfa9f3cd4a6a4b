"""Classifier: how often somebody's value is told right from the rest, cross-validated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from hedgerow.analyses.base import ANALYSES, Analysis, AnalysisKind, UncomputableError, names
from hedgerow.analyses.folds import FOLDS, dealt
from hedgerow.analyses.formula import ModelMatrix
from hedgerow.analyses.rows import AnalysisRows
from hedgerow.base.errors import HedgerowError
from hedgerow.table.groups import Floats, Ints

ERRORS = "The difference, in parts of 1."
MOST_CLASSES = 50


@dataclass(frozen=True, kw_only=True)
class Classification(Analysis):
    """Accuracy of a naive Bayes classifier, on people whom it was not trained on.

    Categories have smoothed shares (one more person in each), numbers a normal distribution; a
    generalised value counts in each category it covers with its share. The release is classified
    by a classifier that is trained on other rows of the release, the original by one that is
    trained on other rows of the original. `baseline` is the share of the most frequent value.
    """

    name: ClassVar[str] = "classifier"
    errors: ClassVar[str] = ERRORS
    of: str
    using: tuple[str, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((self.of, *self.using)))

    def __str__(self) -> str:
        return f"classifier of {self.of} from {', '.join(self.using)}"

    def figures(self, rows: AnalysisRows, original: AnalysisRows) -> Mapping[str, float]:
        classes = original.there(self.of)
        if len(classes) > MOST_CLASSES:
            raise UncomputableError(f"{self.of} has {len(classes)} values, and at most "
                                    f"{MOST_CLASSES} are told apart")  # fmt: skip
        shares = rows.shares(self.of, classes)[:, :-1]
        # A row is right to the extent that it stands for the value that was guessed.
        part = dealt(rows.n)
        right, people = 0.0, 0.0
        features = _Features.of(self.using, rows, original)
        for k in range(FOLDS):
            test = part[:, k].astype(np.float64)
            train = rows.n - test
            guess = features.guessed(shares, train)
            right += float((test * shares[np.arange(len(guess)), guess]).sum())
            people += float(test.sum())
        if not people:
            raise UncomputableError("there are no rows")
        total = (rows.n[:, None] * shares).sum(axis=0)
        return {"accuracy": right / people, "baseline": float(total.max() / total.sum())}

    def scales(self, original: AnalysisRows, figures: Mapping[str, float]) -> Mapping[str, float]:
        return dict.fromkeys(figures, 1.0)


@dataclass(frozen=True, eq=False)
class _Features:
    """What is known of each row."""

    shares: list[Floats]
    """Of each column of categories: rows by categories; all 0 where a row does not tell."""
    numbers: list[Floats]

    @classmethod
    def of(cls, using: tuple[str, ...], rows: AnalysisRows, original: AnalysisRows) -> _Features:
        shares, numbers = [], []
        for name in using:
            if original.variables[name].numeric:
                numbers.append(rows.numbers(name))
            else:
                found = ModelMatrix.of((name,), rows, original, full=True).x
                shares.append(np.nan_to_num(found))
        return cls(shares, numbers)

    def guessed(self, classes: Floats, n: Floats) -> Ints:
        """The likeliest class of each row, trained on rows that count n times each."""
        weight = n[:, None] * classes
        prior = weight.sum(axis=0)
        score = np.zeros_like(classes) + np.log((prior + 1) / (prior.sum() + len(prior)))
        for share in self.shares:
            together = weight.T @ share + 1.0
            score += share @ np.log(together / together.sum(axis=1, keepdims=True)).T
        for number in self.numbers:
            there = ~np.isnan(number)
            x, w = number[there], weight[there]
            people = np.maximum(w.sum(axis=0), 1e-300)
            mean = (w * x[:, None]).sum(axis=0) / people
            spread = (w * (x[:, None] - mean) ** 2).sum(axis=0) / people
            everybody = w.sum()
            centre = (w.sum(axis=1) * x).sum() / max(everybody, 1e-300)
            whole = (w.sum(axis=1) * (x - centre) ** 2).sum() / max(everybody, 1e-300)
            spread = np.maximum(spread, 1e-9 * whole + 1e-300)
            score[there] -= (x[:, None] - mean) ** 2 / (2 * spread) + np.log(spread) / 2
        found: Ints = score.argmax(axis=1)
        return found


class ClassifierKind(AnalysisKind):
    """Reads `classifier: {of: income, from: [age, education]}`."""

    name = "classifier"
    says = "How often a value is told right from other columns, cross-validated."
    needs = ("of", "from")
    example = "classifier: {of: income, from: [age, education], within: 2%}"
    errors = ERRORS

    def made(self, said: Mapping[str, Any]) -> Classification:
        using = names(said["from"], "from")
        if not isinstance(said["of"], str) or said["of"] in using or not using:
            raise HedgerowError(
                "'of' is no column beside those of 'from'", fix="Name what is told from them."
            )
        return Classification(of=said["of"], using=using)


ANALYSES.register(ClassifierKind())
