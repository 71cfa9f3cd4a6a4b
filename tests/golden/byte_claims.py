"""Cases of the golden set: every claim that a plan can make, and earlier releases."""

from __future__ import annotations

from golden.byte_cases import Work, case, plan

CLAIMS = {
    "k": "k-anonymity: 5",
    "l-distinct": "l-diversity: 3",
    "l-probabilistic": "l-diversity: {kind: probabilistic, l: 2}",
    "l-entropy": "l-diversity: {kind: entropy, l: 2.5}",
    "l-recursive": "l-diversity: {kind: recursive, c: 4, l: 3, of: diagnosis}",
    "t-equal": "t-closeness: 0.6",
    "t-hierarchical": "t-closeness: {t: 0.5, distance: hierarchical, of: diagnosis}",
    "alpha-k": "alpha-k-anonymity: {alpha: 0.5, k: 4}",
    "alpha-k-value": "alpha-k-anonymity: {alpha: 0.3, k: 4, of: diagnosis, value: Stroke}",
    "beta-basic": "beta-likeness: {beta: 40, of: diagnosis}",
    "beta-enhanced": "beta-likeness: {beta: 30, kind: enhanced}",
    "presence": "delta-presence: {min: 0, max: 0.9, population: everybody.csv}",
    "k-map": "k-map: {k: 5, population: everybody.csv}",
    "prosecutor": "prosecutor-risk: 20%",
    "journalist": "journalist-risk: {risk: 0.2, population: everybody.csv}",
    "marketer": "marketer-risk: 0.1",
    "unique": "unique-share: 0",
    "unique-some": "unique-share: 2%",
}
SHARES = "{Europe: 0.5, Americas: 0.3, Asia: 0.1, Africa: 0.1}"
ADVERSARIES = {
    "file": "{epsilon: 6, adversary: {class: I, prior: metropolis.csv}}",
    "theorem": "{epsilon: 60, by: theorem, adversary: {class: I, prior: metropolis.csv}}",
    "predicates": "{epsilon: 4, adversary: {class: I, prior: metropolis.csv}, "
    "predicates: [Mental disorders, [Stroke, Neoplasms]]}",
    "at-most": "{epsilon: 80, adversary: {class: at-most, "
    "prior: {file: metropolis.csv, column: diagnosis, count: count}, knows: 3}}",
    "at-least": "{epsilon: 80, adversary: {class: at-most, prior: uniform, stubbornness: 5000, "
    "at_least: 500}}",
    "any": "{epsilon: 50, adversary: {class: II, stubbornness: 200}}",
    "sure": "{epsilon: 50, adversary: {class: III, prior: table}}",
    "table": "{epsilon: 8, adversary: {class: I, prior: table, stubbornness: 500, knows: 2}}",
}


@case
def every_claim(work: Work) -> None:
    for name, claim in CLAIMS.items():
        work.released(name, plan(claim, method="{suppress: 15%}"))
        work.run("check", f"{name}.yaml", "--json", to=f"{name}.check", code=1)


@case
def claims_about_few_values(work: Work) -> None:
    """Claims that many rare diagnoses could not keep; with and without suppressed people."""
    swapped = {
        "nationality": "insensitive", "diagnosis": "identifier",
        "bill": "{role: sensitive, hierarchy: {ranges: [20000, 100000]}}",
        "sex": "{role: sensitive, order: [F, M]}",
    }  # fmt: skip
    for name, claim in {
        "delta": "delta-disclosure: {delta: 0.7, of: sex}",
        "ordered": "t-closeness: {t: 0.2, distance: ordered, of: bill}",
        "all": "t-closeness: {t: 0.6, distance: equal}",
    }.items():
        work.released(name, plan(claim, **swapped))
        work.released(f"{name}-mondrian", plan(claim, method="mondrian", **swapped))
    swapped |= {"nationality": "identifier", "bill": "{role: identifier, key: false}"}
    work.released("over-all", plan("k-anonymity: {k: 3, over: all}", **swapped))


@case
def adversaries(work: Work) -> None:
    for name, claim in ADVERSARIES.items():
        text = plan("k-anonymity: 4", f"epsilon-privacy: {claim}")
        work.released(name, text.replace("[year, decade]", "[decade]"))
    for name in ("predicates", "at-most", "any"):
        work.run("explain", "adversary", f"{name}.yaml", "--json", to=f"{name}.explain")
    work.run("explain", "adversary", "file.yaml", "--node", "zip=4,birth_date=1", to="explained")


