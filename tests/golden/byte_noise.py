"""Cases of the golden set with noise: queries, policies, randomised and safe releases."""

from __future__ import annotations

from golden.byte_cases import Work, case

LEDGER = ("--ledger", "ledger.db")
PUBLIC = """\
population: gotham
ledger: ledger.db
source: patients.csv
columns:
  name: identifier
  zip: insensitive
  birth_date: {role: quasi-identifier}
  sex: {role: quasi-identifier, domain: [F, M]}
  nationality: {role: quasi-identifier, hierarchy: nationality.csv, domain: hierarchy}
  diagnosis: {role: sensitive, hierarchy: diagnosis.csv, domain: hierarchy}
  bill: {role: sensitive, bounds: [0, 200000], step: 1000}
privacy: {neighbours: add-remove}
"""
QUESTIONS = {
    "count": "--count --epsilon 0.5",
    "count-by": "--count --by sex --by bill:50000 --where bill>=1000 --epsilon 1",
    "count-rows": "--count --rows --by sex --rho 0.1",
    "count-found": "--count --by zip --epsilon 2 --delta 1e-6",
    "sum": "--sum bill --by sex --epsilon 1",
    "mean": "--mean bill --by sex --epsilon 1",
    "variance": "--variance bill --rho 1",
    "median": "--median bill --epsilon 1",
    "quantiles": "--quantiles bill:500 --at 0.1,0.9 --epsilon 1",
    "histogram": "--histogram bill:10000 --epsilon 1 --delta 1e-6",
    "most-frequent": "--most-frequent diagnosis --top 3 --epsilon 1",
    "table": "--table sex,nationality --epsilon 1",
    "marginals": "--marginals 2 --columns sex,nationality,diagnosis --rho 0.5",
    "ranges": "--ranges bill:10000 --between 20000,50000 --epsilon 1",
}
POLICY = """\
population: town
ledger: ledger.db
source: people.csv
columns:
  age: {role: quasi-identifier, bounds: [0, 120], step: 1}
  disease:
    role: sensitive
    hierarchy: {taxonomy: {lung: [flu, asthma], stomach: [ulcer]}, names: [chapter]}
    domain: hierarchy
  seen: {role: quasi-identifier, hierarchy: dates, domain: ["2024-01-01", "2024-02-01"]}
  ward: {role: quasi-identifier, domain: [A, B, C, null]}
  pain: {role: quasi-identifier, domain: [none, mild, severe]}
  sex: {role: quasi-identifier, domain: [F, M]}
  lat: {role: quasi-identifier, bounds: [46, 48], step: 0.5}
  lon: {role: quasi-identifier, bounds: [7, 9], step: 0.5}
privacy: {neighbours: change-one}
policy:
  age: {within: 5}
  disease: {partition: chapter}
  seen: {partition: month}
  ward: {graph: [[A, B], [B, null]]}
  pain: line
  sex: known
  place: {of: [lat, lon], within: 60 km}
"""
KNOWN = """\
population: village
ledger: ledger.db
source: few.csv
columns:
  sex: {role: quasi-identifier, domain: [F, M]}
  disease: {role: sensitive, domain: [flu, asthma, ulcer]}
privacy: change-one
policy:
  disease: {partition: {lung: [flu, asthma], stomach: [ulcer]}}
  at_once: 1
  known: {marginals: [[sex]]}
"""


def budget(work: Work, *populations: str) -> None:
    for one in populations:
        amounts = "epsilon=100, delta=1e-3, rho=10"
        words = ("ledger", "budget", one, *LEDGER, "--set", amounts, "--json")
        work.run(*words, to=f"budget-{one}")


@case
def questions(work: Work) -> None:
    budget(work, "gotham")
    work.write("plan.yaml", PUBLIC)
    for name, words in QUESTIONS.items():
        work.run("query", "plan.yaml", *words.split(), "--json", to=name)
    work.run("query", "plan.yaml", *QUESTIONS["mean"].split(), to="mean-again")
    work.run("query", "plan.yaml", *QUESTIONS["mean"].split(), "--anew", to="mean-anew")
    for name in ("mean", "quantiles", "marginals"):
        words = (*QUESTIONS[name].split(), "--preview", "--people", "200")
        work.run("query", "plan.yaml", *words, to=f"{name}-preview")
    for form in ("csv", "json"):
        to = ("--to", f"answer.{form}")
        work.run("query", "plan.yaml", *QUESTIONS["table"].split(), *to, to=f"told-{form}")
        work.keep(f"answer.{form}", (work.folder / f"answer.{form}").read_text("utf-8"))
    for name, words in {
        "no-price": "--count", "no-column": "--sum bills --epsilon 1",
        "too-much": "--count --epsilon 1000",
    }.items():  # fmt: skip
        code = 1 if name == "too-much" else 2
        work.run("query", "plan.yaml", *words.split(), "--json", to=name, code=code)
    work.run("ledger", "export", *LEDGER, to="export")
    work.run("ledger", "list", *LEDGER, to="list")


@case
def questions_about_people_with_several_rows(work: Work) -> None:
    budget(work, "town")
    rows = [f"p{i * 2 // 5},{i % 90},{'FM'[i % 2]}" for i in range(500)]
    work.write("visits.csv", "\n".join(["patient,age,sex", *rows, ""]))
    work.write("plan.yaml", """\
population: town
ledger: ledger.db
source: visits.csv
person: patient
columns:
  age: {role: quasi-identifier, bounds: [0, 100], step: 1}
  sex: {role: quasi-identifier, domain: [F, M]}
privacy: {neighbours: change-one, rows: 2}
""")  # fmt: skip
    for name, words in {
        "people": "--count --by sex --epsilon 1", "rows": "--count --rows --epsilon 1",
        "sum": "--sum age --rho 0.5", "histogram": "--histogram age:10 --epsilon 1",
    }.items():  # fmt: skip
        work.run("query", "plan.yaml", *words.split(), "--json", to=name)


