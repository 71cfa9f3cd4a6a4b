"""DuckDB: the default engine, for everything that fits on one machine's disk."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from hedgerow.base.errors import TargetError
from hedgerow.engines.base import Table, TablePlace, Written
from hedgerow.engines.file_writer import write_ordered
from hedgerow.engines.frequency_lines import HeldLines
from hedgerow.engines.frequency_set import FrequencySet
from hedgerow.engines.local_table import LocalTable
from hedgerow.engines.recode_join import assigned, given
from hedgerow.engines.session_table import key_names


class DuckDBEngine(LocalTable):
    """A source read by DuckDB. Made by `open_engine`, which says what the arguments mean."""

    def write(
        self,
        mapping: Table | FrequencySet,
        target: Path | TablePlace,
        *,
        columns: Sequence[str],
        quasi_identifiers: Sequence[str],
        sensitive: Sequence[str] = (),
        keep: Collection[str] = (),
        expect_people: int | None = None,
        expect_rows: int | None = None,
        escape_formulas: bool = False,
    ) -> Written:
        if expect_people is None and expect_rows is None:
            raise ValueError("write needs expect_people or expect_rows")
        if isinstance(target, TablePlace):
            raise TargetError(
                "a table is made by the engine that holds the source, and this one has files",
                where=str(target),
                fix="Publish to a folder, or read the source from a table there.",
            )
        self._publishable(target, columns)
        with given(self._session, mapping, quasi_identifiers, sensitive, keep) as ranked:
            published = {q: f"p{j}" for j, q in enumerate(quasi_identifiers) if q not in keep}
            published = {name: published.get(name, f"v{i}") for i, name in enumerate(columns)}
            if self._person is None:
                held = mapping if isinstance(mapping, HeldLines) else None
                relation = self._recoded_rows(published, quasi_identifiers, sensitive, ranked, held)
                people = None
            else:
                relation = self._recoded_people(published, quasi_identifiers, sensitive, ranked)
                people, rows = self._session.fetch("SELECT count(*), sum(rows) FROM chosen")[0]
                expect_rows = int(rows or 0) if expect_rows is None else expect_rows

            def check(rows: int) -> None:
                self._expect(rows, expect_rows, "rows")
                self._expect(rows if people is None else people, expect_people, "people")

            kinds = [self._kind(n) if e[0] == "v" else "VARCHAR" for n, e in published.items()]
            both = [
                f"{e}::VARCHAR AS t{i}, {e}::{kind} AS o{i}"
                for i, (e, kind) in enumerate(zip(published.values(), kinds, strict=True))
            ]
            written, digest = write_ordered(
                self._session,
                f"SELECT {', '.join(both)} FROM ({relation})",
                target,
                names=columns,
                repeated=False,
                escape_formulas=escape_formulas,
                check=check,
            )
        people = written if people is None else people
        return Written(path=target, rows=written, people=people, sha256=digest)

    def _recoded_rows(
        self,
        published: dict[str, str],
        quasi: Sequence[str],
        sensitive: Sequence[str],
        ranked: bool,
        held: HeldLines | None,
    ) -> str:
        """SQL of the published rows where each row is a person."""
        passed = {name: v for name, v in published.items() if v[0] == "v"}
        values = [f"{self._value(name)} AS {v}" for name, v in passed.items()]
        keys, relation = key_names(quasi, sensitive), "source"
        raw = [*self._texts("q", quasi), *self._texts("s", sensitive)]
        if held is not None:
            found = held.coded("source", self._texts_of([*quasi, *held.sets]), sets=ranked)
            keys, relation = key_names(quasi, held.sets if ranked else ()), found.sql
            raw = [f"{code} AS {k}" for code, k in zip(found.codes, keys, strict=True)]
        texts = [f"{v}::VARCHAR" for v in passed.values()]
        return assigned(
            f"(SELECT {', '.join([*raw, *values])} FROM {relation})",
            keys,
            list(published.values()),
            ranked=ranked,
            ties=[f"md5(concat_ws(chr(31), {', '.join(texts)}))", *texts] if texts else [],
        )

    def _recoded_people(
        self,
        published: dict[str, str],
        quasi: Sequence[str],
        sensitive: Sequence[str],
        ranked: bool,
    ) -> str:
        """SQL of the published rows; makes the table `chosen` of the people they are about."""
        assert self._person is not None
        self._gather(quasi, sensitive)
        recoded = [p for p in published.values() if p[0] == "p"]
        chosen = assigned(
            "people",
            key_names(quasi, sensitive),
            ["p", "rows", *recoded],
            ranked=ranked,
            ties=["md5(p)", "p"],
        )
        self._session.do(f"CREATE OR REPLACE TEMP TABLE chosen AS {chosen}")
        values = [f"{self._value(n)} AS {v}" if v[0] == "v" else v for n, v in published.items()]
        return (
            f"SELECT {', '.join(values)} FROM source "
            f"JOIN chosen ON {self._text(self._person)} = chosen.p"
        )
