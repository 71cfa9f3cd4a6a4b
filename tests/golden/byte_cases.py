"""What the golden set publishes: each case is a function that fills the folder `out`."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

from golden.byte_fixed import command, inputs, steady

COLUMNS = {
    "name": "identifier",
    "zip": "{role: quasi-identifier, hierarchy: {prefix: 5}}",
    "birth_date": "{role: quasi-identifier, hierarchy: {dates: [year, decade]}}",
    "sex": "quasi-identifier",
    "nationality": "{role: quasi-identifier, hierarchy: nationality.csv}",
    "diagnosis": "{role: sensitive, hierarchy: diagnosis.csv}",
    "bill": "insensitive",
}
METHOD = "{search: lattice, suppress: 10%}"
"""Of plans that do not say another."""


class Work:
    """A folder with the demo's files, in which commands run; what is compared goes to `out`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name, content in inputs().items():
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_bytes(content)
        (folder / "out").mkdir()

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text, "utf-8")

    def keep(self, name: str, text: str) -> None:
        """A text to compare."""
        self.write(f"out/{name}", steady(text, self.folder))

    def run(self, *words: str, to: str, code: int | None = 0) -> None:
        """Run a command, and keep what it prints and its exit code; None allows for any."""
        found, told, wrong = command(*words)
        if code not in (None, found):
            raise AssertionError(f"hedgerow {' '.join(words)}: exit code {found}\n{told}{wrong}")
        self.keep(f"{to}.txt", f"exit code {found}\n{told}--- standard error\n{wrong}")

    def publish(self, name: str, text: str, *options: str) -> None:
        """Publish a plan to `out/NAME`, with the reports; keep what the command prints as JSON."""
        self.write(f"{name}.yaml", text)
        self.run("publish", f"{name}.yaml", "--to", f"out/{name}", "--json", *options, to=name)

    def released(self, name: str, text: str, *options: str) -> None:
        """Publish, then verify."""
        self.publish(name, text, *options)
        self.run("verify", f"out/{name}", "--json", to=f"{name}.verify")


def plan(*claims: str, method: str = METHOD, more: str = "", **columns: str) -> str:
    """A plan about the demo's patients, as YAML; columns replace those above."""
    lines = ["source: patients.csv"] if "source:" not in more else []
    lines += [more] if more else []
    lines += ["columns:", *(f"  {name}: {said}" for name, said in (COLUMNS | columns).items())]
    lines += ["protect:", *(f"  - {claim}" for claim in claims)] if claims else []
    return "\n".join([*lines, f"method: {method}", ""])


CASES: dict[str, Callable[[Work], None]] = {}


def case(function: Callable[[Work], None]) -> Callable[[Work], None]:
    CASES[function.__name__.replace("_", " ")] = function
    return function


# How a table is recoded


@case
def lattice_by_each_utility(work: Work) -> None:
    for utility in (
        "loss", "discernibility", "average-class-size", "precision", "non-uniform-entropy",
        "granularity", "kl-divergence", "query-error",
    ):  # fmt: skip
        work.publish(utility, plan("k-anonymity: 5", more=f"utility: {utility}"))


@case
def lattice_options(work: Work) -> None:
    both = ("k-anonymity: 4", "l-diversity: {kind: entropy, l: 2}")
    work.released("kept", plan(*both, method="{suppress: 20%, keep_suppressed: true, time: 60}"))
    levels = "{role: quasi-identifier, hierarchy: {prefix: 5}, levels: [1, 3]}"
    work.released("levels", plan(*both, zip=levels, sex="{role: quasi-identifier, levels: [0, 0]}"))
    work.publish("none", plan("k-anonymity: 3", method="lattice"))
    work.released("applied", plan("k-anonymity: 2"), "--recoding", "out/levels")


@case
def mondrian(work: Work) -> None:
    both = ("k-anonymity: 6", "l-diversity: 3")
    for name, method in {
        "strict": "{search: mondrian}",
        "relaxed": "{search: mondrian, mode: relaxed}",
        "taxonomy": "{search: mondrian, boxes: taxonomy}",
        "parts": "{search: mondrian, parts: 300}",
        "relaxed-parts": "{search: mondrian, mode: relaxed, parts: 300}",
    }.items():
        work.released(name, plan(*both, method=method))
    work.publish("applied", plan("k-anonymity: 4", method="mondrian"), "--recoding", "out/strict")


