"""A release that spends: charged first, then drawn, kept in the ledger, then written.

What the ledger keeps is enough to write the release again for nothing. So whoever is interrupted
after it was charged has lost nothing, and nothing is drawn twice.
"""

from __future__ import annotations

import contextlib
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, Self, TypeVar

from hedgerow.answers.charge import Charge, KeptResult, charged, told_before
from hedgerow.base.delivery import staging
from hedgerow.base.errors import HedgerowError, PlanError, TargetError
from hedgerow.engines.address import table_place
from hedgerow.engines.base import TablePlace, Written
from hedgerow.ledger.choice import ENVIRONMENT, ledger_place
from hedgerow.plan.plan import Plan
from hedgerow.release.delivery_state import DeliveryState
from hedgerow.release.destination import Staged
from hedgerow.release.maker import Certificate, Record
from hedgerow.release.manifest import listed, untouched
from hedgerow.release.options import Options
from hedgerow.table.certificate_file import read_certificate

if TYPE_CHECKING:
    from hedgerow.engines.base import Engine
    from hedgerow.ledger import Position


class Placed(KeptResult, Protocol):
    """What the ledger keeps, and where it does."""

    @property
    def ledger(self) -> Mapping[str, Any]: ...


class ReadFiles(Protocol):
    """The files of a release, as they are read."""

    def judged(self) -> Self:
        """The same, if they hold what was to be written.

        Raises:
            DataError: Something else came out than was written.
        """
        ...

    def certificate(self) -> dict[str, Any]:
        """What is certified of them."""
        ...


class Files(Protocol):
    """The files of a release, as they are to be written."""

    def write(self, folder: Path) -> None:
        """Write them into a folder."""
        ...

    def read(self, folder: Path) -> ReadFiles:
        """Read them in a folder."""
        ...

    def data(self, folder: Path) -> Written:
        """The file of rows, of a release that can be a table."""
        ...


Drawn = TypeVar("Drawn", bound=Placed)


def remade(files: Files, folder: Path) -> dict[str, Any]:
    """Write files into a folder; what is certified of them."""
    files.write(folder)
    return files.read(folder).judged().certificate()


