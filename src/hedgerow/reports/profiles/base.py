"""A policy profile: requirements, each met, not met, or not for software to say.

No profile says that a release complies with anything: it says what was checked, with the numbers,
and what a person has to do about the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hedgerow.reports.blocks import Section, Table, Text, section
from hedgerow.reports.recipient_view import Handed

if TYPE_CHECKING:
    from hedgerow.attacks.base import AttackResult

MET, NOT_MET, OPEN = "met", "not met", "not checkable"


@dataclass(frozen=True, kw_only=True)
class RequirementCheck:
    """One requirement and what became of it."""

    requirement: str
    verdict: str
    """MET, NOT_MET or OPEN."""
    evidence: str
    """With the numbers."""
    todo: str = ""
    """What a person has to do, where software cannot say or something is not met."""

    @classmethod
    def of(cls, requirement: str, holds: bool, evidence: str, todo: str = "") -> RequirementCheck:
        """Met or not met."""
        return cls(
            requirement=requirement,
            verdict=MET if holds else NOT_MET,
            evidence=evidence,
            todo="" if holds else todo,
        )

    @classmethod
    def left(cls, requirement: str, evidence: str, todo: str) -> RequirementCheck:
        """Not for software to say."""
        return cls(requirement=requirement, verdict=OPEN, evidence=evidence, todo=todo)


@dataclass(frozen=True, kw_only=True)
class ProfileCheck:
    """What a policy asks for, next to a release."""

    name: str
    title: str
    findings: tuple[RequirementCheck, ...]

    @property
    def unmet(self) -> tuple[RequirementCheck, ...]:
        """What is not met."""
        return tuple(one for one in self.findings if one.verdict == NOT_MET)

    def summary(self) -> dict[str, Any]:
        """For `--json`."""
        return {
            "profile": self.name,
            "title": self.title,
            "requirements": [vars(one) for one in self.findings],
        }


@dataclass(frozen=True, eq=False, kw_only=True)
class Raw:
    """What only the publisher knows, for requirements that are about it."""

    people: int
    smallest: int
    """The smallest group of the source by its quasi-identifiers as they are."""
    groups: int
    unique: int
    """Groups that may be one person."""
    most: int = 1
    """The most rows of a person; where it is not 1, rows are counted instead of people."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Evidence:
    """What a profile may look at."""

    handed: Handed
    raw: Raw | None = None
    """None for whoever has only the release."""
    attacks: tuple[AttackResult, ...] = field(default=())
    zip3: dict[str, int] | None = None
    """People in each area of three digits, where a file says."""


@dataclass(frozen=True, kw_only=True, eq=False)
class PolicyProfile:
    """What a policy asks for, as its module declares it."""

    name: str
    """As on the command line."""
    title: str
    """The policy."""
    checks: str
    """What is checked."""
    leaves: str
    """What is left to a person."""
    requirements: Callable[[Evidence], Iterator[RequirementCheck]]
    """Checks requirement by requirement."""

    def check(self, evidence: Evidence) -> ProfileCheck:
        """What becomes of each requirement."""
        found = tuple(self.requirements(evidence))
        return ProfileCheck(name=self.name, title=self.title, findings=found)


def profile_section(profile: ProfileCheck) -> Section:
    """The profile as a section of a report."""
    count = dict.fromkeys((MET, NOT_MET, OPEN), 0)
    for finding in profile.findings:
        count[finding.verdict] += 1
    told = f"{count[MET]} met, {count[NOT_MET]} not met, {count[OPEN]} not checkable by software."
    return section(
        f"Profile {profile.name}",
        Text(text=f"{profile.title}: {told}"),
        Table(
            head=("requirement", "verdict", "evidence", "for a person to do"),
            rows=tuple(
                (one.requirement, one.verdict, one.evidence, one.todo) for one in profile.findings
            ),
            verdicts=1,
            caption=f"What {profile.name} asks for",
        ),
        Text(
            text="This is a list of checks, not a finding that the release complies with anything.",
            tone="quiet",
        ),
    )


def unmet_of(profiles: Sequence[ProfileCheck]) -> int:
    """How many requirements are not met."""
    return sum(len(profile.unmet) for profile in profiles)