@case
def microaggregation(work: Work) -> None:
    for name, more in {"whole": "", "parts": ", parts: 200"}.items():
        method = f"{{search: microaggregation{more}}}"
        work.released(name, plan("k-anonymity: 5", "l-diversity: 2", method=method))


@case
def local(work: Work) -> None:
    for name, more in {"whole": "", "parts": ", parts: 200"}.items():
        method = f"{{search: local, suppress: 5%{more}}}"
        work.released(name, plan("k-anonymity: 5", "l-diversity: 2", method=method))


@case
def hierarchies(work: Work) -> None:
    """Each builder, with missing values; what is not a number stays apart."""
    rows = [
        f"{i % 80 or ''},{i % 37 / 2},{('none', 'mild', 'severe')[i % 3]},"
        f"{('France', 'Spain', 'Poland', 'Japan', '')[i * i % 5]},2024-0{1 + i % 9}-1{i % 7},"
        f"{('flu', 'ulcer', '', 'gout')[i * i % 7 % 4]}"
        for i in range(400)
    ]
    work.write("people.csv", "\n".join(["age,bmi,pain,country,seen,ill", *rows, ""]))
    columns = """\
source: people.csv
columns:
  age: {role: quasi-identifier, hierarchy: {bins: [[18, 30, 65], [65]]}, missing: MISSING}
  bmi: {role: quasi-identifier, hierarchy: {ranges: {widths: [2.5, 5], origin: 1}}}
  pain: {role: quasi-identifier, hierarchy: {bins: [[[none, mild], [severe]]]}}
  country:
    role: quasi-identifier
    hierarchy: {taxonomy: {Europe: {West: [France, Spain], East: [Poland]}, Asia: [Japan]}}
  seen: {role: quasi-identifier, hierarchy: {dates: [month, quarter, year]}}
  ill: sensitive
protect: [{k-anonymity: 3}, {l-diversity: 2}]
method: {search: SEARCH, suppress: 10%}
"""
    for missing in ("value", "suppress"):
        text = columns.replace("MISSING", missing)
        work.released(f"lattice-{missing}", text.replace("SEARCH", "lattice"))
        work.released(f"local-{missing}", text.replace("SEARCH", "local"))
    boxes = columns.replace("MISSING", "value").replace(", suppress: 10%", "")
    work.released("mondrian", boxes.replace("SEARCH", "mondrian"))
    work.released("clusters", boxes.replace("SEARCH", "microaggregation"))
    work.write("refused.yaml", columns.replace("MISSING", "refuse").replace("SEARCH", "lattice"))
    work.run("publish", "refused.yaml", "--to", "out/refused", "--json", to="refused", code=2)


# From which files, to which files


@case
def sources_and_formats(work: Work) -> None:
    import duckdb

    (work.folder / "zipped.csv.gz").write_bytes(
        gzip.compress((work.folder / "patients.csv").read_bytes(), mtime=0)
    )
    with duckdb.connect(str(work.folder / "hospital.duckdb")) as held:
        read = "SELECT * FROM read_csv('patients.csv', all_varchar = true)"
        held.execute(f"CREATE TABLE ward AS {read}")
        held.execute(f"COPY ({read}) TO 'patients.parquet' (FORMAT parquet)")
    for name, source in {
        "csv": "patients.csv", "gz": "zipped.csv.gz", "parquet": "patients.parquet",
        "duckdb": "hospital.duckdb::ward",
    }.items():  # fmt: skip
        work.publish(f"from-{name}", plan("k-anonymity: 5", more=f"source: {source}"))
    for name, method in {"lattice": METHOD, "mondrian": "mondrian", "local": "local"}.items():
        to = "publish: {to: out/x, format: parquet}"
        work.released(f"to-parquet-{name}", plan("k-anonymity: 5", method=method, more=to))
    rows = [f"{i % 4},{('=1+1', '@x', 'plain', '-2')[i % 4]}" for i in range(40)]
    work.write("formulas.csv", "\n".join(["age,note", *rows, ""]))
    for name in ("true", "false"):
        work.released(
            f"escaped-{name}",
            "source: formulas.csv\ncolumns: {age: quasi-identifier, note: sensitive}\n"
            f"protect: [k-anonymity: 5]\npublish: {{to: x, escape_formulas: {name}}}\n",
        )