class ChargedMaker(ABC, Generic[Drawn]):
    """A release that spends, on its way.

    The same request is answered with what was drawn before, whether or not the data have changed:
    to look would tell that they have.
    """

    name: ClassVar[str]
    """As in "a safe release"."""
    drawn: ClassVar[str]
    """What is in the ledger, such as "the noisy numbers are"."""

    def __init__(self, plan: Plan, data: Any, options: Options) -> None:
        _refuse_without_use(options)
        self.plan, self.data, self.options = plan, data, options
        self.destination = options.destination(plan)
        self.companions = options.companions_at(self.destination)
        self._kept: Drawn | None = None
        self._made: Files | None = None

    @property
    @abstractmethod
    def charge(self) -> Charge:
        """What is asked for."""

    @abstractmethod
    def draw(self, noisy: Any, tip: Mapping[str, Any]) -> Drawn:
        """What is kept: what was drawn, and the place in the ledger."""

    @abstractmethod
    def read_kept(self, content: bytes) -> Drawn:
        """What is kept, from the bytes in the ledger."""

    @abstractmethod
    def files(self, kept: Drawn) -> Files:
        """The files that follow from it."""

    @abstractmethod
    def release(
        self,
        kept: Drawn,
        certificate: Certificate,
        home: Path | TablePlace,
        *,
        in_memory: bool,
        again: bool,
    ) -> Any:
        """The release whose files are there."""

    inputs: tuple[Path, ...] = ()
    """Files that it is made from, besides the source."""

    def refuse(self, engine: Engine) -> None:
        """Look at the source for what must not be, before anything is charged."""

    @property
    def position(self) -> Position:
        """Where the population stands in the ledger now."""
        return self._ledger.budget(self.charge.population)

    @contextlib.contextmanager
    def opened(self) -> Iterator[None]:
        """Open the ledger; without one nothing is published.

        Raises:
            PlanError: There is no ledger.
        """
        table = self.destination.table
        if table is not None and self.data is None and table == table_place(str(self.plan.source)):
            raise TargetError(
                "is the source itself", where=str(table), fix="Write the release somewhere else."
            )
        where = ledger_place(self.plan, self.options.ledger_text)
        if where is None:
            raise PlanError(
                f"{self.name} has a price, and there is no ledger that would remember it",
                where=self.plan.where(),
                fix="Name one: `ledger: ledger.db` in the plan, --ledger, or the environment "
                f"variable {ENVIRONMENT}.",
            )
        from hedgerow.ledger import Ledger

        self.companions.refuse_foreign()
        with Ledger.open(where) as self._ledger:
            yield

    def recall(self) -> Drawn | None:
        """What was drawn for the same request, unless it is to be drawn again."""
        before = None if self.options.anew else told_before(self._ledger, self.charge)
        self._kept = None if before is None else self.read_kept(before)
        return self._kept

    def at_place(self, kept: Drawn) -> Certificate | None:
        """The certificate at the place, if the same release is there, untouched."""
        place = self.destination.place
        if place is None:
            return None
        files = self._files(kept)
        try:
            there = read_certificate(place, randomised=True)
            with staging(None) as folder:
                staged = Staged(
                    destination=self.destination, folder=folder, delivery=DeliveryState()
                )
                read = self.read_back(self.write(files, staged), staged)
                certificate = self.options.signed(self.certify(self.judge(read), staged))
            if there != certificate:
                return None
            return there if _is_untouched(place, certificate) else None
        except (HedgerowError, OSError):
            return None

    def told_again(self, kept: Drawn, certificate: Certificate) -> Any:
        """The release that is at its place; nothing is charged."""
        home = self.destination.place
        assert home is not None, "it is at its place"
        self.companions.priced(self.plan, self.charge.population, self._ledger)
        return self.release(kept, certificate, home, in_memory=False, again=True)

    @contextlib.contextmanager
    def made(self, kept: Drawn | None) -> Iterator[Files]:
        """The files of what is kept, or of what is drawn and charged now."""
        self._again = kept is not None
        if kept is None:
            kept = self._charged()
        else:
            self._refuse_source()
        yield self._files(kept)

    def _files(self, kept: Drawn) -> Files:
        """The files that follow from what is kept; made once."""
        if self._made is None:
            self._made = self.files(kept)
        return self._made

    def _charged(self) -> Drawn:
        """What was drawn, charged and kept, if there is room for what is made of it."""
        from hedgerow.engines import open_engine
        from hedgerow.plan.people import require_people

        plan, options = self.plan, self.options
        origin = plan.source if self.data is None else self.data
        if origin is None:
            raise PlanError("the plan names no source", fix="Add `source: table.csv`.")
        with open_engine(
            origin, null=plan.null, person=plan.person, form=plan.form, memory=options.memory
        ) as engine:
            plan.fit(engine.columns())
            require_people(plan, engine, names=False)
            self.refuse(engine)
            # The source's own engine knows whether the table is the source itself.
            self.destination.check(engine=engine, inputs=(*engine.files, *self.inputs))
            self._kept = charged(self._ledger, self.charge, engine, made=self.draw, say=options.say)
            return self._kept

    def _refuse_source(self) -> None:
        """Refuse to replace what it was made from; where that is gone, there is nothing to lose."""
        origin = self.plan.source if self.data is None else self.data
        if origin is None or self.destination.place is None:
            return
        from hedgerow.engines import open_engine

        with contextlib.ExitStack() as stack:
            try:
                engine = stack.enter_context(
                    open_engine(origin, null=self.plan.null, form=self.plan.form)
                )
            except HedgerowError:
                return
            self.destination.check(engine=engine, inputs=(*engine.files, *self.inputs))

    def staged(self, made: Files, delivery: DeliveryState) -> AbstractContextManager[Staged]:
        """The hidden place; what is made of the ledger is made here, wherever the source is."""
        return self.destination.staged(delivery)

    def write(self, made: Files, staged: Staged) -> Files:
        """Write the files; of a release that is a table, carry the rows there."""
        made.write(staged.folder)
        if staged.table is not None:
            staged.arrived(made.data(staged.folder))
        return made

    def read_back(self, written: Files, staged: Staged) -> ReadFiles:
        """Read the files."""
        return written.read(staged.folder)

    def judge(self, read: ReadFiles) -> ReadFiles:
        """What was drawn keeps the promise: so the files must hold just that."""
        return read.judged()

    def certify(self, judged: ReadFiles, staged: Staged) -> dict[str, Any]:
        """The certificate, which lists all files."""
        certificate = listed(judged.certificate(), staged.files)
        return self.companions.add(staged.folder, certificate)

    def record(self, judged: ReadFiles, certificate: Certificate) -> None:
        """It is in the ledger since it was charged."""

    @property
    def recorded(self) -> Record | None:
        """What was drawn is in the ledger."""
        if self._kept is None:
            return None
        return Record(
            seq=self._kept.ledger["seq"],
            what=self.drawn,
            means=f"{self.drawn.capitalize()} in the ledger: to run it again costs nothing more.",
            repeat="Run it again: it costs nothing more",
        )

    def finish(self, judged: ReadFiles, certificate: Certificate, staged: Staged) -> Any:
        """The release; its internal report is beside it."""
        assert self._kept is not None, "it was charged"
        self.companions.forget()
        self.companions.priced(self.plan, self.charge.population, self._ledger)
        return self.release(
            self._kept, certificate, staged.home, in_memory=staged.in_memory, again=self._again
        )


def _refuse_without_use(options: Options) -> None:
    """What a randomised release has no use for."""
    if options.recoding is not None:
        raise PlanError(
            "a randomised release takes no recoding from another: it has none, or its own",
            fix="Leave the recoding out, or use another search than marginals or safe.",
        )
    if options.population_table is not None:
        raise PlanError(
            "a randomised release makes no claims that an outside population could be for",
            fix="Leave the population table out.",
        )


def _is_untouched(place: Path | TablePlace, certificate: Certificate) -> bool:
    """Whether the files, or the rows of a table, are those of a certificate."""
    if isinstance(place, Path):
        return untouched(place, certificate)
    from hedgerow.engines import open_table

    with open_table(place) as engine:
        return bool(engine.content_sha256() == certificate["data"]["sha256"])