@case
def nationalities_by_shape(work: Work) -> None:
    columns = {"diagnosis": "identifier", "nationality": "sensitive"}
    work.write("few.csv", continents(work))
    shape = (
        f"epsilon-privacy: {{epsilon: 12, adversary: {{class: III, prior: {{shape: {SHARES}}}}}, "
        "negative: true}"
    )
    counts = (
        "epsilon-privacy: {epsilon: 9, adversary: {class: I, prior: {counts: "
        "{Europe: 50, Americas: 400, Asia: 30, Africa: 9}}}}"
    )
    for name, claim in {"shape": shape, "counts": counts}.items():
        work.released(name, plan(claim, more="source: few.csv", **columns))


def continents(work: Work) -> str:
    """The patients with a continent as their nationality."""
    lines = (work.folder / "nationality.csv").read_text("utf-8").splitlines()
    coarse = {line.split(";")[0]: line.split(";")[-2] for line in lines}
    head, *rows = (work.folder / "patients.csv").read_text("utf-8").splitlines()
    place = head.split(",").index("nationality")
    found = [row.split(",") for row in rows]
    for row in found:
        row[place] = coarse[row[place]]
    return "\n".join([head, *(",".join(row) for row in found), ""])


@case
def wishes_and_known_people(work: Work) -> None:
    rows = [
        f"n{i},{20 + i * 7 % 50},{'FM'[i % 2]},"
        f"{('flu', 'ulcer', 'gout', 'cancer')[i * i % 13 % 4]},"
        f"{('', 'stomach', 'cancer', 'flu')[i % 11 % 4]}"
        for i in range(400)
    ]
    work.write("people.csv", "\n".join(["patient_id,age,sex,ill,guarded", *rows, ""]))
    work.write("ill.csv", "flu;lung;*\nulcer;stomach;*\ngout;joints;*\ncancer;other;*\n")
    work.write("staff.csv", "patient_id\nn3\nn44\nn101\n")
    for name, more in {"wishes": "wishes: guarded", "known": "by: exact"}.items():
        knows = ", knows: {file: staff.csv, by: patient_id}" if name == "known" else ""
        work.released(
            name,
            f"""\
source: people.csv
columns:
  patient_id: identifier
  guarded: identifier
  age: {{role: quasi-identifier, hierarchy: {{ranges: [10, 20]}}}}
  sex: quasi-identifier
  ill: {{role: sensitive, hierarchy: ill.csv}}
protect:
  - epsilon-privacy:
      epsilon: 5
      adversary: {{class: I, prior: table, stubbornness: 300{knows}}}
      {more}
""",
        )


# Earlier releases


@case
def two_releases_and_a_ledger(work: Work) -> None:
    """The demo's own plans: the second release is refused, a coarser one is published."""
    work.run("publish", "plan.yaml", "--to", "out/first", "--json", to="first")
    work.run("publish", "planners.yaml", "--to", "out/second", "--json", to="second", code=1)
    coarser = (work.folder / "planners_coarser.yaml").read_text("utf-8")
    work.write("coarser.yaml", coarser.replace("5%", "20%").replace("0.34", "0.5"))
    work.run("publish", "coarser.yaml", "--to", "out/third", to="third")
    work.run("publish", "plan.yaml", "--to", "out/again", to="again")
    ledger = ("--ledger", "ledger.db")
    budget = ("ledger", "budget", "gotham-inpatients", *ledger)
    work.run(*budget, "--set", "epsilon=3, delta=1e-6", to="budget")
    work.run("ledger", "list", *ledger, to="list")
    work.run("ledger", "list", *ledger, "--last", "2", "--json", to="last")
    work.run("ledger", "show", "2", *ledger, to="show")
    work.run("ledger", "show", "00000002", *ledger, "--json", to="show-reservation")
    work.run("ledger", "budget", *ledger, "--json", to="budgets")
    work.run("ledger", "export", *ledger, to="export")
    verify = ("ledger", "verify", *ledger, "--release", "out/first", "--release", "out/third")
    work.run(*verify, to="verified")
    work.run(*verify, "--json", to="verified-json")
    work.run("verify", "out/third", "--json", to="third-verified")
    work.run("report", "out/third", "--plan", "coarser.yaml", "--internal",
             "out/told.html", "--json", to="reported")  # fmt: skip


@case
def composition_with_files(work: Work) -> None:
    work.publish("before", plan("k-anonymity: 5"))
    claim = "composition: {confidence: 0.5, of: diagnosis, with: [out/before]}"
    work.released("after", plan("k-anonymity: 4", claim, method="{suppress: 30%}"))


@case
def same_source_under_two_names(work: Work) -> None:
    for name, more in {
        "first": "population: town", "second": "population: village",
        "third": "population: village\nother_people_than: [town]",
    }.items():  # fmt: skip
        work.write(f"{name}.yaml", plan("k-anonymity: 5", more=f"{more}\nledger: ledger.db"))
        code = 2 if name == "second" else 0
        to = f"out/{name}"
        work.run("publish", f"{name}.yaml", "--to", to, "--json", to=name, code=code)
    work.run("ledger", "export", "--ledger", "ledger.db", to="export")
