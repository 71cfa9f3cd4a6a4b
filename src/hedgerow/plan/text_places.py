"""Which values of a plan are texts, however much they look like numbers or truth values."""

from __future__ import annotations

from hedgerow.base.problems import Place


def is_text(place: Place) -> bool:
    """Whether a value is a name or a label, even where it looks like a number."""
    match place:
        case ("source" | "person" | "population" | "ledger" | "publish",) | ("publish", "to"):
            return True
        case ("read", "decimal" | "thousands" | "dates" | "delimiter" | "quote", *_):
            return True
        case ("null", _) | ("columns", _, "hierarchy", "taxonomy", *_):
            return True
        case ("columns", _, "distinct", *_):
            return True
        case ("columns", _, "coding", "swap", "within", _) | (
            "columns",
            _,
            "coding",
            "pram",
            "matrix",
        ):
            return True
        # Kept as they are written, digit by digit.
        case ("columns", _, "coding", "pram") | ("columns", _, "coding", "pram", "stay"):
            return True
        case ("columns", _, "coding", "swap") | ("columns", _, "coding", "swap", "rate"):
            return True
        case ("columns", _, "hierarchy", "csv") | ("columns", _, "hierarchy", "names", _):
            return True
        case ("columns", _, "hierarchy", "codes", "other"):
            return True
        case ("protect", _, _, "of" | "value" | "population" | "wishes" | "weights") | (
            "protect",
            _,
            _,
            "with",
            _,
        ):
            return True
        case ("protect", _, _, "predicates", *_):
            return True
        case ("protect", _, _, "adversary", "class" | "prior"):
            return True
        case ("protect", _, _, "adversary", "prior", "file" | "column" | "count"):
            return True
        case ("protect", _, _, "adversary", "knows", "file" | "by"):
            return True
        # Numbers that are kept as they are written, digit by digit.
        case ("columns", _, "bounds", _) | ("columns", _, "step"):
            return True
        case ("method", "epsilon" | "delta" | "rho") | ("method", "tables", _, *_):
            return True
        case ("columns", _, "domain", "csv") | ("policy", _, "partition", "csv"):
            return True
        case ("policy", "known", "counts", _) | ("policy", "known", "marginals", _, _):
            return True
        case ("policy", _, "within") | ("policy", _, "of", _):
            return True
    return is_domain(place)


def is_domain(place: Place) -> bool:
    """Whether it is one of the values of a domain or an order, where null stands for missing."""
    match place:
        case ("columns", _, "domain", int()):
            return True
        case ("columns", _, "order", int()) | ("columns", _, "order", "by", int()):
            return True
        case ("policy", _, "partition", _, int()) | ("policy", _, "graph", int(), int()):
            return True
    return False
