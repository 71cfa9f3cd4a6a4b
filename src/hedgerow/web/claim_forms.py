"""Claims and attackers as forms: what a form says, as the plan writes it, and back again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hedgerow.base.errors import PlanError
from hedgerow.web.hierarchies import number
from hedgerow.web.sentences import ATTACKER, CLAIMS, CLASSES, parameters

NUMBERS = {
    "k-anonymity": ("k",),
    "l-diversity": ("l",),
    "t-closeness": ("t",),
    "alpha-k-anonymity": ("alpha", "k"),
    "beta-likeness": ("beta",),
    "delta-disclosure": ("delta",),
    "composition": ("confidence",),
    "prosecutor-risk": ("risk",),
    "marketer-risk": ("risk",),
    "unique-share": ("share",),
    "k-map": ("k",),
    "journalist-risk": ("risk",),
    "delta-presence": ("min", "max"),
}
"""The numbers each claim asks for, in the order of the form's two fields."""
WORDS = {
    "k": "people in every group, at least",
    "l": "how many values, at least",
    "t": "distance, at most (0 to 1)",
    "alpha": "share of one value, at most (0 to 1)",
    "beta": "relative gain, at most",
    "delta": "logarithm of the factor",
    "confidence": "one over the values left, at most (0.5 leaves two)",
    "risk": "chance, at most (0.09 or 9%)",
    "share": "share, at most (0 or 1%)",
    "min": "share, at least",
    "max": "share, at most",
}
ABOUT = ("l-diversity", "t-closeness", "alpha-k-anonymity", "beta-likeness", "delta-disclosure",
         "composition")  # fmt: skip
"""Claims about a sensitive column."""
OUTSIDE = ("k-map", "journalist-risk", "delta-presence")
"""Claims that need a file about the population."""
KINDS = {
    "l-diversity": ("distinct", "probabilistic", "entropy", "recursive"),
    "t-closeness": ("equal", "ordered", "hierarchical"),
    "beta-likeness": ("basic", "enhanced"),
    "k-anonymity": ("quasi-identifiers", "all"),
}
_KIND_KEY = {"t-closeness": "distance", "k-anonymity": "over"}
STUBBORNNESS = (
    "", "10", "30", "100", "300", "1000", "3000", "10000", "30000", "100000", "300000", "1000000",
    "10000000", "100000000", "1000000000",
)  # fmt: skip
"""Where the slider stops; first: as the data justify."""


def claim_said(
    claim: str, *, first: str, second: str = "", kind: str = "", of: str = "", value: str = "",
    c: str = "", population: str = "",
) -> dict[str, Any]:  # fmt: skip
    """A claim as the plan writes it.

    Raises:
        PlanError: There is no such claim, or a number is none.
    """
    if claim not in CLAIMS:
        raise PlanError(f"there is no claim {claim[:40]!r}", fix=f"Choose of {', '.join(CLAIMS)}.")
    names = NUMBERS[claim]
    said: dict[str, Any] = {
        name: _amount(text) for name, text in zip(names, (first, second), strict=False)
    }
    if kind and kind in KINDS.get(claim, ()) and kind != KINDS[claim][0]:
        said[_KIND_KEY.get(claim, "kind")] = kind
    if claim == "l-diversity" and kind == "recursive":
        said["c"] = _amount(c)
    if of and claim in ABOUT:
        said["of"] = of
    if value.strip() and claim == "alpha-k-anonymity":
        said["value"] = value.strip()
    if claim in OUTSIDE:
        if not population:
            raise PlanError("this needs a file about the population", fix="Upload one first.")
        said["population"] = population
    brief = names[0] if len(names) == 1 and len(said) == 1 else None
    return {claim: said[brief] if brief else said}


