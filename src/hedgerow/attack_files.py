"""Attacks on what is not a table of people in groups: answers, ratings, frequencies, buckets.

Each reads files with columns of fixed names; docs/attacks.md says which.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.attacks.base import AttackResult
from hedgerow.engines import open_engine
from hedgerow.errors import DataError, PlanError, nearest, some
from hedgerow.groups import Floats


@dataclass(frozen=True)
class Files:
    """What an attack is given."""

    files: Sequence[Any]
    given: Mapping[str, str]
    """Numbers and words: `--know scale=1`."""
    truth: Any
    control: Any
    sensitive: str | None
    seed: int

    def number(self, name: str, default: float | None = None) -> float:
        """A number that was given.

        Raises:
            PlanError: It was not, or is none.
        """
        if name not in self.given and default is not None:
            return default
        try:
            return float(self.given[name])
        except KeyError:
            raise PlanError(
                f"the attack needs to know {name}", fix=f"Say --know {name}=NUMBER."
            ) from None
        except ValueError:
            raise PlanError(
                f"{name} must be a number, not {self.given[name]!r}", fix="Give a number."
            ) from None

    def whole(self, name: str, default: int) -> int:
        return int(self.number(name, default))

    def word(self, name: str, default: str) -> str:
        return self.given.get(name, default)

    def file(self, place: int, what: str) -> Any:
        """One of the files.

        Raises:
            PlanError: There are not so many.
        """
        if place >= len(self.files):
            raise PlanError(f"the attack needs {what}", fix="See docs/attacks.md for its files.")
        return self.files[place]


def _texts(file: Any, *names: str) -> list[list[str | None]]:
    """Columns of a file."""
    with open_engine(file) as engine:
        columns = engine.columns()
        for name in names:
            if name not in columns:
                near = nearest(name, columns)
                raise DataError(
                    f"there is no column {name!r}",
                    where=str(file),
                    fix=f"Did you mean {near!r}?" if near else f"It has {some(columns)}.",
                )
        table = engine.rows(names, max(1, engine.rows_total()))
    return [table[name].to_pylist() for name in names]


def _numbers(file: Any, *names: str) -> list[Floats]:
    """Columns of numbers; what is missing is not a number."""
    found = []
    for name, column in zip(names, _texts(file, *names), strict=True):
        try:
            found.append(np.array([np.nan if text is None else float(text) for text in column]))
        except ValueError as error:
            wrong = str(error).partition(": ")[2]
            raise DataError(
                f"{wrong} in {name!r} is not a number", where=str(file), fix="Give numbers."
            ) from None
    return found


def _averaging(f: Files) -> AttackResult:
    """One file: noisy, sum (of this count and the next, exact; empty in the last), truth."""
    from hedgerow.attacks.averaging import averaging, neighbouring_sums

    noisy, sums, truth = _numbers(f.file(0, "a file of counts"), "noisy", "sum", "truth")
    matrix = neighbouring_sums(len(noisy))
    return averaging(noisy, matrix=matrix, sums=sums[:-1], truth=truth)


def _reconstruction(f: Files) -> AttackResult:
    """Files: query and person; query and answer; and as truth person and value (0 or 1)."""
    from scipy.sparse import csr_matrix

    from hedgerow.attacks.reconstruction import reconstruction

    if f.truth is None:
        raise PlanError("the attack needs the truth", fix="Say --truth with person and value.")
    query, person = _texts(f.file(0, "a file of queries"), "query", "person")
    asked, answer = _texts(f.file(1, "a file of answers"), "query", "answer")
    who, value = _texts(f.truth, "person", "value")
    rows = {name: i for i, name in enumerate(asked)}
    columns = {name: i for i, name in enumerate(who)}
    for names, known, what in ((query, rows, "answer"), (person, columns, "value")):
        if lost := [name for name in dict.fromkeys(names) if name not in known]:
            raise DataError(f"there is no {what} for {some(lost)}", fix="Give all of them.")
    places = [rows[name] for name in query], [columns[name] for name in person]
    matrix = csr_matrix((np.ones(len(query)), places), shape=(len(rows), len(columns)))
    error = f.number("error") if "error" in f.given else None
    method: Any = f.word("method", "least squares")
    bits = np.array([float(v or "nan") for v in value])
    answers = np.array([float(a or "nan") for a in answer])
    return reconstruction(matrix, answers, truth=bits, method=method, error=error)


def _floating(f: Files) -> AttackResult:
    """One file: output, and truth where it is known."""
    from hedgerow.attacks.floating import identifies

    file = f.file(0, "a file of outputs")
    with open_engine(file) as engine:
        known = "truth" in engine.columns()
    outputs, *truth = _numbers(file, "output", *(["truth"] if known else []))
    try:
        candidates = [float(text) for text in f.word("candidates", "0,1").split(",")]
    except ValueError:
        raise PlanError("candidates are numbers", fix="Say --know candidates=0,1.") from None
    noise: Any = f.word("noise", "signed")
    return identifies(
        outputs, candidates=candidates, scale=f.number("scale", 1.0), noise=noise,
        truth=truth[0] if truth else None,
    )  # fmt: skip


def _same_sample(f: Files) -> AttackResult:
    """One file: first, second and sampled, each 0 or 1, a row a target."""
    from hedgerow.attacks.sampled import composition

    first, second, sampled = _numbers(f.file(0, "a file of bits"), "first", "second", "sampled")
    return composition(first, second, sampled=sampled, rate=f.number("rate"))


def _sparse(f: Files) -> AttackResult:
    """One file: person and item, rating and day where there are; a row a rating."""
    from hedgerow.attacks.ratings import Ratings
    from hedgerow.attacks.sparse import evaluate

    file = f.file(0, "a file of ratings")
    with open_engine(file) as engine:
        there = set(engine.columns())
    ratings = Ratings.read(
        file, person="person", item="item", rating="rating" if "rating" in there else None,
        day="day" if "day" in there else None,
    )  # fmt: skip
    method: Any = f.word("method", "eccentricity")
    return evaluate(
        ratings, rng=np.random.default_rng(f.seed), targets=f.whole("targets", 100),
        outsiders=f.whole("outsiders", 100), m=f.whole("m", 8), wrong=f.whole("wrong", 2),
        days=f.whole("days", 14), method=method,
    )  # fmt: skip


def _membership(f: Files) -> AttackResult:
    """One file: study and population, a row an allele; as truth and control a column a person."""
    from hedgerow.attacks.membership import membership

    if f.truth is None or f.control is None:
        raise PlanError(
            "the attack needs genotypes of participants and of others",
            fix="Say --truth participants.csv --control others.csv, a column a person.",
        )
    study, population = _numbers(f.file(0, "a file of frequencies"), "study", "population")
    test: Any = f.word("test", "homer")
    return membership(
        study, population, participants=_matrix(f.truth), others=_matrix(f.control), test=test,
        alpha=f.number("alpha", 0.05),
    )  # fmt: skip


def _matrix(file: Any) -> NDArray[np.float64]:
    """All columns of a file, a row of the result each."""
    with open_engine(file) as engine:
        names = engine.columns()
    return np.stack(_numbers(file, *names))


def _de_finetti(f: Files) -> AttackResult:
    """The two tables of an Anatomy, and the original; or a table that is published by Anatomy."""
    from hedgerow.attacks.definetti import against_anatomy, de_finetti, read_tables

    if f.sensitive is None:
        raise PlanError("nothing says which column is sensitive", fix="Say --sensitive COLUMN.")
    rng = np.random.default_rng(f.seed)
    first = f.file(0, "a table, or the two of an Anatomy")
    if len(f.files) == 1:
        with open_engine(first) as engine:
            quasi = [name for name in engine.columns() if name != f.sensitive]
        return against_anatomy(
            first, quasi=quasi, sensitive=f.sensitive, l=f.whole("l", 3), rng=rng
        )
    if f.truth is None:
        raise PlanError("the attack needs the truth", fix="Say --truth original.csv.")
    release, texts = read_tables(first, f.files[1], sensitive=f.sensitive)
    (values,) = _texts(f.truth, f.sensitive)
    place = {text: code for code, text in enumerate(texts[f.sensitive])}
    if lost := [value for value in dict.fromkeys(values) if value not in place]:
        raise DataError(f"{some(lost)} are not in the release", where=str(f.truth))
    return de_finetti(release, np.array([place[value] for value in values]), rng=rng)


FILE_METHODS: Mapping[str, Callable[[Files], AttackResult]] = {
    "averaging": _averaging,
    "reconstruction": _reconstruction,
    "floating-point": _floating,
    "same-sample": _same_sample,
    "sparse": _sparse,
    "membership": _membership,
    "de-finetti": _de_finetti,
}
"""Attacks on files of their own kind, by name."""


def attack_files(
    method: str,
    files: Sequence[str | Path | Any],
    *,
    given: Mapping[str, str] | None = None,
    truth: Any = None,
    control: Any = None,
    sensitive: str | None = None,
    seed: int = 0,
) -> AttackResult:
    """Run one of `FILE_METHODS`.

    Args:
        method: Its name.
        files: What it reads.
        given: Numbers and words it takes, such as {"scale": "1"}.
        truth: File or table to score guesses by.
        control: File or table about people who are not in the data.
        sensitive: A column's name.
        seed: Of attacks that draw.
    """
    return FILE_METHODS[method](Files(files, given or {}, truth, control, sensitive, seed))