@case
def policies(work: Work) -> None:
    budget(work, "town", "village")
    rows = [
        f"{i % 100},{('flu', 'asthma', 'ulcer')[i * i % 5 % 3]},2024-0{1 + i % 2}-01,"
        f"{('A', 'B', 'C', '')[i % 4]},{('none', 'mild', 'severe')[i % 3]},{'FM'[i % 2]},"
        f"{46 + i % 4 / 2},{7 + i % 5 / 2}"
        for i in range(400)
    ]
    work.write("people.csv", "\n".join(["age,disease,seen,ward,pain,sex,lat,lon", *rows, ""]))
    few = [f"{'FM'[i % 2]},{('flu', 'asthma', 'ulcer')[i * i % 5 % 3]}" for i in range(200)]
    work.write("few.csv", "\n".join(["sex,disease", *few, ""]))
    work.write("policy.yaml", POLICY)
    work.write("known.yaml", KNOWN)
    for name, words in {
        "count": "--count --by sex --epsilon 1", "sum": "--sum age --epsilon 1",
        "histogram": "--histogram age:10 --epsilon 1", "diseases": "--histogram disease --rho 0.2",
        "ranges": "--ranges age --between 20,40 --epsilon 1",
        "table": "--table pain,ward --epsilon 1",
    }.items():  # fmt: skip
        work.run("query", "policy.yaml", *words.split(), "--json", to=name)
    for name, words in {"exact": "--count --by sex", "known": "--table sex,disease"}.items():
        work.run("query", "known.yaml", *words.split(), "--epsilon", "1", to=name)
    for name in ("policy", "known"):
        work.run("explain", "policy", f"{name}.yaml", "--epsilon", "0.5", to=f"{name}-explained")
        work.run("explain", "policy", f"{name}.yaml", "--json", to=f"{name}-json")


@case
def randomised_releases(work: Work) -> None:
    budget(work, "gotham")
    tables = "tables: [[sex, nationality], [sex, diagnosis]]"
    for name, method in {
        "laplace": f"epsilon: 1, {tables}",
        "rows": f"epsilon: 1, {tables}, synthetic: true",
        "gaussian": f"epsilon: 1, delta: 1e-6, {tables}, synthetic: true",
        "zcdp": "rho: 0.2, tables: 1, synthetic: true",
    }.items():
        work.released(name, f"{PUBLIC}method: {{search: marginals, {method}}}\n")
    parquet = "publish: {to: x, format: parquet}\n"
    method = f"method: {{search: marginals, epsilon: 1, {tables}, synthetic: true}}\n"
    work.released("parquet", PUBLIC + method + parquet)
    work.run("publish", "rows.yaml", "--to", "out/anew", "--anew", to="anew")
    work.run("report", "out/rows", "--plan", "rows.yaml", "--profile", "nist-800-226",
             "--external", "out/rows.external.html", "--json", to="reported")  # fmt: skip
    work.run("ledger", "export", *LEDGER, to="export")
    work.run("ledger", "verify", *LEDGER, "--release", "out/rows", "--json", to="verified")


@case
def safe_releases(work: Work) -> None:
    budget(work, "town")
    rows = [f"{i * i % 100},{'FM'[i % 2]},{('flu', 'gout', '')[i % 7 % 3]}" for i in range(2000)]
    work.write("people.csv", "\n".join(["age,sex,ill", *rows, ""]))
    others = [f"{i * 3 % 100},{'FM'[i % 2]},flu" for i in range(300)]
    work.write("others.csv", "\n".join(["age,sex,ill", *others, ""]))
    text = """\
population: town
ledger: ledger.db
source: people.csv
columns:
  age: {role: quasi-identifier, bounds: [0, 99], step: 1, hierarchy: {ranges: [10, 50]} AGE}
  sex: {role: quasi-identifier, domain: [F, M]}
  ill: {role: quasi-identifier, domain: [flu, gout, null], levels: [0, 0]}
privacy: {neighbours: NEIGHBOURS}
method: {search: safe, beta: 0.7, epsilon: 2, delta: 1e-6 MORE}
"""
    for name, more, neighbours in (
        ("chosen", "", "add-remove"),
        ("larger", ", k: 90, choice: 0.3, row: 0.5", "add-remove"),
        ("steps", ", steps: 5, choice: 0.1", "add-remove"),
        ("public", ", levels_from: others.csv", "add-remove"),
        ("change", "", "change-one"),
    ):
        said = text.replace(" MORE", more).replace("NEIGHBOURS", neighbours).replace(" AGE", "")
        said = said if neighbours == "add-remove" else said.replace("town", "city")
        if neighbours != "add-remove":
            said = f"other_people_than: [town]\n{said}"
            budget(work, "city")
        work.released(name, said)
    parquet = "publish: {to: x, format: parquet}\n"
    fixed = text.replace(" MORE", "").replace("NEIGHBOURS", "add-remove")
    work.released("fixed", fixed.replace(" AGE", ", levels: [2, 2]") + parquet)
    work.run("publish", "chosen.yaml", "--to", "out/again", to="again")
    work.run("ledger", "export", *LEDGER, to="export")
