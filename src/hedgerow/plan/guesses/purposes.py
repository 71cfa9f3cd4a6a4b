"""What a release is for, and what a plan for it may start from.

No purpose makes a release lawful. Each number says where it comes from; where no policy asks for
one, that is said.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hedgerow.base.errors import PlanError, nearest


@dataclass(frozen=True, kw_only=True)
class Purpose:
    """A purpose, and the claims, suppression and method that are proposed for it."""

    name: str
    readers: str
    """Who receives the release."""
    k: int
    k_because: str
    most_l: int
    """Different values of a sensitive column in a group, where the column has enough."""
    suppress: str
    suppress_because: str
    not_protected: tuple[str, ...]
    """Sentences about what remains."""
    profiles: tuple[str, ...] = ()
    """Policies to compare the release with."""


PURPOSES: Mapping[str, Purpose] = {
    one.name: one
    for one in (
        Purpose(
            name="public",
            readers="anybody may read it",
            k=11,
            k_because="CMS publishes no count of 1 to 10 people. Unless the data come from CMS, no "
            "rule asks for it",
            most_l=3,
            suppress="5%",
            suppress_because="up to 5 % of the people may be left out, so that others keep detail",
            not_protected=(
                "A public release cannot be taken back. What others publish about the same people "
                "adds to it.",
                "Whoever publishes about these people more than once needs `population` and "
                "`ledger`: the claims are about this release alone.",
            ),
            profiles=("wp216", "cms-cell-size"),
        ),
        Purpose(
            name="research",
            readers="researchers who have signed that they will not look for anybody",
            k=5,
            k_because="a common choice. No policy asks for it",
            most_l=3,
            suppress="5%",
            suppress_because="up to 5 % of the people may be left out, so that others keep detail",
            not_protected=(
                "Five rests on the contract: if the file leaks, choose the claims of `public`.",
            ),
            profiles=("uk-tre",),
        ),
        Purpose(
            name="internal",
            readers="colleagues who may see other data about the same people",
            k=3,
            k_because="the least with which somebody who recognises themselves does not recognise "
            "the other. No policy asks for it",
            most_l=2,
            suppress="1%",
            suppress_because="up to 1 % of the people may be left out",
            not_protected=(
                "Colleagues know more than outsiders: a column that they can look up elsewhere is "
                "a quasi-identifier, whatever is guessed here.",
                "It must not leave the house.",
            ),
        ),
        Purpose(
            name="hospital",
            readers="readers of clinical data",
            k=12,
            k_because="EMA policy 0070 and Health Canada publish clinical data at a risk of at "
            "most 0.09; 1/11 is 0.0909, 1/12 is below",
            most_l=2,
            suppress="5%",
            suppress_because="up to 5 % of the people may be left out, those with rare values "
            "first: say so in the publication",
            not_protected=(
                "Dates and places of treatment are known to relatives. HIPAA Safe Harbor allows "
                "years and three digits of a ZIP code: compare with `--profile hipaa-safe-harbor`.",
                "Documents and images are not looked at.",
            ),
            profiles=("ema-0070", "hipaa-safe-harbor"),
        ),
        Purpose(
            name="survey",
            readers="users of a sample, of whom nobody knows who is in it",
            k=3,
            k_because="a common start for samples. No policy asks for it. It counts people of the "
            "sample; groups of the population are larger",
            most_l=2,
            suppress="2%",
            suppress_because="up to 2 % of the people may be left out, so that weights stay useful",
            not_protected=(
                "Whoever knows that somebody took part finds them as in any other table. If "
                "everybody is in the table, it is no sample: choose the claims of `public`.",
                "Survey weights tell the design and often the region.",
            ),
        ),
    )
}  # fmt: skip
"""By name."""
DEFAULT = "research"
"""Where nobody has said; the plan says so on top."""


def purpose_of(name: str | None) -> Purpose:
    """The purpose of that name, or the default.

    Raises:
        PlanError: There is none.
    """
    if name is None:
        return PURPOSES[DEFAULT]
    if name not in PURPOSES:
        near = nearest(name, PURPOSES)
        meant = f"Did you mean {near!r}? " if near else ""
        raise PlanError(
            f"{name!r} is no purpose",
            fix=f"{meant}Choose {', '.join(PURPOSES)}.",
        )
    return PURPOSES[name]
