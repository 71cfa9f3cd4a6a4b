"""What a ledger keeps of recoded tables, and what it tells of earlier ones."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hedgerow.base.canonical_json import canonical
from hedgerow.base.errors import DataError, HedgerowError, PlanError, some
from hedgerow.base.faults import point
from hedgerow.claims.base import Verdict
from hedgerow.ledger.choice import ENVIRONMENT, LEFT_OUT, PARTITION, POLICY, ledger_place
from hedgerow.ledger.reservation import Intent, Reservation, reserved
from hedgerow.ledger.sources import SourceIdentity, require_other_people
from hedgerow.plan.claims import Claim
from hedgerow.plan.plan import Plan
from hedgerow.recode.recoding import Recoding
from hedgerow.release.codings.earlier_draws import EarlierDraw, draws_of
from hedgerow.release.manifest import untouched
from hedgerow.release.partition.earlier_releases import Before
from hedgerow.release.partition.fingerprint import key_of
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
    reservation: Reservation | None = None
    """Once it is reserved."""
    seen: int = 0
    """The last release of the population that was looked at."""
    past: tuple[Before, ...] = ()
    """Earlier releases: those of the population in the ledger, and those the plan names."""
    draws: tuple[EarlierDraw, ...] = ()
    """Columns of earlier releases in the ledger, and whether they were drawn by lot."""
    policies: frozenset[str] = frozenset()
    """Under which something was answered about the population."""
    key: str = ""
    stated: Sequence[str] = ()
    """What the plan says of the people that nobody checks."""

    @property
    def tip(self) -> dict[str, Any] | None:
        """For the certificate: where in the ledger the release stands."""
        if self.reservation is None:
            return None
        return self.reservation.tip(self.reservation.entries[0], self.stated)

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
    def reserved(self, name: str | None, source: Callable[[], SourceIdentity]) -> Iterator[None]:
        """Write down that a release begins, and if nothing comes of it, that it failed.

        Args:
            name: Of the release.
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

        ledger, population = self.ledger, self.plan.population
        require_no_sample(ledger, population)
        made_from = source()
        self.stated = made_from.statements
        what = {"kind": PARTITION, "name": name, **made_from.told(ledger)}
        with reserved(
            ledger,
            population,
            [Intent(key=self.key, what=what)],
            admit=lambda: require_other_people(ledger, population, made_from),
        ) as self.reservation:
            # Again, as others may have come in between: whoever reserved first goes first.
            require_no_sample(ledger, population, before=self.reservation.entries[0].seq)
            yield

    def record(self, release: Release, published: Published, inputs: str | None) -> None:
        """Write the release down; from now on it counts as published.

        Raises:
            LedgerError: It cannot be written, or another release of the population came first.
        """
        assert self.reservation is not None, "it was reserved"
        body = {
            "kind": PARTITION,
            "name": published.name,
            "certificate": release.certificate,
            "groups": len(published),
            "inputs": inputs,
            LEFT_OUT: sorted(n for n, c in self.plan.columns.items() if c.missing != "value"),
            "again": _stored_form(release),
        }
        self.reservation.record([(body, kept(published))], after=self.seen)
        point("released")

    def stored(self, inputs: str | None) -> StoredRelease | None:
        """The same release, if it was published before.

        Args:
            inputs: A hash of what it would be made from now.
        """
        if self.ledger is None or inputs is None:
            return None
        assert self.plan.population is not None, "checked when the ledger was opened"
        entry = self.ledger.find(self.plan.population, self.key)
        if entry is None or entry.body["inputs"] != inputs:
            return None
        return StoredRelease(entry.body["certificate"], entry.body["again"])

    def look_back(self) -> None:
        """Read the earlier releases."""
        past: dict[str, Before] = {}
        draws: list[EarlierDraw] = []
        if self.ledger is not None:
            assert self.plan.population is not None, "checked when the ledger was opened"
            for entry in self.ledger.releases(self.plan.population):
                self.seen = entry.seq
                if POLICY in entry.body:
                    self.policies |= {str(entry.body[POLICY])}
                if entry.body["kind"] != PARTITION:
                    continue
                called = f"{entry.body['name']} (entry {entry.seq})"
                draws += draws_of(entry.body["certificate"], called)
                content = self.ledger.content(entry)
                if content is not None:
                    # The same release twice says nothing twice.
                    past[hashlib.sha256(content).hexdigest()] = _recalled(entry, content)
        for path in _named(self.plan):
            past[str(path)] = _foreign(path, self.plan.schema().sensitive)
        self.past, self.draws = tuple(past.values()), tuple(draws)


