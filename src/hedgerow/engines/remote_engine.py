"""A remote table as an engine: rows are recoded where they are.

For a release in files the published rows come out, and DuckDB orders and writes them; for a
release that is a table nothing comes out but counts.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from hedgerow.engines.base import Table, TablePlace, Written
from hedgerow.engines.file_writer import write_ordered
from hedgerow.engines.frequency_lines import HeldLines
from hedgerow.engines.frequency_set import FrequencySet
from hedgerow.engines.packed_text import SEPARATOR, key, packed
from hedgerow.engines.recode_join import INTO, checked
from hedgerow.engines.remote import Kind
from hedgerow.engines.remote_recode_join import assigned_there
from hedgerow.engines.remote_table import RemoteTable
from hedgerow.engines.session_table import key_names, letters
from hedgerow.engines.table_hash import buckets, whole

Carried = dict[str, str]
"""Published column -> p0, p1, ... of the mapping, or v0, v1, ... as it is."""


class RemoteEngine(RemoteTable):
    """A table that is somewhere else. Made by `open_engine`, which says what the arguments mean."""

    _staged: RemoteEngine | None = None

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
        self._publishable(target, columns)
        self._asked([*columns, *quasi_identifiers, *sensitive])
        into, ranked = self._given(mapping, quasi_identifiers, sensitive, keep)
        labels = letters("p", quasi_identifiers)
        published = {q: labels[j] for j, q in enumerate(quasi_identifiers) if q not in keep}
        carried = {name: published.get(name, f"v{i}") for i, name in enumerate(columns)}
        typed, people = isinstance(target, TablePlace), None
        if self._person is None:
            held = mapping if isinstance(mapping, HeldLines) else None
            if held is not None:
                sensitive = held.sets if ranked else ()
            sql = self._of_rows(
                into, carried, quasi_identifiers, sensitive, ranked, held, typed=typed
            )
        else:
            chosen = self._chosen(into, carried, quasi_identifiers, sensitive, ranked)
            people = self._number(f"SELECT count(*) AS n FROM {chosen} AS x")
            if expect_rows is None:
                total = f"CAST(coalesce({self._sql.total('rows')}, 0) AS bigint)"
                expect_rows = self._number(f"SELECT {total} AS n FROM {chosen} AS x")
            sql = self._of_people(chosen, carried, typed=typed)

        def check(rows: int) -> None:
            self._expect(rows, expect_rows, "rows")
            self._expect(rows if people is None else people, expect_people, "people")
            self._remote.refuse_changed()

        if isinstance(target, TablePlace):
            rows, digest = self._stage(sql, target, columns, check)
        else:
            self._remote.pull(sql, self._session, "published", _places(carried))
            rows, digest = write_ordered(
                self._session,
                self._as_local(carried),
                target,
                names=columns,
                repeated=False,
                escape_formulas=escape_formulas,
                check=check,
            )
            self._session.do("DROP TABLE published")
        people = rows if people is None else people
        return Written(path=target, rows=rows, people=people, sha256=digest)

    def _given(
        self,
        mapping: Table | FrequencySet,
        quasi: Sequence[str],
        sensitive: Sequence[str],
        keep: Collection[str],
    ) -> tuple[str, bool]:
        """The mapping over there, by keys that are never NULL; and whether it separates people."""
        if isinstance(mapping, HeldLines):
            mapping.refuse_misfit(self._session, quasi, sensitive, keep)
            return mapping.mapping, mapping.separated
        keys = key_names(quasi, sensitive)
        labels = letters("p", quasi)
        with self._session.holding(INTO, mapping):
            kept = [j for j, name in enumerate(quasi) if name in keep]
            ranked = checked(self._session, mapping, keys=keys, recoded=len(quasi), kept=kept)
            wanted = [
                f"{key(packed(k) if k[0] == 's' and self._person else k)} AS {k}" for k in keys
            ]
            kinds: dict[str, Kind] = dict.fromkeys([*keys, *labels], "text")
            bounds: dict[str, Kind] = {"lo": "bigint", "hi": "bigint"} if ranked else {}
            sql = f"SELECT {', '.join([*wanted, *labels, *bounds])} FROM {INTO}"
            return self._remote.push(INTO, self._session, sql, {**kinds, **bounds}), ranked

    def _of_rows(
        self,
        into: str,
        carried: Carried,
        quasi: Sequence[str],
        sensitive: Sequence[str],
        ranked: bool,
        held: HeldLines | None,
        *,
        typed: bool,
    ) -> str:
        """SQL of the published rows where each row is a person."""
        passed = {name: v for name, v in carried.items() if v[0] == "v"}
        known = [*passed] if ranked or (typed and self._altered) else []
        found = self._canonical.relation([*quasi, *sensitive, *known])
        keys = key_names(quasi, sensitive)
        values, relation = [key(found.texts[name]) for name in (*quasi, *sensitive)], found.sql
        if held is not None:
            coded = held.coded(found.sql, found.texts, sets=ranked)
            values, relation = list(coded.codes), coded.sql
        wanted = [f"{value} AS {k}" for value, k in zip(values, keys, strict=True)]
        wanted += [f"{self._passed(name, found.texts, typed)} AS {v}" for name, v in passed.items()]
        ties = []
        if ranked and passed:
            texts = [f"x{v[1:]}" for v in passed.values()]
            wanted += [f"{found.texts[n]} AS {x}" for n, x in zip(passed, texts, strict=True)]
            mixed = self._sql.md5(f"concat_ws({SEPARATOR}, {', '.join(texts)})")
            ties = [self._sql.bytewise(sql) for sql in (mixed, *texts)]
        rows = assigned_there(
            f"SELECT {', '.join(wanted)} FROM {relation}",
            into,
            keys=keys,
            carried=list(passed.values()),
            labels=[p for p in carried.values() if p[0] == "p"],
            ranked=ranked,
            ties=ties,
        )
        return f"SELECT {_in_order(carried)} FROM ({rows}) AS z"

    def _chosen(
        self,
        into: str,
        carried: Carried,
        quasi: Sequence[str],
        sensitive: Sequence[str],
        ranked: bool,
    ) -> str:
        """The remote's table of the people who are published, with what becomes of each."""
        people = self._people(quasi, sensitive)
        keys = key_names(quasi, sensitive)
        wanted = ", ".join(["p", "rows", *(f"{key(k)} AS {k}" for k in keys)])
        chosen = assigned_there(
            f"SELECT {wanted} FROM {people} AS people",
            into,
            keys=keys,
            carried=["p", "rows"],
            labels=[p for p in carried.values() if p[0] == "p"],
            ranked=ranked,
            ties=[self._sql.bytewise(self._sql.md5("p")), self._sql.bytewise("p")],
        )
        return self._remote.keep("chosen", chosen)

    def _of_people(self, chosen: str, carried: Carried, *, typed: bool) -> str:
        """SQL of the published rows of those people."""
        assert self._person is not None
        passed = {name: v for name, v in carried.items() if v[0] == "v"}
        known = [*passed] if typed and self._altered else []
        found = self._canonical.relation([self._person, *known])
        wanted = [
            f"{self._passed(name, found.texts, typed) if v in passed.values() else f'chosen.{v}'} "
            f"AS o{i}"
            for i, (name, v) in enumerate(carried.items())
        ]
        return (
            f"SELECT {', '.join(wanted)} FROM {found.sql} "
            f"JOIN {chosen} AS chosen ON chosen.p = {found.texts[self._person]}"
        )

    @property
    def _altered(self) -> bool:
        """Whether some texts are read as others, or as missing."""
        return bool(self._null or any(self._spelled.values()))

    def _passed(self, name: str, texts: dict[str, str], typed: bool) -> str:
        """SQL of a column that is published as it is: its exact text, or its own value."""
        column = self._canonical.column(name)
        if not typed:
            return column.text  # texts that mean missing are seen to where it arrives
        if self._canonical.is_respelled(name):
            return texts[name]
        if not self._null:
            return column.value
        return f"CASE WHEN {texts[name]} IS NULL THEN NULL ELSE {column.value} END"

    def _as_local(self, carried: Carried) -> str:
        """SQL of the fetched rows, as text and as what they are."""
        both = []
        for i, (name, v) in enumerate(carried.items()):
            if v[0] == "p":
                both.append(f"o{i} AS t{i}, o{i} AS o{i}")
                continue
            source = self._source.types[self._place[name]]
            value = self._canonical.typed(name, f"(o{i}::{source})").value
            both.append(f"{value}::VARCHAR AS t{i}, {value}::{self._kind(name)} AS o{i}")
        return f"SELECT {', '.join(both)} FROM published"

    # Releases that are tables

    def reaches(self, place: TablePlace) -> bool:
        """Whether a release can be made there without rows leaving: it is where the source is."""
        return self._remote.reaches(place)

    def check_table(self, place: TablePlace, *, replace: bool) -> None:
        """Refuse early what would fail late.

        Raises:
            TargetError: A release cannot or must not be put there.
        """
        self._remote.check_table(place, replace=replace)

    def _stage(
        self, sql: str, place: TablePlace, columns: Sequence[str], check: Callable[[int], None]
    ) -> tuple[int, str]:
        self._forget_staged()
        self._staged = RemoteEngine(self._remote.stage(place, sql, columns))
        try:
            rows = self._staged.rows_total()
            check(rows)
            return rows, self._staged.content_sha256()
        except BaseException:
            self._remote.discard()
            raise

    @property
    def staged(self) -> RemoteEngine:
        """The table that was written and that nobody sees yet."""
        assert self._staged is not None, "write it first"
        return self._staged

    def deliver(self, certificate: str, *, replace: bool) -> None:
        """Let the written table and its certificate appear, together."""
        self._remote.deliver(certificate, replace=replace)

    def content_sha256(self, columns: Sequence[str] | None = None) -> str:
        """The hash of all rows, in whatever order they are; of some columns, or of all."""
        names = self.columns() if columns is None else columns
        self._asked(names)
        found = self._canonical.relation(names)
        texts = [found.texts[name] for name in names]
        sql = buckets(found.sql, texts, self.rows_total(), self._sql)
        self._pull(sql, "buckets", {"b": "text", "h": "text"})
        return whole(self._session.fetch("SELECT b, h FROM buckets"))

    def certificate(self) -> str | None:
        """The certificate beside the table, if it has one."""
        return self._remote.certificate()

    def close(self) -> None:
        self._forget_staged()
        super().close()

    def _forget_staged(self) -> None:
        """Let go of what looked at a table that was written; the connection is ours."""
        if self._staged is not None:
            self._staged._session.close()
            self._staged = None


def _places(carried: Carried) -> dict[str, Kind]:
    return {f"o{i}": "text" for i in range(len(carried))}


def _in_order(carried: Carried) -> str:
    return ", ".join(f"{v} AS o{i}" for i, v in enumerate(carried.values()))
