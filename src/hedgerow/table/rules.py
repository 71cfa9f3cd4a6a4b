"""Rules: how the values of a table's columns are taken, as whoever has a plan says."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from hedgerow.table.hierarchy_builders import Spec
from hedgerow.table.value_order import Stated


@dataclass(frozen=True, kw_only=True)
class ColumnRules:
    """How the values of one column are taken."""

    spec: Spec
    """How they become coarser."""
    given: bool
    """Whether somebody said so; else they are suppressed."""
    missing: str
    """What becomes of people without a value: value, suppress or refuse."""
    order: Stated
    """In which order they stand."""
    ordered: bool
    """Whether somebody said so."""
    distinct: tuple[str, ...]
    """Values that differ from all others, whatever they look like."""
    claimed: bool = False
    """Whether a claim is about the column."""
    by_order: bool = False
    """Whether a claim goes by the order of its values."""


@dataclass(frozen=True, kw_only=True)
class Rules:
    """How the values of a table are taken."""

    columns: Mapping[str, ColumnRules]
    where: Callable[..., str]
    """The place of a rule, for messages: `where("columns", "age")`."""
    source: str | None
    """What the table is called."""
    population: str | None = None
    """What the outside population is called, where there is one."""
