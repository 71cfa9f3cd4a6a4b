"""Remembering: a release is written down before anybody sees it, and after all earlier ones."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hedgerow.base.canonical_json import canonical
from hedgerow.base.errors import DataError, HedgerowError, PlanError, interrupted
from hedgerow.base.faults import point
from hedgerow.claims.base import Verdict
from hedgerow.engines.base import TablePlace
from hedgerow.ledger.choice import ENVIRONMENT, LEFT_OUT, PARTITION, POLICY, ledger_place
from hedgerow.ledger.sources import SourceIdentity, require_other_people
from hedgerow.plan.claims import Claim
from hedgerow.plan.plan import Plan
from hedgerow.recode.recoding import Recoding
from hedgerow.release.delivery_state import Standing
from hedgerow.release.earlier_releases import Before
from hedgerow.release.fingerprint import key_of
from hedgerow.release.manifest import untouched
from hedgerow.release.release import Release
from hedgerow.table.archive import kept, remembered
from hedgerow.table.cells import Cells
from hedgerow.table.certificate_file import read_certificate
from hedgerow.table.contents import Contents
from hedgerow.table.label_taxonomies import written_out
from hedgerow.table.published_table import Published, columns_of

if TYPE_CHECKING:
    from hedgerow.ledger import Entry, Ledger


@dataclass(eq=False)
class Memory:
    """The ledger of a publication, or its absence."""

    plan: Plan
    ledger: Ledger | None = None
    entry: Entry | None = None
    """The reservation, once there is one."""
    seen: int = 0
    """The last release of the population that was looked at."""
    past: tuple[Before, ...] = ()
    """Earlier releases: those of the population in the ledger, and those the plan names."""
    policies: frozenset[str] = frozenset()
    """Under which something was answered about the population."""
    key: str = ""
    done: bool = field(default=False)
    stated: list[str] = field(default_factory=list)
    """What the plan says of the people that nobody checks."""

    @property
    def tip(self) -> dict[str, Any] | None:
        """For the certificate: where in the ledger the release stands."""
        if self.ledger is None or self.entry is None:
            return None
        return {
            "id": self.ledger.id,
            "seq": self.entry.seq,
            "hash": self.entry.hash,
            "reservation": self.entry.reservation,
            **({"stated": self.stated} if self.stated else {}),
        }

    @property
    def notes(self) -> tuple[str, ...]:
        """What a release without noise means for answers under a policy, where there are any."""
        if not self.policies:
            return ()
        names = ", ".join(sorted(policy[:8] for policy in self.policies))
        return (
            f"The ledger has answers about this population under the policy {names}. They were "
            "given for people who do not have this release, which has no noise: what both tell "
            "together is not protected. Where an edge of the policy changes its counts, no further "
            "answer under that policy can be added to them, unless the plan says `known: "
            "{releases: ignored}`, which every answer then says.",
        )

    @contextlib.contextmanager
    def reserved(
        self,
        target: Path | TablePlace | None,
        standing: Standing,
        source: Callable[[], SourceIdentity],
    ) -> Iterator[None]:
        """Write down that a release begins, and if nothing comes of it, that it failed.

        Args:
            target: Where it goes.
            standing: Knows whether it is there.
            source: What it is made from; asked for only where there is a ledger.

        Raises:
            PlanError: The ledger has another population with the same source.
        """
        self.look_back()
        if self.ledger is None:
            yield
            return
        assert self.plan.population is not None, "checked when the ledger was opened"
        from hedgerow.answers.unit_of_privacy import require_no_sample

        require_no_sample(self.ledger, self.plan.population)
        name = None if target is None else target.name
        made_from = source()
        self.stated = made_from.statements
        with self.ledger.at_once():
            require_other_people(self.ledger, self.plan.population, made_from)
            self.entry = self.ledger.reserve(
                self.plan.population,
                key=self.key,
                what={"kind": PARTITION, "name": name, **made_from.told(self.ledger)},
            )
        point("reserved")
        try:
            # Again, as others may have come in between: whoever reserved first goes first.
            require_no_sample(self.ledger, self.plan.population, before=self.entry.seq)
            yield
        except BaseException as error:
            if self.done and interrupted(error):
                there = standing.there
                raise KeyboardInterrupt(
                    f"interrupted; the release is in the ledger (reserved as entry "
                    f"{self.entry.seq}) and {there} at its place"
                    + ("" if there == "is" else ". Run it again")
                ) from None
            if self.done and isinstance(error, HedgerowError):
                told = f"The ledger counts it as published (entry {self.entry.seq})."
                error.fix = f"{error.fix} {told}" if error.fix else told
            if not self.done:
                why = error.what if isinstance(error, HedgerowError) else type(error).__name__
                # The first error is what the steward has to hear of.
                with contextlib.suppress(HedgerowError):
                    self.ledger.failed(self.entry, why=why)
            raise

    def released(self, release: Release, published: Published, inputs: str | None) -> None:
        """Write the release down; from now on it counts as published.

        Raises:
            LedgerError: It cannot be written, or another release of the population came first.
        """
        assert self.ledger is not None, "somebody remembers"
        assert self.entry is not None, "it was reserved"
        body = {
            "kind": PARTITION,
            "name": published.name,
            "certificate": release.certificate,
            "groups": len(published),
            "inputs": inputs,
            LEFT_OUT: sorted(n for n, c in self.plan.columns.items() if c.missing != "value"),
            "again": _stored_form(release),
        }
        self.ledger.released(self.entry, body=body, content=kept(published), after=self.seen)
        self.done = True
        point("released")

    def stored(
        self,
        target: Path | None,
        inputs: Callable[[], str | None],
        signed: Callable[[dict[str, Any]], dict[str, Any]],
    ) -> Release | None:
        """The same release, if it was published before and is still there, untouched.

        Args:
            target: Where it is.
            inputs: A hash of what it was made from; asked for only if the plan is the same.
            signed: Signs a certificate as it is to be signed now.
        """
        if self.ledger is None or target is None:
            return None
        assert self.plan.population is not None, "checked when the ledger was opened"
        entry = self.ledger.find(self.plan.population, self.key)
        if entry is None or entry.body["inputs"] is None or entry.body["inputs"] != inputs():
            return None
        try:
            certificate = read_certificate(target)
            file = target / str(certificate["data"]["file"])
            # Signing the same again gives the same signature.
            same = certificate == signed(_unsigned(entry.body["certificate"]))
            same = same and untouched(target, certificate)
        except (HedgerowError, OSError):
            return None
        return _from_stored(entry.body["again"], certificate, file) if same else None

    def look_back(self) -> None:
        """Read the earlier releases."""
        asked = [c for c in self.plan.protect if isinstance(c, Claim) and c.composes]
        foreign = dict.fromkeys(file for claim in asked for file in claim.parameters.files)
        past: dict[str, Before] = {}
        if self.ledger is not None:
            assert self.plan.population is not None, "checked when the ledger was opened"
            for entry in self.ledger.releases(self.plan.population):
                self.seen = entry.seq
                if POLICY in entry.body:
                    self.policies |= {str(entry.body[POLICY])}
                if entry.body["kind"] != PARTITION:
                    continue
                content = self.ledger.content(entry)
                if content is not None:
                    # The same release twice says nothing twice.
                    past[hashlib.sha256(content).hexdigest()] = _recalled(entry, content)
        for path in foreign:
            past[str(path)] = _foreign(path, self.plan.schema().sensitive)
        self.past = tuple(past.values())


@contextlib.contextmanager
def remembering(
    plan: Plan, where: str | Path | None, *, recoding: Path | None = None, create: bool = True
) -> Iterator[Memory]:
    """Open the ledger that is given, that the plan names, or that the environment names.

    Args:
        plan: The plan.
        where: The ledger, if it is given.
        recoding: Of an earlier release, if it is applied again.
        create: Whether a ledger that is not there is made.

    Raises:
        PlanError: There is one, and the plan does not say whose privacy it accounts for; or a
            claim is about earlier releases and nothing says which.
    """
    found = ledger_place(plan, where)
    composed = [place for place, claim in enumerate(plan.protect) if claim.composes]
    if found is None:
        for place in composed:
            claim = plan.protect[place]
            if not isinstance(claim, Claim) or not claim.parameters.files:
                raise PlanError(
                    "composition is about earlier releases, and nothing says which",
                    where=plan.where("protect", place),
                    fix="Name a ledger (`ledger: ledger.db`, --ledger, or the environment variable "
                    f"{ENVIRONMENT}), or releases: {{confidence: 0.5, with: [other.csv]}}.",
                )
        yield Memory(plan)
        return
    if plan.population is None:
        raise PlanError(
            "a ledger accounts for the privacy of a population, and the plan names none",
            where=plan.where(),
            fix="Add `population: a-name`, the same in every plan about these people.",
        )
    from hedgerow.ledger import Ledger

    with Ledger.open(found, create=create) as ledger:
        yield Memory(plan, ledger, key=key_of(plan, recoding))


def earlier_releases(plan: Plan) -> tuple[Before, ...]:
    """The releases that claims of the plan are about; none where no claim is."""
    if not any(claim.composes for claim in plan.protect):
        return ()
    with remembering(plan, None, create=False) as memory:
        memory.look_back()
        return memory.past


def as_published(
    plan: Plan,
    cells: Cells,
    recoding: Recoding,
    contents: Contents,
    *,
    name: str,
    records: bool = False,
) -> Published:
    """The release as its recipients know it: what was read of it, and what its labels stand for.

    Args:
        plan: Its plan.
        cells: The source, counted.
        recoding: What was applied.
        contents: What was read of it.
        name: For messages.
        records: Whether to keep what its columns say together, row by row.
    """
    roles = plan.schema()
    return Published.of(
        contents,
        name=name,
        sensitive=[column for column in roles.sensitive if column in contents.sets],
        records=tuple(contents.sets) if records else (),
        located="nearest" if recoding.kind == "microaggregation" else "box",
        taxonomies=written_out(plan.specs, cells.hierarchies),
        made=recoding.kind,
        distinct={column: plan.columns[column].distinct or () for column in roles.sensitive},
    )


def _columns(path: Path, sensitive: Sequence[str]) -> list[str]:
    """Which of the sensitive columns a release of another tool has."""
    found = [column for column in columns_of(path) if column in sensitive]
    if not found:
        raise DataError(
            f"has none of the sensitive columns {', '.join(map(repr, sensitive))}",
            where=str(path),
            fix="Leave it out: it cannot be intersected with this release.",
        )
    return found


def _recalled(entry: Entry, content: bytes) -> Before:
    """A release the ledger remembers."""
    body, day = entry.body, entry.at[:10]
    plan = body["certificate"]["plan"]  # without the roles of then nothing can be compared
    return Before(
        remembered(content, name=f"{body['name']} (ledger entry {entry.seq}, {day})").as_read(),
        f"entry {entry.seq} of the ledger, {day}",
        own=True,
        roles=plan["columns"],
        null=tuple(plan["null"]),
        linked=_linked(plan),
    )


def _linked(plan: Mapping[str, Any]) -> bool:
    """Whether people may have several rows in a release, by the plan in its certificate."""
    return plan.get("person") is not None and plan.get("rows") != 1


def _foreign(path: Path, sensitive: Sequence[str]) -> Before:
    """A release the plan names: a folder with its certificate, or a file of any tool."""
    known, plan, file = None, {}, path
    if path.is_dir():
        certificate = read_certificate(path)
        plan, file = certificate.get("plan", {}), path / str(certificate["data"]["file"])
    else:
        known = _columns(path, sensitive)
    published = Published.read(path, sensitive=known, name=path.name, records=True)
    with file.open("rb") as content:
        digits = hashlib.file_digest(content, "sha256").hexdigest()[:16]
    return Before(
        published,
        f"a release that is not in the ledger (SHA-256 {digits}…)",
        roles=plan.get("columns", {}),
        null=tuple(plan.get("null", ())),
        linked=_linked(plan),
    )


def _unsigned(certificate: Mapping[str, Any]) -> dict[str, Any]:
    return {key: told for key, told in certificate.items() if key != "signature"}


def _stored_form(release: Release) -> Mapping[str, Any]:
    """What it takes to tell the steward again what was published."""
    told: Mapping[str, Any] = json.loads(
        canonical(
            {
                "rows": release.rows,
                "suppressed": release.suppressed,
                "people": release.people,
                "optimal": release.optimal,
                "utility": [[name, repr(float(value))] for name, value in release.utility.items()],
                "claims": [
                    [v.claim, v.holds, repr(float(v.level)), repr(float(v.required))]
                    for v in release.claims
                ],
                "words": list(release.words.items()),
            }
        )
    )
    return told


def _from_stored(told: Mapping[str, Any], certificate: dict[str, Any], file: Path) -> Release:
    return Release(
        data=file,
        rows=told["rows"],
        suppressed=told["suppressed"],
        people=told["people"],
        recoding=certificate["recoding"],
        optimal=told["optimal"],
        utility={name: float(value) for name, value in told["utility"]},
        claims=tuple(
            Verdict(claim, holds, float(level), float(required), None)
            for claim, holds, level, required in told["claims"]
        ),
        words=dict(told["words"]),
        certificate=certificate,
        again=True,
    )