def claim_fields(claim: Any) -> dict[str, str]:
    """What a claim says, as the fields of its form."""
    name, said = parameters(claim)
    names = (*NUMBERS.get(name, ("k",)), "")
    key = _KIND_KEY.get(name, "kind")
    default = KINDS[name][0] if name in KINDS else ""
    return {
        "claim": name, "first": _text(said.get(names[0])), "second": _text(said.get(names[1])),
        "kind": _text(said.get(key, default)), "of": _text(said.get("of")),
        "value": _text(said.get("value")), "c": _text(said.get("c")),
        "population": _text(said.get("population")),
    }  # fmt: skip


def attacker_said(
    *, of: str, epsilon: str, who: str, prior: str, file: str = "", column: str = "",
    count: str = "", stubbornness: str = "", knows: str = "", known: str = "", by: str = "",
    secrets: str = "", negative: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """A claim against an attacker as the plan writes it.

    Raises:
        PlanError: A field is not what it should be.
    """
    if who not in CLASSES:
        raise PlanError(f"there is no attacker of class {who[:20]!r}")
    adversary: dict[str, Any] = {"class": who}
    if who in ("I", "at-most", "III"):
        adversary["prior"] = _prior(prior, file, column.strip(), count.strip())
    if stubbornness.strip() and who in ("I", "at-most", "II"):
        adversary["stubbornness"] = number(stubbornness.replace(",", ""))
    if known:
        adversary["knows"] = {"file": known, "by": by}
    elif knows.strip() and number(knows) != 0:
        adversary["knows"] = number(knows)
    said: dict[str, Any] = {"of": of} if of else {}
    said |= {"epsilon": number(epsilon), "adversary": adversary}
    listed = [_secret(line) for line in secrets.splitlines() if line.strip()]
    if listed:
        said["predicates"] = listed
    if negative:
        said["negative"] = True
    return {ATTACKER: said}


def attacker_fields(claim: Any) -> dict[str, Any]:
    """What a claim against an attacker says, as the fields of its form."""
    _, said = parameters(claim)
    who = said.get("adversary")
    who = who if isinstance(who, Mapping) else {}
    prior, knows = who.get("prior", ""), who.get("knows", "")
    fields: dict[str, Any] = {
        "of": _text(said.get("of")), "epsilon": _text(said.get("epsilon", 3)),
        "who": _text(who.get("class", "I")), "prior": "table", "file": "", "column": "",
        "count": "", "stubbornness": _text(who.get("stubbornness")), "knows": "", "known": "",
        "by": "", "negative": said.get("negative") is True, "kept": "",
        "secrets": "\n".join(
            ", ".join(map(str, p)) if isinstance(p, list) else str(p)
            for p in said.get("predicates") or ()
        ),
    }  # fmt: skip
    if prior in ("table", "uniform"):
        fields["prior"] = prior
    elif isinstance(prior, Mapping) and "kind" in prior:
        fields["prior"] = _text(prior["kind"])
    elif isinstance(prior, Mapping) and "file" in prior:
        fields |= {"prior": "file", "file": _text(prior["file"])}
        fields |= {"column": _text(prior.get("column")), "count": _text(prior.get("count"))}
    elif isinstance(prior, str) and prior:
        fields |= {"prior": "file", "file": prior}
    if isinstance(knows, Mapping) and "file" in knows:
        fields |= {"known": _text(knows["file"]), "by": _text(knows.get("by"))}
    else:
        fields["knows"] = _text(knows.get("people") if isinstance(knows, Mapping) else knows)
    return fields


def _prior(prior: str, file: str, column: str, count: str) -> Any:
    if prior in ("table", "uniform"):
        return prior
    if not file:
        raise PlanError("no file says what they have seen", fix="Upload one, or choose otherwise.")
    if not column and not count:
        return file
    said = {"file": file, "column": column, "count": count}
    return {key: value for key, value in said.items() if value}


def _secret(line: str) -> Any:
    parts = [part.strip() for part in line.split(",") if part.strip()]
    return parts[0] if len(parts) == 1 else parts


def _amount(text: str) -> Any:
    """A number, or a share in per cent as it was written."""
    text = text.strip()
    return text if text.endswith("%") else number(text)


def _text(value: Any) -> str:
    return "" if value is None else str(value)
