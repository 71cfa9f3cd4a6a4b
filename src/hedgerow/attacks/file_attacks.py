"""Attacks on what is not a table of people in groups: answers, ratings, frequencies, buckets.

Each reads files with columns of fixed names; docs/attacks.md says which.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.attacks.base import AttackResult
from hedgerow.base.errors import DataError, PlanError, nearest, some
from hedgerow.engines import open_engine
from hedgerow.table.groups import Floats

MOST = 10**9
"""The largest whole number an attack takes: more people, or days, than there are."""


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
        if name not in self.given:
            if default is None:
                raise PlanError(
                    f"the attack needs to know {name}", fix=f"Say --know {name}=NUMBER."
                )
            return default
        try:
            found = float(self.given[name])
        except ValueError:
            found = math.nan
        if not math.isfinite(found):
            raise PlanError(
                f"{name} must be a number, not {self.given[name]!r}", fix="Give a number."
            )
        return found

    def whole(self, name: str, default: int) -> int:
        """A whole number that was given.

        Raises:
            PlanError: It is none.
        """
        found = self.number(name, default)
        if found != round(found) or abs(found) > MOST:
            raise PlanError(
                f"{name} must be a whole number of at most {MOST:,}, not {self.given[name]!r}",
                fix=f"Say --know {name}={default}, or the like.",
            )
        return int(found)

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


def _called(file: Any) -> str:
    """A file's name; a table has none."""
    return str(file) if isinstance(file, str | Path) else "the table"


def _texts(file: Any, *names: str) -> list[list[str | None]]:
    """Columns of a file."""
    with open_engine(file) as engine:
        columns = engine.columns()
        for name in names:
            if name not in columns:
                near = nearest(name, columns)
                raise DataError(
                    f"there is no column {name!r}",
                    where=_called(file),
                    fix=f"Did you mean {near!r}?" if near else f"It has {some(columns)}.",
                )
        table = engine.rows(names, max(1, engine.rows_total()))
    return [table[name].to_pylist() for name in names]


def _numbers(file: Any, *names: str) -> list[Floats]:
    """Columns of numbers; what is missing is not a number."""
    columns = zip(names, _texts(file, *names), strict=True)
    return [_parsed(column, file, name) for name, column in columns]


def _parsed(column: Sequence[str | None], file: Any, name: str) -> Floats:
    try:
        return np.array([np.nan if text is None else float(text) for text in column], np.float64)
    except ValueError as error:
        wrong = str(error).partition(": ")[2]
        raise DataError(
            f"{wrong} in {name!r} is not a number", where=_called(file), fix="Give numbers."
        ) from None


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
    subsets, results = f.file(0, "a file of queries"), f.file(1, "a file of answers")
    query, person = _texts(subsets, "query", "person")
    asked, answer = _texts(results, "query", "answer")
    who, value = _texts(f.truth, "person", "value")
    rows, columns = _once(asked, results, "query"), _once(who, f.truth, "person")
    for names, known, what in ((query, rows, "answer"), (person, columns, "value")):
        if lost := [name for name in dict.fromkeys(names) if name not in known]:
            raise DataError(f"there is no {what} for {some(lost)}", fix="Give all of them.")
    if not query:
        raise DataError("nobody is in any query", where=_called(subsets))
    places = [rows[name] for name in query], [columns[name] for name in person]
    matrix = csr_matrix((np.ones(len(query)), places), shape=(len(rows), len(columns)))
    if matrix.nnz < len(query):
        raise DataError(
            f"{len(query) - matrix.nnz:,} rows say again that somebody is in a query",
            where=_called(subsets),
            fix="Give everybody in a subset once.",
        )
    error = f.number("error") if "error" in f.given else None
    method: Any = f.word("method", "least squares")
    answers, bits = _parsed(answer, results, "answer"), _parsed(value, f.truth, "value")
    return reconstruction(matrix, answers, truth=bits, method=method, error=error)


def _once(names: Sequence[str | None], file: Any, column: str) -> dict[str | None, int]:
    """The row of each name.

    Raises:
        DataError: One is there twice, or missing.
    """
    wrong = [name for name, times in Counter(names).items() if times > 1 or name is None]
    if wrong:
        raise DataError(
            f"a {column} has no name, or more than one row: {some(wrong)}",
            where=f"{_called(file)}, column {column!r}",
            fix="Give each a name and one row.",
        )
    return {name: i for i, name in enumerate(names)}


def _floating(f: Files) -> AttackResult:
    """One file: output, and truth where it is known."""
    from hedgerow.attacks.floating_point import identifies

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
    from hedgerow.attacks.same_sample import composition

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
    from hedgerow.attacks.bucketised_release import read_tables
    from hedgerow.attacks.definetti import against_anatomy, de_finetti

    if f.sensitive is None:
        raise PlanError("nothing says which column is sensitive", fix="Say --sensitive COLUMN.")
    rng = np.random.default_rng(f.seed)
    first = f.file(0, "a table, or the two of an Anatomy")
    if len(f.files) > 1 and "l" in f.given:
        raise PlanError(
            "the buckets are there, so there is no l to publish with", fix="Leave out --know l."
        )
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
        raise DataError(f"{some(lost)} are not in the release", where=_called(f.truth))
    return de_finetti(release, np.array([place[value] for value in values]), rng=rng)


@dataclass(frozen=True)
class FileMethod:
    """An attack on files of its own kind."""

    run: Callable[[Files], AttackResult]
    most: int
    """How many files it reads."""
    knows: tuple[str, ...] = ()
    """What may be given with `--know`."""

    def __call__(self, files: Files) -> AttackResult:
        """Run it.

        Raises:
            PlanError: It has no use for something that was given.
        """
        for name in files.given:
            if name not in self.knows:
                near = nearest(name, self.knows)
                knows = f"It takes {some(self.knows)}." if self.knows else "It takes none."
                raise PlanError(
                    f"the attack has no use for --know {name}",
                    fix=f"Did you mean {near!r}? {knows}" if near else knows,
                )
        if len(files.files) > self.most:
            raise PlanError(
                f"the attack reads {self.most} of the {len(files.files)} files",
                fix="Give no others; docs/attacks.md says which it reads.",
            )
        return self.run(files)


FILE_METHODS: Mapping[str, FileMethod] = {
    "averaging": FileMethod(_averaging, 1),
    "reconstruction": FileMethod(_reconstruction, 2, ("method", "error")),
    "floating-point": FileMethod(_floating, 1, ("scale", "candidates", "noise")),
    "same-sample": FileMethod(_same_sample, 1, ("rate",)),
    "sparse": FileMethod(_sparse, 1, ("m", "wrong", "days", "targets", "outsiders", "method")),
    "membership": FileMethod(_membership, 1, ("test", "alpha")),
    "de-finetti": FileMethod(_de_finetti, 2, ("l",)),
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
