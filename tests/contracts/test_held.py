"""Frequency sets that stay in the engine: every engine comes to what plain Python comes to."""

import datetime as dt
import random
from collections import Counter, defaultdict
from decimal import Decimal

import pyarrow as pa
import pytest
from contracts.engine_homes import ELSEWHERE, FAST, HERE, HOMES, MARKS

from hedgerow.base.errors import ClaimError, DataError
from hedgerow.engines import open_engine, table_place
from hedgerow.engines.splits import Split

# Values of each column with the text they have to be known by.
TEXTS = [(v, None if v == "?" else v) for v in (
    "", " ", "a", "A", "a ", "ä", "e\u0301", "\u00e9", "☃", "\x1f", "\\", '"', "a,b", "?", "NULL",
)]  # fmt: skip
FLOATS = [(0.0, "0.0"), (-0.0, "-0.0"), (float("nan"), "nan"), (0.1, "0.1"), (1e16, "1e+16")]
DECIMALS = [(Decimal("1.50"), "1.50"), (Decimal("-0.05"), "-0.05"), (Decimal("0.00"), "0.00")]
TIMES = [(dt.datetime(2024, 3, 31, 0, 59, 59), "2024-03-31 00:59:59+00")]
TIMES += [(dt.datetime(1969, 12, 31, 23), "1969-12-31 23:00:00+00")]
NOTHING = (None, None)
COLUMNS = {
    'the "text"; --': (TEXTS, pa.string()),
    "float": ([*FLOATS, NOTHING], pa.float64()),
    "when": ([*TIMES, NOTHING], pa.timestamp("us", "UTC")),
    "disease": ([("flu", "flu"), ("Flu", "Flu"), NOTHING], pa.string()),
    "price": ([*DECIMALS, NOTHING], pa.decimal128(9, 2)),
}
NAMES = list(COLUMNS)
QUASI, SETS = NAMES[:3], NAMES[3:]
BARRED = [QUASI[0]]
ROWS = 600


def made(rows=ROWS, seed=5):
    """A table, and the texts of its rows."""
    pick = random.Random(seed).choices
    drawn = [
        pick(choices, weights=range(len(choices), 0, -1), k=rows) for choices, _ in COLUMNS.values()
    ]
    table = pa.table(
        [
            *(
                pa.array([value for value, _ in column], kind)
                for column, (_, kind) in zip(drawn, COLUMNS.values(), strict=True)
            ),
            pa.array(range(rows), pa.int64()),
        ],
        names=[*NAMES, "number"],
    )
    texts = list(zip(*([text for _, text in column] for column in drawn), strict=True))
    return table, texts


TABLE, ALL = made()
ORDER = random.Random(11)
CODES = []
"""For each column, the codes of its values, in an order of their own."""
for _, (_choices, _) in enumerate(COLUMNS.values()):
    _texts = sorted({text for _, text in _choices}, key=repr)
    ORDER.shuffle(_texts)
    CODES.append({text: code for code, text in enumerate(_texts)})
PEOPLE = [
    tuple(codes[text] for codes, text in zip(CODES, row, strict=True))
    for row in ALL
    if row[0] is not None
]
"""The codes of everybody who is held."""
LINES = Counter(PEOPLE)
AXES = len(QUASI)


def grown(seed, cuts, *, chain=False):
    """A tree of cuts anywhere, and its parts."""
    draw = random.Random(seed)
    parts, splits = [0], []
    for i in range(cuts):
        part = parts[-1] if chain else draw.choice(parts)
        axis = draw.randrange(AXES)
        left, right = 2 * i + 1, 2 * i + 2
        behind = draw.randrange(-1, len(CODES[axis]))
        splits.append(Split(part=part, axis=axis, behind=behind, left=left, right=right))
        parts.remove(part)
        parts += [left, right]
    return tuple(splits), parts


def part_of(tree, codes):
    part = 0
    for split in tree:
        if split.part == part:
            part = split.left if codes[split.axis] <= split.behind else split.right
    return part


@pytest.fixture(params=HOMES)
def home(request):
    return request.param


@pytest.fixture
def opened(request, home):
    """Opens a table where the engine is."""

    def build(table=TABLE, **options):
        if home not in HERE:
            table = request.getfixturevalue(f"{home}_tables")(table)
        return open_engine(table, null=["?"], **options)

    return build


def held_by(engine):
    return engine.hold(QUASI, sets=SETS, codes=CODES, barred=BARRED)


def rows_of(table):
    return Counter(tuple(row.values()) for row in table.to_pylist())


