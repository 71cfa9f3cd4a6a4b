"""Remembering: a release is written down before anybody sees it, and after all earlier ones."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hedgerow.attacks.keeping import kept, remembered
from hedgerow.attacks.labels import Taxonomy
from hedgerow.attacks.published import Published
from hedgerow.attacks.taxonomies import nodes_of, specs_of
from hedgerow.canonical import canonical, digest
from hedgerow.errors import DataError, HedgerowError, PlanError
from hedgerow.faults import point
from hedgerow.groups import Groups
from hedgerow.models.base import Verdict
from hedgerow.models.composition import Composition
from hedgerow.plan import Plan
from hedgerow.recode.cells import Cells
from hedgerow.recode.recoding import Recoding
from hedgerow.release import Release, read_certificate
from hedgerow.schema import Schema

if TYPE_CHECKING:
    from hedgerow.ledger import Entry, Ledger

ENVIRONMENT = "HEDGEROW_LEDGER"
"""Names the ledger where neither the plan nor the caller does."""


@dataclass(eq=False)
class Memory:
    """The ledger of a publication, or its absence."""

    plan: Plan
    ledger: Ledger | None = None
    entry: Entry | None = None
    """The reservation, once there is one."""
    seen: int = 0
    """The last release of the population that was looked at."""
    past: tuple[Published, ...] = ()
    """Earlier releases: those of the population in the ledger, and those the plan names."""
    key: str = ""
    done: bool = field(default=False)

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
        }

    @contextlib.contextmanager
    def reserved(self, target: Path | None) -> Iterator[None]:
        """Write down that a release begins, and if nothing comes of it, that it failed."""
        self.look_back()
        if self.ledger is None:
            yield
            return
        assert self.plan.population is not None, "checked when the ledger was opened"
        name = None if target is None else target.name
        self.entry = self.ledger.reserve(
            self.plan.population, key=self.key, what={"kind": "partition", "name": name}
        )
        point("reserved")
        try:
            yield
        except BaseException as error:
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
            "kind": "partition",
            "name": published.name,
            "certificate": release.certificate,
            "groups": len(published),
            "inputs": inputs,
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
        if entry is None or entry.body.get("inputs") is None:
            return None
        if entry.body["inputs"] != inputs():
            return None
        try:
            certificate = read_certificate(target)
            file = target / str(certificate["data"]["file"])
            # Signing the same again gives the same signature.
            same = certificate == signed(_unsigned(entry.body["certificate"]))
            same &= _hashed([file]) == _hash_of(file.name, str(certificate["data"]["sha256"]))
        except (HedgerowError, OSError):
            return None
        return _from_stored(entry.body["again"], certificate, file) if same else None

    def look_back(self) -> None:
        """Read the earlier releases."""
        asked = [c for c in self.plan.protect if getattr(c, "composition", None) is not None]
        foreign = dict.fromkeys(
            file
            for claim in asked
            for file in claim.composition.earlier  # type: ignore[union-attr]
        )
        sensitive = self.plan.schema().sensitive
        nodes = _nodes(self.plan, self.plan.schema().quasi_identifiers) if foreign else {}
        releases = {}
        if self.ledger is not None:
            assert self.plan.population is not None, "checked when the ledger was opened"
            for entry in self.ledger.releases(self.plan.population):
                self.seen = entry.seq
                content = self.ledger.content(entry)
                if content is not None:
                    # The same release twice says nothing twice.
                    releases[hashlib.sha256(content).hexdigest()] = remembered(
                        content, name=_named(entry)
                    )
        past = list(releases.values())
        for path in foreign:
            known = None if path.is_dir() else _columns(path, sensitive)
            past.append(Published.read(path, sensitive=known, taxonomies=nodes, name=path.name))
        self.past = tuple(past)


@contextlib.contextmanager
def remembering(plan: Plan, where: str | Path | None) -> Iterator[Memory]:
    """Open the ledger that is given, that the plan names, or that the environment names.

    Raises:
        PlanError: There is one, and the plan does not say whose privacy it accounts for; or a
            claim is about earlier releases and nothing says which.
    """
    found = where or plan.ledger or os.environ.get(ENVIRONMENT) or None
    composed = [place for place, claim in enumerate(plan.protect) if _composition(claim)]
    if found is None:
        for place in composed:
            if not getattr(getattr(plan.protect[place], "composition", None), "earlier", ()):
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

    with Ledger.open(found) as ledger:
        yield Memory(plan, ledger, key=_key(plan))


def earlier_releases(plan: Plan) -> tuple[Published, ...]:
    """The releases that claims of the plan are about; none where no claim is."""
    if not any(_composition(claim) for claim in plan.protect):
        return ()
    with remembering(plan, None) as memory:
        memory.look_back()
        return memory.past


def inputs_of(files: Sequence[Path]) -> str | None:
    """A hash of everything a release is made from; None where that is not in files."""
    return _hashed(files) if files else None


def as_published(
    plan: Plan, schema: Schema, cells: Cells, recoding: Recoding, name: str
) -> Published:
    """The release as its recipients will know it: published values only."""
    groups, (first, _) = recoding.groups(cells), recoding.seen
    here = np.flatnonzero(groups.n)
    groups = groups.take(here)
    labels, codes = [], []
    for kind in recoding.labels:
        mine = kind[first][here]
        place = {label: i for i, label in enumerate(dict.fromkeys(mine.tolist()))}
        labels.append(tuple(place))
        codes.append(np.array([place[label] for label in mine.tolist()], np.int32))
    histograms, domains = {}, {}
    for column in schema.sensitive:
        h, domain = groups.histograms[column], groups.domains[column]
        shown, recode = np.unique(h.codes, return_inverse=True)
        reference = np.bincount(recode, weights=h.counts, minlength=len(shown))
        histograms[column] = type(h)(h.indptr, recode.astype(np.int32), h.counts)
        domains[column] = type(domain)(
            column, tuple(domain.values[i] for i in shown), reference.astype(np.int64),
            int(groups.n.sum()),
        )  # fmt: skip
    return Published(
        name,
        schema.quasi_identifiers,
        tuple(labels),
        np.stack(codes, axis=1) if codes else np.zeros((len(here), 0), np.int32),
        Groups(groups.n, histograms, domains),
        "nearest" if recoding.kind == "microaggregation" else "box",
        _nodes(plan, schema.quasi_identifiers),
        recoding.kind,
    )


def _nodes(plan: Plan, columns: Sequence[str]) -> dict[str, Taxonomy]:
    """What the labels of these columns cover, where the plan's hierarchies write it out."""
    return {
        column: nodes_of(spec.bind(column, [], where=plan.where("columns", column)))
        for column, spec in specs_of(plan, {}).items()
        if column in columns
    }


