"""What a release protects, against whom, and what it does not: one paragraph for everybody."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeGuard

from hedgerow.base.errors import some
from hedgerow.claims import (
    AlphaKAnonymity,
    BetaLikeness,
    Composition,
    DeltaDisclosure,
    DeltaPresence,
    DistinctLDiversity,
    EntropyLDiversity,
    EpsilonPrivacy,
    JournalistRisk,
    KAnonymity,
    KMap,
    MarketerRisk,
    ProbabilisticLDiversity,
    ProsecutorRisk,
    RecursiveLDiversity,
    TCloseness,
    UniqueShare,
)
from hedgerow.claims.base import PrivacyModel, shown
from hedgerow.table.schema import AS_WRITTEN, STATED, Schema, stated_no_keys

FINDER = "somebody who knows a person's quasi-identifiers and that the person is in the table"
OUTSIDER = "somebody who has a list of the population and does not know who of it is in the table"


def against(model: PrivacyModel) -> str:
    """The attacker a claim is about, spelled out.

    >>> against(KAnonymity(k=5))
    "somebody who knows a person's quasi-identifiers and that the person is in the table"
    """
    match model:
        case EpsilonPrivacy():
            return str(model.adversary)
        case KAnonymity(over="all"):
            return "somebody who knows all published columns of a person"
        case KMap() | JournalistRisk():
            return OUTSIDER
        case DeltaPresence():
            return (
                "somebody who has a list of the population and knows a person's quasi-identifiers"
            )
        case MarketerRisk():
            return "somebody who links the whole table to a list of the same people"
        case TCloseness() | DeltaDisclosure() | BetaLikeness():
            return f"{FINDER}, and how the sensitive values are distributed in the whole table"
        case RecursiveLDiversity() if model.l > 2:
            return f"{FINDER}, and who can rule out {model.l - 2} sensitive values"
        case Composition():
            return f"{FINDER}, and who has the earlier releases that were compared"
    return FINDER


def promise(model: PrivacyModel) -> str:
    """What that attacker cannot do, in one clause."""
    match model:
        case KAnonymity(over="all"):
            return f"finds at least {model.k} people who agree on all columns"
        case KAnonymity():
            return f"finds at least {model.k} people who could be that person"
        case AlphaKAnonymity():
            what = f"in {model.value!r}" if model.value is not None else "in any value"
            return (
                f"finds at least {model.k} people, and believes {what} of {model.of!r} with a "
                f"confidence of at most {shown(model.alpha)}"
            )
        case DistinctLDiversity():
            return f"is left with at least {model.l} values of {model.of!r}"
        case ProbabilisticLDiversity():
            return f"guesses {model.of!r} right at most once in {shown(model.l)} times"
        case EntropyLDiversity():
            return (
                f"is on average as unsure of {model.of!r} as between {shown(model.l)} equally "
                "likely values"
            )
        case RecursiveLDiversity():
            return (
                f"finds the likeliest {model.of!r} less than {shown(model.c)} times as frequent "
                "as the rest"
            )
        case TCloseness():
            return (
                f"finds {model.of!r} distributed at most {shown(model.t)} away from the whole "
                f"table ({model.measure})"
            )
        case DeltaDisclosure():
            return (
                f"finds each {model.of!r} of the table less than e^{shown(model.delta)} times and "
                f"more than e^-{shown(model.delta)} times as likely as in the whole table"
            )
        case BetaLikeness():
            return (
                f"finds no {model.of!r} more than 1 + {shown(model.beta)} times as likely as in "
                "the whole table"
            )
        case EpsilonPrivacy():
            return (
                f"becomes at most {shown(model.epsilon)} times as sure of what must not be "
                f"learned of {model.of!r} as without the person's record"
            )
        case Composition():
            return (
                f"is left with at least {model.least} values of {model.of!r}, by intersecting the "
                "groups that fit the person, joining records on the columns that two releases "
                "show as they are, and counting where everybody in a group is known"
            )
        case KMap():
            return f"finds at least {model.k} people of the population for each record"
        case DeltaPresence():
            return (
                f"believes that the person is in the table with a confidence from "
                f"{shown(model.minimum)} to {shown(model.maximum)}"
            )
        case ProsecutorRisk() | JournalistRisk():
            return f"picks a person's record with a probability of at most {shown(model.risk)}"
        case MarketerRisk():
            return f"gets on average at most a share of {shown(model.risk)} of the links right"
        case UniqueShare():
            return f"singles out at most a share of {shown(model.share)} of the people"
    return f"is bounded as the claim {str(model)!r} says"


def protected(
    models: Sequence[PrivacyModel], schema: Schema, *, left_out: int, withheld: Sequence[str]
) -> str:
    """The paragraph of the certificate.

    Args:
        models: The claims, all of which hold.
        schema: Which columns are what.
        left_out: People of the source who are not in the release.
        withheld: Claims whose level is not shown.
    """
    promises: dict[str, list[str]] = {}
    for model in models:
        known = promises.setdefault(against(model), [])
        known += [text for text in [promise(model)] if text not in known]
    sentences = [
        f"{attacker[0].upper()}{attacker[1:]}{',' * (', and' in attacker)} {'; and '.join(texts)}."
        for attacker, texts in promises.items()
    ]
    sentences.append(f"Not protected: {'; '.join(_gaps(models, schema))}.")
    if schema.stated:
        sentences.append(STATED)
    if schema.ids_as_written:
        sentences.append(AS_WRITTEN)
    sentences += stated_no_keys(schema.not_keys)
    if schema.rows == 1:
        sentences.append("Everybody has one row in the release.")
    if schema.linked:
        sentences.append(
            f"A person may have up to {schema.rows:,} rows, and the release does not say whose "
            "they are. The claims are judged for an attacker who may assign rows to people in any "
            f"way in which nobody has more than {schema.rows:,}. People known to have more than "
            f"{schema.rows:,} rows are not protected."
        )
    if left_out and schema.linked:
        rows = "1 row was" if left_out == 1 else f"{left_out:,} rows were"
        sentences.append(f"{rows} left out; the claims are about those that are published.")
    elif left_out:
        people = "1 person was" if left_out == 1 else f"{left_out:,} people were"
        sentences.append(f"{people} left out; the claims are about those who are published.")
    if left_out and any(isinstance(m, TCloseness | DeltaDisclosure | BetaLikeness) for m in models):
        sentences.append("The whole table is the source, suppressed people included.")
    if left_out and any(_on_a_scale(model) for model in models):
        sentences.append(
            "Distances are measured on the scale of the source's values and on that of the "
            "published values, and the larger counts."
        )
    if withheld:
        sentences.append(
            f"The levels of {some(withheld, most=3)} are withheld, because they would say "
            "something the data do not show."
        )
    return " ".join(sentences)


def _gaps(models: Sequence[PrivacyModel], schema: Schema) -> list[str]:
    """What nobody should take for protected."""
    gaps = []
    several = schema.person is not None or schema.linked
    apart = {n for m in models if _keeps_apart(m, several=several) for n in m.attributes}
    open_to = {
        name: [m.value for m in models if _names_a_value(m) and m.of == name]
        for name in sorted(schema.sensitive)
        if name not in apart
    }
    if bare := [name for name, values in open_to.items() if not values]:
        gaps.append(f"what the people of a group have in common as {some(bare)}")
    gaps += [
        f"what the people of a group have in common as {name!r}, other than {some(values)}"
        for name, values in open_to.items()
        if values
    ]
    if schema.insensitive:
        listed = some(sorted(schema.insensitive))
        gaps.append(f"the columns {listed}, which are published as they are")
    if not any(_bounds_size(model) for model in models):
        gaps.append("identity: a group may hold a single person")
    if any(isinstance(m, DistinctLDiversity | EntropyLDiversity) for m in models):
        gaps.append("a value that is much likelier than the others of its group")
    if any(isinstance(m, TCloseness | DeltaDisclosure | BetaLikeness) for m in models):
        gaps.append("what the whole table says of everybody in it")
    if any(isinstance(m, EpsilonPrivacy) for m in models):
        gaps.append("anybody against attackers who are stronger than those named")
    if any(isinstance(m, EpsilonPrivacy) and m.adversary.listed is not None for m in models):
        gaps.append("anybody against attackers who know fewer or other people than those listed")
    if any(isinstance(m, EpsilonPrivacy) and m.predicates.wishes is not None for m in models):
        gaps.append("what a person did not ask to have protected")
    if any(isinstance(m, MarketerRisk | UniqueShare) for m in models):
        gaps.append("single people, as long as the average or the share is kept")
    if any(isinstance(m, Composition) for m in models):
        gaps.append(
            "anybody against those who weigh how frequent values are in the releases that were "
            "compared, know who came and left between them, or count otherwise"
        )
    gaps.append(
        "people in other releases of the same data, which can be put together with this one"
        + (" unless they were compared" if any(isinstance(m, Composition) for m in models) else "")
    )
    gaps.append(
        "anybody against those who know more than the claims say, or have the raw data, the ledger "
        "or the machine the release was made on"
    )
    return gaps


def _on_a_scale(model: PrivacyModel) -> bool:
    """Whether its distances are shares of the length of an order or a taxonomy."""
    return isinstance(model, TCloseness) and model.distance != "equal"


def _bounds_size(model: PrivacyModel) -> bool:
    """Whether no group that keeps the claim is a single person's."""
    match model:
        case KAnonymity() | AlphaKAnonymity() if model.k > 1:
            return True
        case ProsecutorRisk():
            return model.risk < 1
        case UniqueShare():
            return model.share == 0
        case DistinctLDiversity() | ProbabilisticLDiversity() | EntropyLDiversity():
            return model.l > 1  # of several values, too, a single person has each for sure
        case RecursiveLDiversity() | AlphaKAnonymity(value=None) | EpsilonPrivacy():
            return _keeps_apart(model, several=True)
    return False


def _keeps_apart(model: PrivacyModel, *, several: bool) -> bool:
    """Whether in no group that keeps the claim everybody has a certain value.

    However the table looks; unless everybody in it has that value, which is said elsewhere.

    Args:
        model: The claim.
        several: Whether people may have several values.
    """
    match model:
        case DistinctLDiversity() | ProbabilisticLDiversity() | EntropyLDiversity():
            return model.l > 1
        case RecursiveLDiversity():
            return model.l > 1
        case AlphaKAnonymity():
            return model.value is None and model.alpha < 1
        case BetaLikeness():
            return model.kind == "enhanced" or model.beta == 0
        case TCloseness():
            return model.t == 0
        case EpsilonPrivacy():
            # A value that all of a group have is believed for sure once the group is seen.
            return model.predicates.sets is None and not model.looks_behind
        case DeltaDisclosure():
            return not several  # all values are in each group, but some may be everybody's
    return isinstance(model, Composition)


def _names_a_value(model: PrivacyModel) -> TypeGuard[AlphaKAnonymity]:
    """Whether it bounds one value of a column and says nothing of the others."""
    return isinstance(model, AlphaKAnonymity) and model.value is not None and model.alpha < 1