def test_lines_parts_and_margins(opened, home):
    trees = [((), [0]), grown(1, 1), grown(2, 12)]
    with opened() as engine:
        held = held_by(engine)
        assert (held.lines, held.people) == (len(LINES), len(PEOPLE))
        for tree, parts in trees[-1:] if home == "spark" else trees:
            asked = [*parts, 999]
            inside = {part: Counter() for part in asked}
            for line, n in LINES.items():
                inside[part_of(tree, line)][line] += n
            assert held.sizes(tree, asked) == [len(inside[part]) for part in asked]
            some = asked[::2]
            told = Counter()
            for part in some:
                for line, n in inside[part].items():
                    for axis in range(AXES):
                        told[part, axis, -1, line[axis], -1, None] += n
                        for i in range(len(SETS)):
                            told[part, axis, i, line[axis], line[AXES + i], None] += n
            found = held.margins(tree, some)
            assert found.column_names == ["part", "axis", "of", "code", "value", "n"]
            assert [str(t) for t in found.schema.types] == ["int32"] * 5 + ["int64"]
            assert rows_of(found) == Counter((*key[:5], n) for key, n in told.items())
            alone = held.margins(tree, some, values=False)
            assert alone.schema == found.schema
            assert rows_of(alone) == Counter((*k[:5], n) for k, n in told.items() if k[2] < 0)


def test_tuples_and_boxes(opened):
    boxes = [{}, {0: (2, 5)}, {0: (0, 99), 2: (1, 1)}, {1: (3, 2)}]
    draw = random.Random(3)
    for _ in range(300):  # more than one scan looks at
        axes = draw.sample(range(AXES), draw.randint(1, 2))
        boxes.append({axis: tuple(sorted(draw.choices(range(16), k=2))) for axis in axes})
    with opened() as engine:
        held = held_by(engine)
        tuples = Counter(person[:AXES] for person in PEOPLE)
        sizes = Counter(tuples.values())
        assert held.tuple_sizes().to_pydict().keys() == {"size", "tuples"}
        assert rows_of(held.tuple_sizes()) == Counter(sizes.items())
        assert held.within(boxes) == [
            sum(all(a <= p[axis] <= b for axis, (a, b) in box.items()) for p in PEOPLE)
            for box in boxes
        ]