@dataclass(frozen=True)
class StoredRelease:
    """A release that the ledger has: its certificate, and what to tell the steward again."""

    certificate: Mapping[str, Any]
    told: Mapping[str, Any]

    def at(
        self, folder: Path, signed: Callable[[dict[str, Any]], dict[str, Any]]
    ) -> dict[str, Any] | None:
        """The certificate in a folder, if this release is there, untouched.

        Args:
            folder: The folder.
            signed: Signs a certificate as it is to be signed now.
        """
        try:
            certificate = read_certificate(folder)
            # Signing the same again gives the same signature.
            same = certificate == signed(_unsigned(self.certificate))
            return certificate if same and untouched(folder, certificate) else None
        except (HedgerowError, OSError):
            return None

    def release(self, certificate: Mapping[str, Any], folder: Path) -> Release:
        """The release in a folder."""
        told = self.told
        return Release(
            data=folder / str(certificate["data"]["file"]),
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
            certificate=dict(certificate),
            again=True,
        )


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
            if not isinstance(claim, Claim) or not claim.releases:
                raise PlanError(
                    "the claim is about earlier releases, and nothing says which",
                    where=plan.where("protect", place),
                    fix="Name a ledger (`ledger: ledger.db`, --ledger, or the environment variable "
                    f"{ENVIRONMENT}), or releases: `with: [other.csv]`.",
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


def releases_beside(plan: Plan, ledger: str | Path | None, digest: str) -> tuple[Before, ...]:
    """What else is published about the people of a release: by the ledger, and by its claims.

    Args:
        plan: Of the release.
        ledger: Where it is remembered, where the plan does not say.
        digest: SHA-256 of its data, by which it is left out itself.
    """
    found: dict[str, Before] = {}
    place = ledger_place(plan, ledger)
    if place is not None and plan.population is not None:
        from hedgerow.ledger import Ledger

        with Ledger.open(place, create=False) as opened:
            for entry in opened.releases(plan.population):
                body = entry.body
                if body["kind"] != PARTITION or body["certificate"]["data"]["sha256"] == digest:
                    continue
                content = opened.content(entry)
                if content is not None:
                    found[hashlib.sha256(content).hexdigest()] = _recalled(entry, content)
    for path in _named(plan):
        found[str(path)] = _foreign(path, plan.schema().sensitive)
    return tuple(found.values())


def _named(plan: Plan) -> list[Path]:
    """The releases that claims of a plan name."""
    asked = [claim for claim in plan.protect if isinstance(claim, Claim) and claim.composes]
    return list(dict.fromkeys(file for claim in asked for file in claim.releases))


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
        ages=plan.get("ages", {}) if plan else None,
    )


def _linked(plan: Mapping[str, Any]) -> bool:
    """Whether people may have several rows in a release, by the plan in its certificate."""
    return plan.get("person") is not None and plan.get("rows") != 1


def _foreign(path: Path, sensitive: Sequence[str]) -> Before:
    """A release the plan names: a folder with its certificate, or a file of any tool."""
    known, plan, file = None, {}, path
    if coded := _coded_in(path):
        raise DataError(
            f"its file does not show what people have as {some(coded)}, which it codes, so it "
            "cannot be compared with other releases",
            where=str(path),
            fix="Name the ledger that remembers it. Or leave it out.",
        )
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
        ages=plan.get("ages", {}) if plan else None,
    )


def _coded_in(path: Path) -> list[str]:
    """Columns that a release codes; of a file too, if the certificate beside it is about it."""
    folder = path if path.is_dir() else path.parent
    try:
        certificate = read_certificate(folder)
        about = path.is_dir() or certificate["data"]["file"] == path.name
    except (HedgerowError, OSError, LookupError, TypeError):
        if path.is_dir():
            raise
        return []  # whatever is beside it, the file is read for itself
    return sorted(certificate.get("codings", {})) if about else []


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
