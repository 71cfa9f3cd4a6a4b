"""What may go wrong with a frequency set that stays in the engine, and leaves nothing behind."""

import pyarrow as pa
import pytest

from hedgerow.base.errors import DataError
from hedgerow.engines import open_engine
from hedgerow.engines.splits import Split

ROWS = 40
TABLE = pa.table({"a": pa.array([i % 8 for i in range(ROWS)], pa.int64()), "n": list(range(ROWS))})
CODES = [{str(a): a for a in range(8)}]
TREE = (Split(part=0, axis=0, behind=3, left=1, right=2),)
DEEP = tuple(
    Split(part=2 * i, axis=0, behind=-1, left=2 * i + 1, right=2 * i + 2) for i in range(80)
)


def as_it_is(part):
    codes = part["c0"].to_pylist()
    return pa.table({
        "c0": codes, "n": part["n"], "p0": [str(c) for c in codes], "l0": codes, "h0": codes,
        "r0": [0.0] * len(codes),
    })  # fmt: skip


def failing(how):
    """Does the first part, and something else with the second."""
    parts = []

    def work(part):
        parts.append(part)
        if len(parts) == 2:
            how()
        return as_it_is(part)

    return work


@pytest.fixture(params=["duckdb", "postgresql"])
def source(request):
    if request.param == "duckdb":
        return TABLE
    return request.getfixturevalue("postgresql_tables")(TABLE)


def tables_of(engine):
    """Every temporary table there is, here and where the data are."""
    here = engine._session.fetch("SELECT table_name FROM duckdb_tables()")
    found = {name for (name,) in here}
    if hasattr(engine, "_remote"):
        asked = "SELECT relname FROM pg_class WHERE relpersistence = 't' AND relkind = 'r'"
        asked += " AND pg_table_is_visible(oid)"
        found |= {name for (name,) in engine._remote._connection.fetch(asked)}
    return found


def test_an_interrupt_leaves_the_lines_and_nothing_else(source, tmp_path):
    def interrupt():
        raise KeyboardInterrupt

    with open_engine(source, scratch=tmp_path) as engine:
        before = tables_of(engine)
        held = engine.hold(["a"], codes=CODES)
        lines = tables_of(engine)
        assert len(lines - before) == 2, "lines and codes"
        with pytest.raises(KeyboardInterrupt):
            held.solve(TREE, [1, 2], failing(interrupt), separated=False)
        assert tables_of(engine) == lines
        held.solve(TREE, [1, 2], as_it_is, separated=False)
        assert sum(held.condensed()["n"].to_pylist()) == ROWS
        assert len(tables_of(engine) - lines) == 1
        held.sizes(DEEP, [1])  # so deep a tree is written down
        assert len(tables_of(engine) - lines) == 2
        held.close()
        assert tables_of(engine) == before
    assert not list(tmp_path.iterdir())


def test_a_database_that_goes_away_is_one_sentence(postgresql_tables, tmp_path):
    with open_engine(postgresql_tables(TABLE), scratch=tmp_path) as engine:
        (own,) = engine._remote._connection.fetch("SELECT pg_backend_pid()")

        def ended():
            postgresql_tables.sql(f"SELECT pg_terminate_backend({own[0]})")

        held = engine.hold(["a"], codes=CODES)
        with pytest.raises(DataError, match="the connection to the database was lost"):
            held.solve(TREE, [1, 2], failing(ended), separated=False)
        with pytest.raises(DataError, match="the connection to the database was lost"):
            held.sizes(TREE, [1, 2])
    assert not list(tmp_path.iterdir())


def test_texts_a_database_thinks_equal_are_two(postgresql_tables, tmp_path):
    postgresql_tables.sql(
        "CREATE COLLATION loose "
        "(provider = icu, locale = 'und-u-ks-level2', deterministic = false)",
        "CREATE TABLE words (a text COLLATE loose, s text COLLATE loose, n integer)",
        "INSERT INTO words VALUES ('x', 'é', 1), ('X', 'É', 2), ('X', 'é', 3), ('?', 'é', 4)",
    )
    codes = [{"x": 0, "X": 1, None: 2}, {"é": 0, "É": 1}]
    with open_engine(postgresql_tables.place("words"), null=["?"]) as engine:
        held = engine.hold(["a"], sets=["s"], codes=codes)
        assert (held.lines, held.people) == (4, 4)
        assert held.within([{0: (code, code)} for code in range(3)]) == [1, 2, 1]

        def work(part):
            lines = part.sort_by([("c0", "ascending"), ("v0", "ascending")]).to_pydict()
            count = part.num_rows
            return pa.table({
                **lines, "lo": [0] * count, "hi": [1] * count, "p0": ["x", "X", "X", "?"],
                "l0": lines["c0"], "h0": lines["c0"], "r0": [0.0] * count,
            })  # fmt: skip

        held.solve((), [0], work, separated=True)
        assert sorted(map(tuple, (r.values() for r in held.condensed().to_pylist()))) == [
            ("?", 0, 2, 2, 0.0, 1), ("X", 0, 1, 1, 0.0, 1), ("X", 1, 1, 1, 0.0, 1),
            ("x", 0, 0, 0, 0.0, 1),
        ]  # fmt: skip
        file = tmp_path / "words.csv"
        engine.write(
            held, file, columns=["n", "a"], quasi_identifiers=["a"], sensitive=["s"],
            expect_people=4,
        )  # fmt: skip
        lines = file.read_text("utf-8").splitlines()
    assert sorted(lines) == sorted(["n,a", "1,x", "2,X", "3,X", "4,?"])
