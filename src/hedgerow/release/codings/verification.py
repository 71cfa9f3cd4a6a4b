"""What a reader of a release can check of its codings, and what the file does not show."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from hedgerow.base.errors import HedgerowError, some
from hedgerow.engines import TablePlace
from hedgerow.plan.plan import Plan
from hedgerow.release.codings.coded_column import public_values, restored_matrix
from hedgerow.release.codings.matrix_file import read_matrix
from hedgerow.release.verdicts import UNVERIFIABLE, Checked
from hedgerow.table.column_codings import MICROAGGREGATE, PRAM, SWAP
from hedgerow.table.contents import Contents
from hedgerow.table.schema import Role
from hedgerow.table.written_form import WrittenForm

SAME = 1e-9
"""How far (relatively) an epsilon may be from another machine's."""


def misstated(certificate: Mapping[str, Any]) -> Iterator[str]:
    """What a certificate says of codings that does not go together."""
    codings: Mapping[str, Any] = certificate.get("codings", {})
    roles, plan = certificate["plan"]["columns"], certificate["plan"]
    shown = certificate["data"]["columns"]
    groups = [n for n in shown if roles.get(n) == Role.QUASI_IDENTIFIER and n not in codings]
    if codings and plan["person"] is not None and plan.get("rows") != 1:
        yield "it codes columns, and a person may have several rows"
    for name, coding in codings.items():
        if name not in shown:
            yield f"it codes {name!r}, which is not published"
        elif coding["coding"] == MICROAGGREGATE:
            if roles.get(name) == Role.QUASI_IDENTIFIER:
                yield f"it publishes aggregates of {name!r}, which makes groups"
            if sorted(coding["groups"]) != sorted(groups):
                yield f"the aggregates of {name!r} are of other groups than the file shows"
        elif coding["coding"] == SWAP:
            if not 0 < (_fraction(coding["rate"]) or 0) < 1:
                yield f"the rate of swaps of {name!r} is no share"
            if [other for other in coding["within"] if other in codings or other not in shown]:
                yield f"{name!r} is said to be swapped within columns that nobody sees"
        elif wrong := _wrong_matrix(coding):
            yield f"the matrix of {name!r} is none: {wrong}"


def _wrong_matrix(told: Mapping[str, Any]) -> str | None:
    if len(set(told["values"])) < len(told["values"]):
        return "a value stands twice"
    asked = {"uniform": "stay", "invariant": "stay", "matrix": "matrix"}
    if told.get(asked[told["kind"]]) is None:
        return f"its {asked[told['kind']]} is not said"
    if told["kind"] != "matrix" and not 0 < (_fraction(told["stay"]) or 0) < 1:
        return "its chance to stay is no share"
    if told["kind"] == "invariant" and not told["from_data"]:
        return "how often each value stands is the data's, and it says otherwise"
    try:
        matrix = restored_matrix(told)
    except (ValueError, ArithmeticError) as error:
        return str(error)
    except HedgerowError as error:
        return error.what
    stated = math.inf if told["epsilon"] is None else told["epsilon"]
    if not math.isclose(stated, matrix.epsilon, rel_tol=SAME, abs_tol=SAME):
        return f"its epsilon is {matrix.epsilon:.6g}, not {stated:.6g}"
    if _fraction(told["most_changed"]) != matrix.most_changed:
        return f"it changes a value with chance {matrix.most_changed}, not {told['most_changed']}"
    earlier = told.get("earlier")
    if earlier is not None and earlier["epsilon"] is not None and earlier["epsilon"] < stated:
        return "its epsilon is larger than that of all releases together"
    return None


def coding_checks(
    certificate: Mapping[str, Any], file: Path | TablePlace, plan: Plan | None
) -> Iterator[Checked]:
    """Whether the file may have come out of its codings; nothing where there are none.

    Args:
        certificate: Has its form, and says nothing that does not go together.
        file: The published file.
        plan: The plan it must keep, where one is given.

    Raises:
        HedgerowError: The file cannot be read.
    """
    codings: Mapping[str, Any] = certificate.get("codings", {})
    if plan is not None and (plan.codings or codings):
        yield Checked.of("codings of the plan", _other_codings(plan, codings))
    for name, coding in codings.items():
        what = f"coding of {name}"
        if coding["coding"] == SWAP:
            why = "swapping leaves the values of a column as they are: the file does not show it"
            yield Checked(what=what, verdict=UNVERIFIABLE, why=why)
            continue
        names = coding["groups"] if coding["coding"] == MICROAGGREGATE else []
        contents = Contents.read(
            file, quasi=names, sets=[name],
            form=WrittenForm.of(
                file, certificate["data"]["columns"],
                escaped=certificate["plan"]["escape_formulas"],
            ),
        )  # fmt: skip
        wrong = (
            _uneven(contents, name)
            if coding["coding"] == MICROAGGREGATE
            else _impossible(contents.values(name), coding)
        )
        if wrong is not None:
            yield Checked.of(what, wrong)
        elif coding["coding"] == PRAM:
            why = (
                "the file has only values of its matrix, whose epsilon is as stated; that it was "
                "drawn by this matrix, the file does not show"
            )
            yield Checked(what=what, verdict=UNVERIFIABLE, why=why)
        else:
            why = (
                f"everybody of a group has one value; that it is the {coding['by']} of theirs, the "
                "file does not show"
            )
            yield Checked(what=what, verdict=UNVERIFIABLE, why=why)


def _uneven(contents: Contents, name: str) -> str | None:
    """Whether people of a group have different values."""
    h = contents.sets[name][1]
    pairs = {(int(g), int(c)) for g, c in zip(contents.into, h.codes, strict=True)}
    if len(pairs) > contents.size:
        return f"{len(pairs) - contents.size:,} groups or more have several values of {name!r}"
    return None


def _impossible(values: Sequence[str | None], told: Mapping[str, Any]) -> str | None:
    """Whether the file has values that the matrix cannot give."""
    parts = restored_matrix(told).parts.max(axis=0, initial=0)
    possible = {v for v, most in zip(told["values"], parts.tolist(), strict=True) if most}
    strange = [value for value in values if value not in possible]
    return f"the file has {some(strange)}, which the matrix cannot give" if strange else None


def _other_codings(plan: Plan, codings: Mapping[str, Any]) -> str | None:
    """Where the plan codes columns otherwise than the certificate says."""
    asked = plan.codings
    for name in (*asked, *codings):
        if (name in asked) != (name in codings):
            return f"plan and certificate do not both code {name!r}"
    for name, said in asked.items():
        if any(codings[name].get(key) != value for key, value in said.items()):
            return f"the plan codes {name!r} otherwise than the certificate says"
        column = plan.columns[name].coding
        pram = None if column is None else column.pram
        if pram is not None and pram.matrix is None and not pram.invariant:
            listed = public_values(plan, name)
            if codings[name]["from_data"] != (listed is None):
                return f"the plan says otherwise whether the values of {name!r} are from the data"
            if listed is not None and list(listed) != codings[name]["values"]:
                return f"the plan's domain of {name!r} is another one"
        if pram is not None and pram.matrix is not None:
            values, chances = read_matrix(pram.matrix)
            lines = [[str(chance) for chance in line] for line in chances]
            if (list(values), lines) != (codings[name]["values"], codings[name].get("matrix")):
                return f"the plan's matrix of {name!r} is another one"
    return None


def _fraction(text: Any) -> Fraction | None:
    try:
        return Fraction(text)
    except (ValueError, TypeError, ZeroDivisionError):
        return None
