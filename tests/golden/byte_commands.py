"""Cases of the golden set: signatures, reports, attacks, explanations, help and errors."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from golden.byte_cases import Work, case, plan
from golden.byte_claims import ADVERSARIES
from golden.byte_fixed import WIDTH, commands, inputs

import hedgerow

ROOT = Path(__file__).parents[2]
PROFILES = ("ema-0070", "hipaa-safe-harbor", "cms-cell-size", "uk-tre", "wp216", "nist-800-226")
MODELS = (
    "k-anonymity", "l-diversity", "t-closeness", "alpha-k-anonymity", "delta-disclosure",
    "beta-likeness", "epsilon-privacy", "composition", "belief", "delta-presence",
    "k-map", "prosecutor-risk", "journalist-risk", "marketer-risk", "unique-share",
    "population-uniqueness", "individual-risk",
)  # fmt: skip


@case
def demo_files_and_schemas(work: Work) -> None:
    for name in inputs():
        shutil.copyfile(work.folder / name, work.folder / "out" / name.replace("/", "-"))
    for name in ("plan.schema.json", "certificate.schema.json"):
        shutil.copyfile(ROOT / "docs" / name, work.folder / "out" / name)


@case
def signed(work: Work) -> None:
    key = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
    other = Ed25519PrivateKey.from_private_bytes(bytes(range(1, 33)))
    (work.folder / "key.pem").write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    for name, one in {"public": key, "other": other}.items():
        (work.folder / f"{name}.pem").write_bytes(
            one.public_key().public_bytes(
                serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
            )
        )
    text = plan("k-anonymity: 5", more="population: town\nledger: ledger.db")
    work.publish("release", text, "--sign", "key.pem")
    verify = ("verify", "out/release")
    work.run(*verify, "--key", "public.pem", "--json", to="verified")
    work.run(*verify, "--key", "public.pem", "--strict", to="strict")
    work.run(*verify, "--key", "other.pem", "--json", to="another", code=1)
    changed = (work.folder / "out/release/data.csv").read_text("utf-8").replace("F", "M", 1)
    shutil.copytree(work.folder / "out/release", work.folder / "forged")
    work.write("forged/data.csv", changed)
    work.run("verify", "forged", to="forged", code=1)
    work.run("verify", "forged/data.csv", "--plan", "release.yaml", "--json", to="file")


@case
def reports_with_profiles(work: Work) -> None:
    work.publish("release", plan("k-anonymity: 11", "l-diversity: 2", method="{suppress: 20%}"))
    work.write("areas.csv", "zip3,people\n042,30000\n043,9000\n131,50000\n")
    to = ("--external", "out/outer.html", "--internal", "out/inner.html", "--areas", "areas.csv")
    words = ("report", "out/release", "--plan", "release.yaml", *to)
    named = [word for name in PROFILES for word in ("--profile", name)]
    work.run(*words, *named, "--json", to="profiles", code=1)
    work.run("report", "out/release", "--profile", "wp216", "--external", "out/alone.html",
             to="alone", code=None)  # fmt: skip


@case
def attacks(work: Work) -> None:
    work.publish("release", plan("k-anonymity: 3"))
    work.publish("boxes", plan("k-anonymity: 3", method="mondrian"))
    work.publish("clusters", plan("k-anonymity: 3", method="microaggregation"))
    work.run("publish", "county/plan.yaml", "--to", "out/county", "--no-report", to="county")
    patients = work.folder / "patients.csv"
    head, *rows = patients.read_text("utf-8").splitlines()
    drop = [line.rsplit(",", 2)[0] for line in (head, *rows[::4])]
    work.write("voters.csv", "\n".join([*drop, ""]))
    everybody = (work.folder / "everybody.csv").read_text("utf-8").splitlines()
    work.write("control.csv", "\n".join([head, *everybody[-200:], ""]))
    free = ("--certain-at-most", "1", "--json")
    for name in ("release", "boxes", "clusters"):
        work.run("attack", f"out/{name}", "--plan", f"{name}.yaml", *free, to=f"{name}.attacked")
    words = ("attack", "out/release", "--plan", "release.yaml")
    work.run(*words, "--register", "voters.csv", "--fuzzy", "zip=typo", *free, to="linkage")
    work.run(*words, "--control", "control.csv", *free, to="control")
    work.run(*words, "--certain-at-most", "1", "--at-most", "0.001", to="broken", code=1)
    both = ("attack", "out/release", "out/county", "--plan", "release.yaml")
    work.run(*both, "--of", "diagnosis", *free, to="both", code=2)
    person = ("--know", "sex=F", "--know", "zip=13101")
    work.run("attack", "out/release", *person, "--json", to="one")


@case
def explanations(work: Work) -> None:
    for name in MODELS:
        work.run("explain", "model", name, to=f"model-{name}")
    work.run("explain", "model", "k-anonymity", "--json", to="model-json")
    work.run("explain", "model", "k-anonimity", to="model-unknown", code=2)
    work.run("explain", "definitions", to="definitions")
    work.run("explain", "definitions", "--json", to="definitions-json")
    for name, words in {
        "pure": "0.1", "approximate": "1 --delta 1e-8 --n 20000 --answers 100 --group 3",
        "json": "0.5 --delta 1e-9 --n 1000 --json",
    }.items():  # fmt: skip
        work.run("explain", "epsilon", *words.split(), to=f"epsilon-{name}")
    for name, words in {
        "rate": "--beta 0.01 --epsilon 0.1", "k": "--beta 0.85 --epsilon 1 --k 150",
        "json": "--beta 0.8 --epsilon 1 --delta 1e-6 --json",
    }.items():  # fmt: skip
        work.run("explain", "sampling", *words.split(), to=f"sampling-{name}")


@case
def first_plan_and_check(work: Work) -> None:
    work.run("init", "patients.csv", "--to", "first.yaml", to="init")
    shutil.copyfile(work.folder / "first.yaml", work.folder / "out/first.yaml")
    work.run("init", "patients.csv", "--to", "first.yaml", to="taken", code=2)
    work.run("check", "plan.yaml", to="check", code=1)
    work.run("check", "plan.yaml", "--json", to="check-json", code=1)


@case
def from_python(work: Work) -> None:
    """The same by the public functions, as text."""
    work.write("plan.yaml", plan("k-anonymity: 5", "l-diversity: {kind: entropy, l: 2}"))
    release: Any = hedgerow.publish("plan.yaml", to="out/release", report=False)
    verdicts = hedgerow.check("plan.yaml")
    found = hedgerow.frontier("plan.yaml")
    look = hedgerow.look("patients.csv")
    lines = [
        repr(release.summary()), *(repr(verdict) for verdict in verdicts),
        *(repr(point) for point in found), *(repr(column) for column in look.columns),
        *(str(one) for one in look.combinations), json.dumps(look.summary()),
        repr(hedgerow.verify("out/release").summary()),
    ]  # fmt: skip
    work.keep("told.txt", "\n".join([*lines, ""]))


@case
def errors_in_plans(work: Work) -> None:
    """What is wrong, where, and what to do."""
    right = plan("k-anonymity: 5")
    adversary = f"epsilon-privacy: {ADVERSARIES['file']}".replace("class: I", "class: IV")
    for name, text in {
        "several": right.replace("sex:", "sax:").replace("k-anonymity: 5", "k-anonimity: 1"),
        "role": right.replace("sex: quasi-identifier", "sex: quasi"),
        "twice": f"{right}method: mondrian\n",
        "null": f"{right}utility: null\n",
        "no-hierarchy": right.replace("nationality.csv", "nation.csv"),
        "no-source": right.replace("patients.csv", "patient.csv"),
        "no-claim": plan(),
        "everybody": plan(adversary.replace("prior: metropolis.csv", "knows: 1")),
        "too-strict": plan("k-anonymity: 801"),
        "no-ledger": plan(method="{search: marginals, epsilon: 1, tables: 1}"),
        "yaml": "columns: [",
    }.items():
        work.write(f"{name}.yaml", text)
        code = 1 if name in ("everybody", "too-strict") else 2
        words = ("publish", f"{name}.yaml", "--to", "out/x", "--json")
        work.run(*words, to=name, code=code)
    work.run("publish", "none.yaml", "--json", to="no-plan", code=2)
    work.run("publish", to="no-argument", code=2)


@case
def drawings(work: Work) -> None:
    """Charts as HTML: pictures depend on the fonts of a machine."""
    work.run("explain", "epsilon", "0.1", "--plot", "out/epsilon.html", "-q", to="epsilon")


@case
def help_texts(work: Work) -> None:
    for name in commands():
        _, *words = name.split()
        work.run(*words, "--help", to="-".join(["help", *words]))
    work.run("--version", to="version")
    # The program itself, as a shell starts it.
    width = {"TERMINAL_WIDTH": str(WIDTH)}
    done = subprocess.run(
        [sys.executable, "-m", "hedgerow", "--help"], env=os.environ | width, check=True,
        capture_output=True, encoding="utf-8", stdin=subprocess.DEVNULL,
    )  # fmt: skip
    work.keep("help-of-the-program.txt", done.stdout)
