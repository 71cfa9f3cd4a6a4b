"""A held frequency set as tables of codes, the same on every engine."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from hedgerow.base.errors import DataError
from hedgerow.engines import frequency_sql as sql
from hedgerow.engines.base import Table
from hedgerow.engines.frequency_set import Box, Codes, Work
from hedgerow.engines.frequency_sql import listed, names
from hedgerow.engines.part_task import Task
from hedgerow.engines.remote import Kind, Kinds
from hedgerow.engines.session import DuckDBSession
from hedgerow.engines.shelf import Shelf
from hedgerow.engines.splits import Tree

DEEPEST = 24
"""Cuts below one another in one statement: parsers are recursive, and trees may be chains."""
MOST = 250
"""Cuts in one statement."""
BOXES = 250
"""Boxes looked at in one scan."""
COUNT: Kinds = {"n": "bigint"}


@dataclass(frozen=True)
class Coded:
    """SQL to stand after FROM, with the codes that can be selected from it."""

    sql: str
    codes: tuple[str, ...]
    """Of quasi-identifiers, then of sensitive values."""


class HeldLines:
    """Implements `Held`. Made by `Engine.hold`, which says what the arguments mean.

    Args:
        shelf: Where its tables are kept.
        name: What their names begin with.
        relation: SQL of the rows, to stand after FROM.
        texts: SQL of the columns' texts there.
        columns: The quasi-identifiers.
        sets: The sensitive columns.
        codes: Of the columns, then of the sets.
        barred: Columns in which nobody who is held misses a value.
    """

    def __init__(
        self,
        shelf: Shelf,
        name: str,
        *,
        relation: str,
        texts: Mapping[str, str],
        columns: Sequence[str],
        sets: Sequence[str],
        codes: Sequence[Codes],
        barred: Collection[str],
    ) -> None:
        if not columns or len(codes) != len(columns) + len(sets):
            raise ValueError("there must be a column, and codes for each column and set")
        self.shelf, self.columns, self.sets = shelf, tuple(columns), tuple(sets)
        self._name = name
        self._missing = [given.get(None) for given in codes]
        self._dictionaries = [
            shelf.push(f"{name}_codes{i}", _dictionary(given), {"t": "text", "code": "int"})
            for i, given in enumerate(codes)
        ]
        self._lines = shelf.keep(f"{name}_lines", self._counting(relation, texts, barred))
        self._tree: Tree = ()
        self._placed = self._lines
        """The table of lines with their parts in that tree; without `part` where it is empty."""
        self._task: Task | None = None
        self._solved = ""
        self.lines, self.people = self._counted()

    def _counting(self, relation: str, texts: Mapping[str, str], barred: Collection[str]) -> str:
        found = self.coded(relation, texts)
        places = [*names("c", len(self.columns)), *names("v", len(self.sets))]
        wanted = [f"{code} AS {c}" for code, c in zip(found.codes, places, strict=True)]
        present = " AND ".join(f"{texts[name]} IS NOT NULL" for name in barred)
        where = f" WHERE {present}" if present else ""
        return (
            f"SELECT {listed(*places)}, count(*) AS n FROM "
            f"(SELECT {listed(*wanted)} FROM {found.sql}{where}) AS x GROUP BY {listed(*places)}"
        )

    def _counted(self) -> tuple[int, int]:
        unknown = " OR ".join(
            f"{c} IS NULL" for c in [*names("c", len(self.columns)), *names("v", len(self.sets))]
        )
        (found,) = self.shelf.ask(
            f"SELECT count(*) AS g0, {sql.total('n', 'g1')}, "
            f"{sql.total(f'CASE WHEN {unknown} THEN n ELSE 0 END', 'g2')} "
            f"FROM {self._lines} AS x",
            {"g0": "bigint", "g1": "bigint", "g2": "bigint"},
        ).to_pylist()
        if found["g2"]:
            raise DataError(
                f"{found['g2']:,} people have values that were not there when values were listed",
                where=self.shelf.session.where,
                fix="Nothing was published. Run it again when nobody writes to the source.",
            )
        return found["g0"], found["g1"]

    def coded(self, relation: str, texts: Mapping[str, str], *, sets: bool = True) -> Coded:
        """Rows with their codes; a value that has none is NULL.

        Args:
            relation: SQL of the rows, to stand after FROM.
            texts: SQL of the columns' texts there.
            sets: Whether codes of sensitive values are wanted too.
        """
        joins, codes = [], []
        for i, name in enumerate((*self.columns, *(self.sets if sets else ()))):
            text, missing = texts[name], self._missing[i]
            joins.append(f" LEFT JOIN {self._dictionaries[i]} AS k{i} ON k{i}.t = {text}")
            nothing = "NULL" if missing is None else str(int(missing))
            codes.append(f"CASE WHEN {text} IS NULL THEN {nothing} ELSE k{i}.code END")
        return Coded(relation + "".join(joins), tuple(codes))

    # What cuts are chosen by

    def sizes(self, tree: Tree, parts: Sequence[int]) -> list[int]:
        found = self.shelf.ask(
            f"SELECT part AS g0, count(*) AS n FROM ({self._parted(tree, parts)}) AS y "
            "GROUP BY part",
            {"g0": "int", "n": "bigint"},
        )
        known = dict(zip(found["g0"].to_pylist(), found["n"].to_pylist(), strict=True))
        return [known.get(part, 0) for part in parts]

    def margins(self, tree: Tree, parts: Sequence[int], *, values: bool = True) -> Table:
        attributes = len(self.sets) if values else 0
        places = names("g", 5)
        kinds: dict[str, Kind] = dict.fromkeys(places, "int")
        found = self.shelf.ask(
            sql.margins(self._parted(tree, parts), len(self.columns), attributes),
            {**kinds, "n": "bigint"},
        )
        if attributes:  # everybody has a value in the first set
            first = found.filter(pc.equal(found["g2"], 0))
            alone = first.group_by(["g0", "g1", "g3"], use_threads=False).aggregate([("n", "sum")])
            none = pa.array([-1] * alone.num_rows, pa.int32())
            people = [alone["g0"], alone["g1"], none, alone["g3"], none, alone["n_sum"]]
            found = pa.concat_tables([pa.table(people, schema=found.schema), found])
        return found.rename_columns(["part", "axis", "of", "code", "value", "n"])

    def _parted(self, tree: Tree, parts: Sequence[int]) -> str:
        """SQL of the lines of some parts, with `part`."""
        self._place(tree)
        codes = [*names("c", len(self.columns)), *names("v", len(self.sets))]
        part = sql.part_of(tree[len(self._tree) :], placed=bool(self._tree))
        chosen = listed(*(str(int(part)) for part in parts)) or "NULL"
        return (
            f"SELECT part, {listed(*codes)}, n FROM "
            f"(SELECT {part} AS part, {listed(*codes)}, n FROM {self._placed} AS x) AS placed "
            f"WHERE part IN ({chosen})"
        )

    def _place(self, tree: Tree) -> None:
        """Write down the parts of lines as far as one statement cannot tell them."""
        if tree[: len(self._tree)] != self._tree:
            self._place_anew()
        codes = [*names("c", len(self.columns)), *names("v", len(self.sets)), "n"]
        while True:
            begun = len(self._tree)
            until = sql.at_once(tree, begun, deepest=DEEPEST, most=MOST)
            if until == len(tree):
                return
            part = sql.part_of(tree[begun:until], placed=bool(begun))
            # The table that is read is not the one that is made.
            name = f"{self._name}_{'other' if self._placed.endswith('placed') else 'placed'}"
            old = self._placed
            self._placed = self.shelf.keep(
                name, f"SELECT {part} AS part, {listed(*codes)} FROM {old} AS x"
            )
            self._tree = tree[:until]
            if self._number(f"SELECT count(*) AS n FROM {self._placed} AS x") != self.lines:
                raise self._changed()
            if begun:
                self.shelf.drop(old)

    def _place_anew(self) -> None:
        if self._placed != self._lines:
            self.shelf.drop(self._placed)
        self._tree, self._placed = (), self._lines

    # What becomes of the parts

    def solve(
        self,
        tree: Tree,
        parts: Sequence[int],
        work: Work,
        *,
        separated: bool,
        progress: Callable[[float], None] | None = None,
    ) -> None:
        task = Task(
            work=work, axes=len(self.columns), attributes=len(self.sets), separated=separated
        )
        self._forget()
        solved = self.shelf.solve(
            f"{self._name}_solved", self._parted(tree, parts), list(parts), task, progress
        )
        self._solved, self._task = solved, task
        try:
            self._check(task)
        except BaseException:
            self._forget()
            raise

    def _forget(self) -> None:
        if self._solved:
            self.shelf.drop(self._solved)
        self._solved, self._task = "", None

    def _check(self, task: Task) -> None:
        """Make sure that nobody can be published twice, nor anybody who is not there."""
        if self._number(sql.unsound(self._solved, separated=task.separated)):
            raise DataError("a solution has lines that are for no number of people")
        if twice := self._number(sql.twice(self._solved, task.keys, separated=task.separated)):
            raise DataError(f"a solution sends {twice:,} of its tuples to more than one group")
        if wrong := self._number(
            sql.of_nobody(self._lines, self._solved, task.keys, separated=task.separated)
        ):
            raise DataError(f"a solution has {wrong:,} tuples with people who are not there")

    def condensed(self) -> Table:
        task = self._task_done()
        kinds: dict[str, Kind] = dict.fromkeys(names("p", task.axes), "text")
        kinds |= dict.fromkeys(names("v", task.attributes), "int")
        kinds |= dict.fromkeys([*names("l", task.axes), *names("h", task.axes)], "int")
        kinds |= dict.fromkeys(names("r", task.axes), "double")
        query = sql.condensed(
            self._lines, self._solved, task.axes, task.attributes, separated=task.separated
        )
        return self.shelf.ask(query, {**kinds, "n": "bigint"})

    def tuple_sizes(self) -> Table:
        return self.shelf.ask(
            sql.tuple_sizes(self._lines, len(self.columns)), {"size": "bigint", "tuples": "bigint"}
        )

    def within(self, boxes: Sequence[Box]) -> list[int]:
        answers: list[int] = []
        for begin in range(0, len(boxes), BOXES):
            some = boxes[begin : begin + BOXES]
            kinds: dict[str, Kind] = dict.fromkeys(names("b", len(some)), "bigint")
            (found,) = self.shelf.ask(sql.within(self._lines, some), kinds).to_pylist()
            answers += found.values()
        return answers

    def close(self) -> None:
        self._forget()
        self._place_anew()
        for table in (*self._dictionaries, self._lines):
            self.shelf.drop(table)

    # For writing

    def refuse_misfit(
        self,
        session: DuckDBSession,
        quasi_identifiers: Sequence[str],
        sensitive: Sequence[str],
        keep: Collection[str],
    ) -> None:
        """See that its solution can be written so.

        Args:
            session: Of the engine that writes.
            quasi_identifiers: As for `Engine.write`.
            sensitive: As for `Engine.write`.
            keep: As for `Engine.write`.

        Raises:
            DataError: It publishes another text for a value that should stay as it is.
        """
        if session is not self.shelf.session:
            raise ValueError("it is held by another engine")
        if tuple(quasi_identifiers) != self.columns or tuple(sensitive) not in ((), self.sets):
            raise ValueError(f"{self.columns} and {self.sets} are held")
        self._refuse_altered([j for j, name in enumerate(self.columns) if name in keep])

    @property
    def separated(self) -> bool:
        """Whether the solution separates people of one tuple."""
        return self._task_done().separated

    @property
    def mapping(self) -> str:
        """SQL of the solution as a mapping whose keys q0, q1, ... and s0, s1, ... are codes."""
        task = self._task_done()
        keys = [f"{c} AS q{c[1:]}" if c[0] == "c" else f"{c} AS s{c[1:]}" for c in task.keys]
        ranks = ["lo", "hi"] if task.separated else []
        return f"(SELECT {listed(*keys, *names('p', task.axes), *ranks)} FROM {self._solved} AS y)"

    def _refuse_altered(self, kept: Sequence[int]) -> None:
        """See that quasi-identifiers that should stay as they are do."""
        self._task_done()
        for j in kept:
            missing = self._missing[j]
            nothing = "1 = 0" if missing is None else f"m.c{j} = {int(missing)}"
            changed = self._number(
                f"SELECT count(*) AS n FROM {self._solved} AS m "
                f"LEFT JOIN {self._dictionaries[j]} AS k ON k.code = m.c{j} "
                f"WHERE NOT coalesce(m.p{j} = k.t, m.p{j} IS NULL AND {nothing})"
            )
            if changed:
                raise DataError(f"p{j} should keep q{j} and changes {changed:,} tuples")

    def _task_done(self) -> Task:
        if self._task is None:
            raise ValueError("solve it first")
        return self._task

    def _number(self, query: str) -> int:
        return int(self.shelf.ask(query, COUNT)["n"][0].as_py())

    def _changed(self) -> DataError:
        return DataError(
            "the source gave other lines when it was read again",
            where=self.shelf.session.where,
            fix="Nothing was published. Run it again when nobody writes to the source.",
        )


def _dictionary(codes: Codes) -> Table:
    texts = [text for text in codes if text is not None]
    numbers = [codes[text] for text in texts]
    return pa.table({"t": pa.array(texts, pa.string()), "code": pa.array(numbers, pa.int32())})