@case
def without_an_internal_report(work: Work) -> None:
    work.released("release", plan("k-anonymity: 5"), "--no-report")
    work.run("publish", "release.yaml", "--to", "out/release", to="taken", code=2)
    work.run("publish", "release.yaml", "--to", "out/release", "--replace", to="replaced")


# People with several rows, spellings, order


@case
def people_with_several_rows(work: Work) -> None:
    rows = [
        f"p{i * 2 // 5},{20 + i // 6 % 40 + i % 2},{'FM'[i // 12 % 2]},ill {i * i % 19}"
        for i in range(600)
    ]
    work.write("visits.csv", "\n".join(["patient,age,sex,ill", *rows, ""]))
    text = """\
source: visits.csv
person: patient
rows: ROWS
columns:
  age: {role: quasi-identifier, hierarchy: {ranges: [5, 10, 20]}, within_person: smallest}
  sex: {role: quasi-identifier, within_person: most-frequent}
  ill: {role: sensitive, within_person: WHICH}
protect: [CLAIMS]
method: {suppress: 20%}
"""
    for which in ("most-frequent", "smallest", "largest"):
        one = text.replace("ROWS", "one").replace("WHICH", which)
        work.released(f"one-{which}", one.replace("CLAIMS", "k-anonymity: 4, l-diversity: 2"))
    several = text.replace("ROWS", "at most 3").replace(", within_person: WHICH", "")
    for column in ("smallest", "most-frequent"):
        several = several.replace(f", within_person: {column}", "")
    claims = (
        "k-anonymity: 2, l-diversity: {kind: probabilistic, l: 1.1}, prosecutor-risk: 50%, "
        "marketer-risk: 0.5, alpha-k-anonymity: {alpha: 0.99, k: 2}"
    )
    work.released("at-most-3", several.replace("CLAIMS", claims))
    work.released("local", several.replace("CLAIMS", claims).replace("{su", "{search: local, su"))
    work.write("two.yaml", several.replace("most 3", "most 2").replace("CLAIMS", claims))
    work.run("publish", "two.yaml", "--to", "out/two", "--json", to="two", code=2)
    asked = several.replace("person: patient\nrows: at most 3\n", "")
    for name, said in {
        "stated": "one_row_per_person: true\n", "key": "", "asked": "",
    }.items():  # fmt: skip
        key = "{role: identifier, key: false}" if name == "key" else "identifier"
        told = said + asked.replace("columns:\n", f"columns:\n  patient: {key}\n")
        work.write(f"{name}.yaml", told.replace("CLAIMS", "k-anonymity: 4"))
        code = 2 if name == "asked" else 0
        to = f"out/{name}"
        work.run("publish", f"{name}.yaml", "--to", to, "--json", to=name, code=code)


@case
def spellings_and_order(work: Work) -> None:
    values = ("flu", "Flu", "FLU.", "ulcer", "gout", "Gout", "asthma", "5 mg", "5.0 mg")
    pains = ("low", "medium", "high")
    rows = [
        f"{i % 50},{values[i * i % 23 % 9]},{pains[i * 7 % 5 % 3]},2024-0{1 + i * i % 7}-11,"
        f"{i * i % 13 or ''}"
        for i in range(500)
    ]
    work.write("people.csv", "\n".join(["age,ill,pain,seen,days", *rows, ""]))
    text = """\
source: people.csv
columns:
  age: {role: quasi-identifier, hierarchy: {ranges: [5, 10, 20]}}
  ill: {role: sensitive SAID}
  pain: {role: sensitive, order: [low, medium, high]}
  seen: {role: sensitive, order: dates}
  days: {role: sensitive, order: {by: numbers, missing: first}}
protect:
  - l-diversity: {of: ill, l: 3}
  - t-closeness: {of: ill, t: 0.6}
  - t-closeness: {of: pain, distance: ordered, t: 0.5}
  - t-closeness: {of: seen, distance: ordered, t: 0.5}
  - t-closeness: {of: days, distance: ordered, t: 0.5}
"""
    for name, said in {
        "both": "", "one": ", spelling: one", "distinct": ", distinct: [flu, Flu, FLU.]",
        "one-but": ", spelling: one, distinct: [gout, Gout]",
    }.items():  # fmt: skip
        work.released(name, text.replace(" SAID", said))
        work.run("check", f"{name}.yaml", "--json", to=f"{name}.check", code=1)
