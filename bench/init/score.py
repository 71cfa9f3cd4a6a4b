"""How good the guesses about one table are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bench.init.labels import PERSON, LabelledTable

PROTECTION = {
    "insensitive": 0, "sensitive": 1, "quasi-identifier": 2, "identifier": 3, PERSON: 3,
}  # fmt: skip
"""How much a role takes away."""


@dataclass(frozen=True)
class Miss:
    """A role that is not accepted."""

    table: str
    column: str
    guessed: str
    accept: tuple[str, ...]
    kind: str
    """`unsafe`, `safer` or `other`."""


@dataclass
class Score:
    """Counts over tables."""

    columns: int = 0
    misses: list[Miss] = field(default_factory=list)
    tables: int = 0
    persons: int = 0
    """Tables in which the right person column was found, or rightly none."""
    wrong_persons: list[str] = field(default_factory=list)
    tokens: int = 0
    """Texts that mean missing."""
    found: int = 0
    """Of them, those that were found."""
    invented: list[str] = field(default_factory=list)
    """Texts that were taken for missing and are values."""
    published: list[str] = field(default_factory=list)
    """Columns with direct identifiers that would be published."""
    quasi_identifiers: list[int] = field(default_factory=list)

    @property
    def accepted(self) -> float:
        """Share of columns with an accepted role."""
        return 1 - len(self.misses) / self.columns

    def share(self, kind: str) -> float:
        """Share of columns that miss in this way."""
        return sum(miss.kind == kind for miss in self.misses) / self.columns

    @property
    def person_share(self) -> float:
        return self.persons / self.tables

    @property
    def token_share(self) -> float:
        """Of tokens that were found or are true ones, the share that is both."""
        wanted = self.tokens + len(self.invented)
        return self.found / wanted if wanted else 1.0

    def add(
        self,
        table: LabelledTable,
        roles: Mapping[str, str],
        *,
        person: str | None,
        missing: Sequence[str],
        tokens: Sequence[str],
        direct: Sequence[str] = (),
        renamed: Mapping[str, str] | None = None,
    ) -> None:
        """Count one table.

        Args:
            table: Its labels.
            roles: The guessed roles.
            person: The guessed person column.
            missing: The texts that are read as missing.
            tokens: Those that are missing values.
            direct: Columns with direct identifiers that are no columns of the labels.
            renamed: What the columns are called in the file, where not as in the labels.
        """
        names = renamed or {}
        for label in table.labels:
            name = names.get(label.column, label.column)
            guessed = roles[name]
            self.columns += 1
            if guessed in label.accept or (PERSON in label.accept and guessed == "identifier"):
                continue
            unsafe = guessed in label.unsafe
            most = max(PROTECTION[role] for role in label.accept)
            safer = not unsafe and PROTECTION[guessed] > most
            kind = "unsafe" if unsafe else "safer" if safer else "other"
            self.misses.append(Miss(table.name, name, guessed, tuple(sorted(label.accept)), kind))
            if label.accept <= {"identifier", PERSON}:
                self.published.append(f"{table.name}: {name}")
        self.published += [f"{table.name}: {n}" for n in direct if roles[n] != "identifier"]
        self.tables += 1
        right = {names.get(name, name) for name in table.persons}
        if person in right or (person is None and not table.person_needed):
            self.persons += 1
        else:
            self.wrong_persons.append(f"{table.name}: {person}")
        self.tokens += len(set(tokens))
        self.found += len(set(tokens) & set(missing))
        self.invented += [f"{table.name}: {text}" for text in missing if text not in tokens]
        self.quasi_identifiers.append(sum(role == "quasi-identifier" for role in roles.values()))

    def lines(self) -> list[str]:
        """What was counted, in words."""
        return [
            f"{self.tables} tables, {self.columns} columns",
            f"roles accepted {self.accepted:.1%}, safer than needed {self.share('safer'):.1%}, "
            f"unsafe {self.share('unsafe'):.1%}, other {self.share('other'):.1%}",
            f"person column {self.person_share:.1%} {self.wrong_persons or ''}",
            f"missing tokens {self.token_share:.1%} ({self.found} of {self.tokens}, "
            f"{len(self.invented)} invented {self.invented or ''})",
            f"direct identifiers published {len(self.published)} {self.published or ''}",
            f"quasi-identifiers at most {max(self.quasi_identifiers, default=0)}",
        ]