def _composition(claim: Any) -> bool:
    return isinstance(claim, Composition) or getattr(claim, "composition", None) is not None


def _columns(path: Path, sensitive: Sequence[str]) -> list[str]:
    """Which of the sensitive columns a release of another tool has."""
    from hedgerow.engines import open_engine

    with open_engine(path) as engine:
        found = [column for column in engine.columns() if column in sensitive]
    if not found:
        raise DataError(
            f"has none of the sensitive columns {', '.join(map(repr, sensitive))}",
            where=str(path),
            fix="Leave it out: it cannot be intersected with this release.",
        )
    return found


def _named(entry: Entry) -> str:
    return f"release {entry.seq} in the ledger ({entry.body['name']}, {entry.at[:10]})"


def _key(plan: Plan) -> str:
    """What a plan asks for, wherever its files lie and wherever the release goes."""
    form = plan.publish.model_dump(mode="json", exclude={"to"}) if plan.publish else None
    columns = {
        name: [str(column.role), repr(column.spec()), column.missing, column.levels]
        for name, column in plan.columns.items()
    }
    models = [repr(model) for model in plan.models()]
    method = plan.method.model_dump(mode="json")
    return digest(
        [columns, plan.person, plan.population, plan.null, models, method, plan.utility, form]
    )


def _unsigned(certificate: Mapping[str, Any]) -> dict[str, Any]:
    return {key: told for key, told in certificate.items() if key != "signature"}


def _hash_of(name: str, sha256: str) -> str:
    return digest([[name, sha256]])


def _hashed(files: Sequence[Path]) -> str:
    found = []
    for path in files:
        with path.open("rb") as file:
            found.append([path.name, hashlib.file_digest(file, "sha256").hexdigest()])
    return digest(sorted(found))


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
