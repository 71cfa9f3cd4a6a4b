"""Registry: named members in the order of their declaration, and those that packages add."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Generic, Protocol, TypeVar

from hedgerow.base.errors import HedgerowError, PlanError, nearest, some


class Named(Protocol):
    """What can be registered."""

    @property
    def name(self) -> str: ...


Member = TypeVar("Member", bound=Named)


class Registry(Mapping[str, Member], Generic[Member]):
    """Members by name.

    An installed package adds a member through an entry point of the registry's group. Entry points
    are read once, when a name is not known or the members are listed, so that looking up a member
    of the house costs nothing.

    >>> from types import SimpleNamespace as Metric
    >>> metrics = Registry("metric", group="hedgerow.metrics")
    >>> loss = metrics.register(Metric(name="loss"))
    >>> metrics["loss"] is loss, list(metrics)
    (True, ['loss'])
    >>> metrics.find("los")
    Traceback (most recent call last):
    hedgerow.base.errors.PlanError: there is no metric 'los'
      Did you mean 'loss'? There are 'loss'.
    """

    def __init__(self, what: str, *, group: str) -> None:
        self.what = what
        """What a member is called, as in "claim"."""
        self.group = group
        """Of the entry points, as in "hedgerow.claims"."""
        self._members: dict[str, Member] = {}
        self._loaded = False

    def register(self, member: Member) -> Member:
        """Add a member; returns it, so that it can decorate a class.

        Raises:
            HedgerowError: There is one of that name.
        """
        if member.name in self._members:
            raise HedgerowError(
                f"there are two of the {self.what} {member.name!r}", fix="Rename one of them."
            )
        self._members[member.name] = member
        return member

    def remove(self, name: str) -> None:
        """Take a member out again."""
        del self._members[name]

    def find(self, name: str) -> Member:
        """The member of that name.

        Raises:
            PlanError: There is none; names the nearest.
        """
        if name in self:
            return self[name]
        close = nearest(name, list(self))
        fix = f"Did you mean {close!r}? " if close else ""
        raise PlanError(
            f"there is no {self.what} {name!r}", fix=f"{fix}There are {some(self, most=99)}."
        )

    def first(self, holds: Callable[[Member], bool]) -> Member | None:
        """The first member of which something holds; None where there is none.

        Installed packages are asked only where no member of the house is it.
        """
        found = next(filter(holds, tuple(self._members.values())), None)
        return next(filter(holds, self.values()), None) if found is None else found

    def __getitem__(self, name: str) -> Member:
        if name not in self._members:
            self._load()
        return self._members[name]

    def __iter__(self) -> Iterator[str]:
        self._load()
        return iter(tuple(self._members))

    def __len__(self) -> int:
        self._load()
        return len(self._members)

    def _load(self) -> None:
        """Take in what installed packages add.

        Raises:
            HedgerowError: A package's member cannot be loaded.
        """
        if self._loaded:
            return
        from importlib.metadata import entry_points

        self._loaded = True
        for point in entry_points(group=self.group):
            try:
                member = point.load()
                if self._members.get(member.name) is not member:  # its import may have done so
                    self.register(member)
            except Exception as error:
                self._loaded = False
                raise HedgerowError(
                    f"the {self.what} {point.name!r} of an installed package cannot be used: "
                    f"{error}",
                    where=point.value,
                    fix=f"Update or remove the package that declares it under {self.group!r}.",
                ) from error
