"""Gate: how much attackers may gain, and whether results say enough that one may rely on them.

Three bounds, each for itself: the mean gain hides who is given away, the share of people who are
known for certain hides who is nearly, and the worst person's gain hides how many are like them.

An attack that could not look for anybody finds nothing, and nothing found must not pass for safe.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from hedgerow.attacks.base import AttackResult
from hedgerow.attacks.registry import outcome_of
from hedgerow.base.errors import PlanError, some
from hedgerow.table.groups import ROWS

FEW = 0.05
"""The share of people an attack may fail to judge."""
UNTRIED = "not tried: "
"""How a doubt begins about what was not done, rather than not understood."""


@dataclass(frozen=True, kw_only=True)
class GainBounds:
    """What an attack may find at most. None: it is printed, and stops nothing."""

    mean: float | None = None
    """The mean gain: `--at-most`."""
    certain: float = 0.0
    """The share of people who are known for certain: `--certain-at-most`."""
    worst: float | None = None
    """The gain of the worst person: `--worst-at-most`."""

    def __post_init__(self) -> None:
        for option, share in self._options():
            if share is not None and not 0 <= share <= 1:
                raise PlanError(
                    f"{option} must be a share from 0 to 1, not {share}",
                    fix=f"Say {option} 0.05.",
                )

    def broken(self, result: AttackResult) -> tuple[str, ...]:
        """Which bounds an attack breaks, in sentences.

        >>> from hedgerow.attacks.homogeneity import homogeneity
        >>> from hedgerow.table.groups import Groups
        >>> virus = Groups.of({"virus": [{"positive": 490}, {"positive": 10, "negative": 500}]})
        >>> GainBounds().broken(homogeneity(virus, of="virus"))
        ('490 of 1,000 people are known for certain (49.00 %), at most 0.00 % may be',)
        """
        found = []
        gains = result.gains
        if self.mean is not None and result.gain > self.mean:
            found.append(f"the gain is {_share(result.gain)}, at most {_share(self.mean)} may be")
        if gains is not None and gains.certain_share > self.certain:
            found.append(
                f"{gains.certain:,} of {gains.people:,} {result.unit} are known for certain "
                f"({_share(gains.certain_share)}), at most {_share(self.certain)} may be"
            )
        if gains is not None and self.worst is not None and gains.worst > self.worst:
            one = "row" if result.unit == ROWS else "person"
            found.append(
                f"the worst {one}'s gain is {_share(gains.worst)}, at most "
                f"{_share(self.worst)} may be"
            )
        return tuple(found)

    def unsettled(self, result: AttackResult) -> tuple[str, ...]:
        """Which bounds an attack does not break by what is exact or proven, and yet may break.

        Beliefs that are only known between bounds may be larger than what counts. Never of who is
        known for certain: what is not proven is not known.
        """
        many = int(result.detail.get("bounded", 0))
        if not many or self.broken(result):
            return ()
        asked = ((self.mean, "mean_at_most", "the gain"),
                 (self.worst, "worst_at_most", "the worst person's gain"))  # fmt: skip
        return tuple(
            f"{result.attack}: the beliefs about {many:,} {result.unit} are between bounds, by "
            f"which {what} may be {_share(result.detail[key])}, at most {_share(limit)} may be"
            for limit, key, what in asked
            if limit is not None and result.detail[key] > limit
        )

    def summary(self) -> dict[str, float | None]:
        """For `--json`."""
        return {option.lstrip("-").replace("-", "_"): share for option, share in self._options()}

    def _options(self) -> tuple[tuple[str, float | None], ...]:
        return (
            ("--at-most", self.mean),
            ("--certain-at-most", self.certain),
            ("--worst-at-most", self.worst),
        )


def _share(value: float) -> str:
    return f"{value * 100:.2f} %"


def doubts(results: Sequence[AttackResult]) -> list[str]:
    """Why the results do not show that little is gained; nothing, if they do.

    >>> from hedgerow.attacks.base import Rate
    >>> nobody = Rate(successes=0, guesses=0)
    >>> doubts([AttackResult(attack="sequential", goal="", found=nobody, baseline=nobody)])
    ['sequential: nobody who was looked for fits into the releases']
    """
    found = [
        f"{UNTRIED}{what}" for result in results for what in result.detail.get("not_tried", ())
    ]
    found += [f"{result.attack}: {why}" for result in results for why in _doubts(result)]
    return list(dict.fromkeys(found)) if results else ["no attack was tried"]


def _doubts(result: AttackResult) -> Iterator[str]:
    detail: dict[str, Any] = dict(result.detail)
    for told in detail.get("not_understood", ()):
        yield (
            f"{some(told['values'], most=3)} as {told['column']} in {told['release']} fits nobody "
            "and was perhaps not understood"
        )
    if result.found.guesses == 0 and not outcome_of(result.attack).silent:
        yield "nobody who was looked for fits into the releases"
        return
    if detail.get("prosecutor", {}).get("fitting") == 0:
        yield "nobody who was looked for fits into the releases"
    for column in detail.get("columns_nobody_fits", ()):
        yield f"no published {column} fits anybody"
    people = detail.get("rows", detail.get("people", 0))
    for told in detail.get("lost", ()):
        if told["may_be_nodes"] and told["people"] > FEW * people:
            yield (
                f"no published {told['column']} in {told['release']} covers that of "
                f"{told['people']:,} of {people:,} people, and some may be nodes of a taxonomy"
            )
    judged = result.found.guesses
    # Who is in one release only is no contradiction where not everybody is in all of them.
    if "overlaps" not in detail and detail.get("contradictions", 0) > FEW * judged:
        yield f"the releases contradict each other for {detail['contradictions']:,} of {judged:,}"
    if detail.get("not_joined", 0) > FEW * judged:
        yield (
            f"the records of {detail['not_joined']:,} of {judged:,} people cannot be joined on "
            f"{some(detail['joined_on'])}"
        )
    if detail.get("true_value_unknown", 0) > FEW * judged:
        yield (
            f"the true value of {detail['true_value_unknown']:,} of {judged:,} people is in none "
            "of the releases, and may be spelled otherwise"
        )
    if detail.get("left_out_records", 0) > FEW * max(1, detail.get("records", 0)):
        yield (
            f"{detail['left_out_records']:,} of {detail['records']:,} records are in groups that "
            "could not be judged"
        )