def test_many_parts_and_deep_trees(opened):
    with opened() as engine:
        held = held_by(engine)
        for tree, parts in (grown(4, 400), grown(6, 60, chain=True)):
            # As it grows, and one that does not begin like the last.
            for until in (len(tree) // 2, len(tree)):
                begun = tree[:until]
                there = Counter(part_of(begun, line) for line in LINES)
                assert held.sizes(begun, sorted(there)) == [there[p] for p in sorted(there)]
            assert set(there) <= set(parts)


# Methods that are none. They are made inside functions, so that executors get them whole.


def every_tuple(axes, *, without=None):
    """Publishes tuples of quasi-identifiers two by two; leaves some out."""

    def work(part):
        import pyarrow as pa

        people = {}
        for row in part.to_pylist():
            key = tuple(row[f"c{j}"] for j in range(axes))
            people[key] = people.get(key, 0) + row["n"]
        keys = sorted(key for key in people if without is None or key[0] % 3 != without)
        columns = {f"c{j}": [key[j] for key in keys] for j in range(axes)}
        columns["n"] = [people[key] for key in keys]
        for j in range(axes):
            low = [key[j] // 2 * 2 for key in keys]
            columns[f"p{j}"] = [None if not a else f"{a}’" for a in low]
            columns[f"l{j}"] = [key[j] - 1 for key in keys]
            columns[f"h{j}"] = [key[j] + 5 for key in keys]
            columns[f"r{j}"] = [key[j] % 2 / 3 for key in keys]
        return pa.table(columns)

    return work


def every_person(axes, attributes, *, without=None):
    """Separates people of a cell by rank: the first, some in the middle left out, the others."""

    def work(part):
        import pyarrow as pa

        names = [f"c{j}" for j in range(axes)] + [f"v{i}" for i in range(attributes)]
        lines = []
        for row in part.to_pylist():
            n = row["n"]
            for lo, hi in ((0, 1), (2, n)) if without is not None else ((0, 1), (1, n)):
                if lo < hi:
                    lines.append({**{k: row[k] for k in names}, "lo": lo, "hi": hi, "n": hi - lo})
        for line in lines:
            for j in range(axes):
                line |= {f"p{j}": f"{line[f'c{j}']} {line['lo']}", f"l{j}": line[f"c{j}"]}
                line |= {f"h{j}": line[f"c{j}"] + line["lo"], f"r{j}": line["lo"] / 7}
        order = [*names, "lo", "hi", "n"]
        order += [f"{x}{j}" for x in "plhr" for j in range(axes)]
        return pa.table({k: [line[k] for line in lines] for k in reversed(order)})

    return work


WORKS = {
    "tuples": (every_tuple(AXES), False),
    "some tuples": (every_tuple(AXES, without=1), False),
    "people": (every_person(AXES, len(SETS)), True),
    "some people": (every_person(AXES, len(SETS), without=1), True),
}


def solution(tree, parts, work):
    """The lines of the mapping, as dictionaries, worked out here."""
    inside = defaultdict(list)
    for line, n in LINES.items():
        inside[part_of(tree, line)].append((*line, n))
    names = [f"c{j}" for j in range(AXES)] + [f"v{i}" for i in range(len(SETS))] + ["n"]
    lines = []
    for part in parts:
        if inside[part]:
            columns = zip(*inside[part], strict=True)
            lines += work(pa.table([list(c) for c in columns], names=names)).to_pylist()
    return lines


def as_mapping(lines, separated):
    """The same as the table `Engine.write` takes."""
    back = [{code: text for text, code in codes.items()} for codes in CODES]
    keys = [(f"c{j}", f"q{j}", back[j]) for j in range(AXES)]
    if separated:
        keys += [(f"v{i}", f"s{i}", back[AXES + i]) for i in range(len(SETS))]
    columns = {q: pa.array([texts[line[c]] for line in lines], pa.string()) for c, q, texts in keys}
    for j in range(AXES):
        columns[f"p{j}"] = pa.array([line[f"p{j}"] for line in lines], pa.string())
    for rank in ("lo", "hi") if separated else ():
        columns[rank] = pa.array([line[rank] for line in lines], pa.int64())
    return pa.table(columns)


def condensed_of(lines, separated):
    """What recipients see, from the lines of the mapping and all people."""
    found = {}
    for line in lines:
        tuple_ = tuple(line[f"c{j}"] for j in range(AXES))
        labels = tuple(line[f"p{j}"] for j in range(AXES))
        if separated:
            people = Counter({tuple(line[f"v{i}"] for i in range(len(SETS))): line["n"]})
        else:
            people = Counter()
            for codes, n in LINES.items():
                if codes[:AXES] == tuple_:
                    people[codes[AXES:]] += n
        for values, n in people.items():
            low, high, rung = ([line[f"{x}{j}"] for j in range(AXES)] for x in "lhr")
            old = found.get((*labels, *values), (low, high, rung, 0))
            found[*labels, *values] = (
                list(map(min, low, old[0])), list(map(max, high, old[1])),
                list(map(max, rung, old[2])), n + old[3],
            )  # fmt: skip
    return Counter((*key, *a, *b, *c, n) for key, (a, b, c, n) in found.items())


@pytest.mark.parametrize(
    ("home", "kind"),
    [
        *((home, kind) for home in FAST for kind in WORKS),
        *(
            pytest.param(home, kind, marks=MARKS[home])
            for home in MARKS
            for kind in ("some tuples", "some people")
        ),
    ],
    indirect=["home"],
)
def test_parts_are_solved_and_written(opened, tmp_path, kind):
    work, separated = WORKS[kind]
    tree, parts = grown(8, 9)
    parts = parts[1:]  # people of one part are left out
    lines = solution(tree, parts, work)
    people = sum(line["n"] for line in lines)
    assert 0 < people < len(PEOPLE)
    columns = [QUASI[1], "number", QUASI[0], *SETS, QUASI[2]]
    told = []
    with opened() as engine, open_engine(TABLE, null=["?"]) as here:
        held = held_by(engine)
        held.solve(tree, parts, work, separated=separated, progress=told.append)
        assert told == sorted(told)
        assert told[-1] == 1.0
        assert rows_of(held.condensed()) == condensed_of(lines, separated)
        mapping = as_mapping(lines, separated)
        options = {"columns": columns, "quasi_identifiers": QUASI, "expect_people": people}
        sensitive = SETS if separated else []
        suffix = "csv" if separated else "parquet"
        written = [
            engine.write(held, tmp_path / f"held.{suffix}", sensitive=sensitive, **options),
            engine.write(held, tmp_path / f"again.{suffix}", **options),
            engine.write(mapping, tmp_path / f"a.{suffix}", sensitive=sensitive, **options),
            here.write(mapping, tmp_path / f"b.{suffix}", sensitive=sensitive, **options),
        ]
        assert {(w.sha256, w.rows, w.people) for w in written} == {
            (written[0].sha256, people, people)
        }
        with pytest.raises(DataError, match="were expected"):
            engine.write(held, tmp_path / "no.csv", **options | {"expect_people": people + 1})
        assert not (tmp_path / "no.csv").exists()


@pytest.mark.parametrize("home", ELSEWHERE, indirect=True)
def test_a_release_that_is_a_table(request, opened, home):
    work, separated = WORKS["some people"]
    lines = solution((), [0], work)
    place = table_place(request.getfixturevalue(f"{home}_tables").place("released"))
    with opened() as engine:
        held = held_by(engine)
        held.solve((), [0], work, separated=separated)
        first, second = (
            engine.write(
                mapping, place, columns=[*NAMES, "number"], quasi_identifiers=QUASI,
                sensitive=SETS, expect_people=sum(line["n"] for line in lines),
            )
            for mapping in (held, as_mapping(lines, separated))
        )  # fmt: skip
        assert first == second


@pytest.mark.parametrize("home", FAST, indirect=True)
def test_what_is_solved_takes_the_place_of_what_was(opened, tmp_path):
    """Also beside another frequency set of the same table."""
    with opened() as engine:
        other = engine.hold(QUASI[:1], codes=CODES[:1])
        held = held_by(engine)
        assert (other.lines, other.people) == (len(CODES[0]), ROWS)
        with pytest.raises(ValueError, match="solve it first"):
            held.condensed()
        for kind in ("people", "some tuples"):
            work, separated = WORKS[kind]
            held.solve((), [0], work, separated=separated)
        other.solve((), [0], every_tuple(1), separated=False)
        assert rows_of(held.condensed()) == condensed_of(solution((), [0], work), separated)
        assert sum(other.condensed()["n"].to_pylist()) == ROWS
        options = {"columns": ["number"], "expect_people": 1}
        with pytest.raises(ValueError, match="are held"):
            engine.write(held, tmp_path / "x.csv", quasi_identifiers=QUASI[:2], **options)


def refusing(axes):
    """Finds nothing that keeps a claim."""

    def work(part):
        from hedgerow.base.errors import ClaimError

        raise ClaimError("5-anonymity cannot be met", where="plan.yaml", fix="Ask for less.")

    return work


def altered(change, *, separated=False):
    """The lines of a method, changed."""
    method = every_person(AXES, len(SETS)) if separated else every_tuple(AXES)

    def work(part):
        import pyarrow as pa

        return pa.table(change(method(part).to_pydict()))

    return work


def test_errors_of_the_work_come_back(opened, tmp_path):
    tree, parts = grown(8, 9)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    with opened(scratch=scratch) as engine:
        held = held_by(engine)
        with pytest.raises(ClaimError) as refused:
            held.solve(tree, parts, refusing(AXES), separated=False)
        assert str(refused.value) == "plan.yaml: 5-anonymity cannot be met\n  Ask for less."
        assert refused.value.exit_code == 1
        with pytest.raises(ValueError, match="solve it first"):
            held.condensed()
        held.solve(tree, parts, WORKS["tuples"][0], separated=False)
        assert sum(held.condensed()["n"].to_pylist()) == len(PEOPLE)
    assert not list(scratch.iterdir())


def _twice(lines):
    return {k: [*v, v[0]] for k, v in lines.items()}


def _more(lines):
    return {**lines, "n": [lines["n"][0] + 1, *lines["n"][1:]]}


def _nobody(lines):
    return {**lines, "c0": [77, *lines["c0"][1:]]}


def _without(lines):
    return {k: v for k, v in lines.items() if k != "r1"}


def _lacking(lines):
    return {**lines, "c1": [None, *lines["c1"][1:]]}


def _none(lines):
    return {**lines, "n": [0, *lines["n"][1:]]}


def _beyond(lines):
    return {**lines, "hi": [hi + 1 for hi in lines["hi"]], "n": [n + 1 for n in lines["n"]]}


def _last(lines):
    """The last rank of a cell, shifted beyond it."""
    top = max(range(len(lines["hi"])), key=lines["hi"].__getitem__)
    hi, n = list(lines["hi"]), list(lines["n"])
    hi[top] += 1
    n[top] += 1
    return {**lines, "hi": hi, "n": n}


def _uncounted(lines):
    return {**lines, "n": [n + 1 for n in lines["n"]]}


WRONG = [
    (_twice, False, "more than one group"),
    (_more, False, "who are not there"),
    (_nobody, False, "who are not there"),
    (_without, False, "it needs"),
    (_lacking, False, "lacks values in c1"),
    (_none, False, "no number of people"),
    (_twice, True, "more than one group"),
    (_beyond, True, "more than one group"),
    (_last, True, "who are not there"),
    (_uncounted, True, "no number of people"),
]


@pytest.mark.parametrize("home", FAST, indirect=True)
@pytest.mark.parametrize(("change", "separated", "said"), WRONG)
def test_nobody_is_published_twice_or_invented(opened, change, separated, said):
    with opened() as engine:
        held = held_by(engine)
        with pytest.raises(DataError, match=said):
            held.solve((), [0], altered(change, separated=separated), separated=separated)
        with pytest.raises(ValueError, match="solve it first"):
            held.condensed()


def kept_as_it_is(texts):
    """Publishes the first column as it is, and its missing values as missing."""

    def work(part):
        import pyarrow as pa

        rows = part.to_pylist()
        codes = sorted({row["c0"] for row in rows})
        people = [sum(row["n"] for row in rows if row["c0"] == code) for code in codes]
        return pa.table({
            "c0": codes, "n": people, "p0": [texts[code] for code in codes],
            "l0": codes, "h0": codes, "r0": [0.0] * len(codes),
        })  # fmt: skip

    return work


def test_columns_that_are_kept_keep_their_type(opened, tmp_path):
    name, codes = QUASI[1], CODES[1]
    texts = {code: text for text, code in codes.items()}
    wrong = {**texts, codes[None]: "0.1"}, {**texts, codes["nan"]: None}
    options = {"columns": [name, "number"], "quasi_identifiers": [name], "keep": [name]}
    with opened() as engine:
        held = engine.hold([name], codes=[codes])
        held.solve((), [0], kept_as_it_is(texts), separated=False)
        file = tmp_path / "kept.parquet"
        written = engine.write(held, file, expect_people=ROWS, **options)
        with open_engine(TABLE.select([name, "number"])) as here:
            known = here.counts([name, "number"])
        with open_engine(file) as release:
            assert rows_of(release.counts([name, "number"])) == rows_of(known)
        assert written.people == ROWS
        for changed in wrong:
            held.solve((), [0], kept_as_it_is(changed), separated=False)
            with pytest.raises(DataError, match="p0 should keep q0 and changes 1 tuples"):
                engine.write(held, tmp_path / "no.parquet", expect_people=ROWS, **options)


@pytest.mark.parametrize("home", FAST, indirect=True)
def test_refusals(opened):
    with opened(person="number") as engine, pytest.raises(DataError, match="several rows"):
        held_by(engine)
    with opened() as engine:
        for lost in ("disease", QUASI[1]):
            fewer = [
                {text: code for text, code in codes.items() if name != lost or text is not None}
                for name, codes in zip(NAMES, CODES, strict=True)
            ]
            missing = sum(row[0] is not None and row[NAMES.index(lost)] is None for row in ALL)
            with pytest.raises(DataError, match=f"{missing} people have values that were not"):
                engine.hold(QUASI, sets=SETS, codes=fewer, barred=BARRED)
        # Who is barred needs no code.
        barred = [*NAMES]
        few = [{t: c for t, c in codes.items() if t is not None} for codes in CODES]
        held = engine.hold(QUASI, sets=SETS, codes=few, barred=barred)
        assert held.people == sum(None not in row for row in ALL)
        with pytest.raises(DataError, match="no column"):
            engine.hold(["nobody's"], codes=[{}])
        with pytest.raises(ValueError, match="codes for each"):
            engine.hold(QUASI, codes=CODES)


def test_nobody_is_held(opened, tmp_path):
    with opened(TABLE.slice(0, 0)) as engine:
        held = held_by(engine)
        assert (held.lines, held.people, held.sizes((), [0])) == (0, 0, [0])
        assert held.margins((), [0]).num_rows == held.tuple_sizes().num_rows == 0
        assert held.within([{}, {0: (0, 3)}]) == [0, 0]
        held.solve((), [0], WORKS["people"][0], separated=True)
        assert held.condensed().num_rows == 0
        options = {"columns": NAMES, "quasi_identifiers": QUASI, "expect_people": 0}
        assert engine.write(held, tmp_path / "x.csv", **options).rows == 0


def test_another_engine_does_not_write_it(tmp_path):
    with open_engine(TABLE, null=["?"]) as engine, open_engine(TABLE, null=["?"]) as other:
        held = held_by(engine)
        held.solve((), [0], WORKS["tuples"][0], separated=False)
        with pytest.raises(ValueError, match="another engine"):
            other.write(
                held, tmp_path / "x.csv", columns=NAMES, quasi_identifiers=QUASI, expect_people=1
            )
