"""`hedgerow query`: one question, answered with noise and charged to the ledger."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hedgerow.base.errors import PlanError
from hedgerow.cli.jobs import AsJson, Memory, PlanFile, Quiet, running

if TYPE_CHECKING:
    from hedgerow.answers.questions import Asking

Column = str | None


def query(
    plan: PlanFile,
    count: Annotated[bool, typer.Option("--count", help="How many people.")] = False,
    sum_: Annotated[Column, typer.Option("--sum", help="The sum of this column.")] = None,
    mean: Annotated[Column, typer.Option(help="The mean of this column.")] = None,
    variance: Annotated[Column, typer.Option(help="The variance of this column.")] = None,
    median: Annotated[Column, typer.Option(help="The median of this column.")] = None,
    quantiles: Annotated[
        Column, typer.Option(help="Quantiles of this column; --at says which.")
    ] = None,
    histogram: Annotated[
        Column, typer.Option(help="How many have each value; of numbers in cells: age:10.")
    ] = None,
    most_frequent: Annotated[
        Column, typer.Option(help="The most frequent values of this column; --top says how many.")
    ] = None,
    table: Annotated[
        Column, typer.Option(help="A contingency table of these columns: age:10,sex,disease.")
    ] = None,
    marginals: Annotated[
        int | None,
        typer.Option(help="All tables of so many columns each; --columns says of which."),
    ] = None,
    ranges: Annotated[
        Column, typer.Option(help="All ranges of this column at one price; see --between.")
    ] = None,
    where: Annotated[
        str | None, typer.Option(help="A filter, e.g. \"age >= 40 and sex = 'F'\".")
    ] = None,
    by: Annotated[
        list[str] | None, typer.Option(help="A column to count by, or age:10; repeat for more.")
    ] = None,
    at: Annotated[
        str | None, typer.Option(help="Which --quantiles: 0.25,0.5,0.75 if left out.")
    ] = None,
    top: Annotated[
        int | None, typer.Option(help="How many of the most frequent values: 1 if left out.")
    ] = None,
    columns: Annotated[
        Column, typer.Option(help="Columns of --marginals; all with a domain if left out.")
    ] = None,
    between: Annotated[
        list[str] | None, typer.Option(help="A range of --ranges to tell, e.g. 40,60; repeat.")
    ] = None,
    rows: Annotated[bool, typer.Option("--rows", help="Count rows, not people.")] = False,
    epsilon: Annotated[str | None, typer.Option(help="The price, e.g. 0.1.")] = None,
    delta: Annotated[str | None, typer.Option(help="With epsilon, e.g. 1e-6.")] = None,
    rho: Annotated[str | None, typer.Option(help="The price in zCDP, instead of epsilon.")] = None,
    preview: Annotated[
        bool, typer.Option("--preview", help="Simulate how far off it would be; spend nothing.")
    ] = False,
    public: Annotated[
        Path | None, typer.Option(help="A public table like the data, to preview with.")
    ] = None,
    people: Annotated[
        int | None, typer.Option(help="People made up for a preview: 1000 if left out.")
    ] = None,
    within: Annotated[
        str | None,
        typer.Option(
            help="Find the lowest epsilon that keeps every count so near, such as 50, or 5% with "
            "--public; spend nothing."
        ),
    ] = None,
    sure: Annotated[
        str | None, typer.Option(help="With which chance, for --within: 95% if left out.")
    ] = None,
    anew: Annotated[
        bool,
        typer.Option("--anew", help="Answer and charge again what was answered before."),
    ] = False,
    to: Annotated[
        Path | None, typer.Option(help="Write the answer to this file too: .csv or .json.")
    ] = None,
    ledger: Annotated[
        str | None,
        typer.Option(help="Where answers are charged and kept; the plan's if left out."),
    ] = None,
    memory: Memory = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Answer one question with noise, an interval and a price, charged to the ledger first."""
    with running("query", as_json, quiet, bar=True) as job:
        import hedgerow
        from hedgerow.api import check_file, write_answer
        from hedgerow.cli import query_show

        given = {
            "count": count or None,
            "sum": sum_,
            "mean": mean,
            "variance": variance,
            "median": median,
            "quantiles": quantiles,
            "histogram": histogram,
            "most-frequent": most_frequent,
            "table": table,
            "marginals": marginals,
            "ranges": ranges,
        }
        _refuse_idle(given, {"--at": at, "--top": top, "--columns": columns, "--between": between})
        priced = [name for name, value in
                  (("--epsilon", epsilon), ("--delta", delta), ("--rho", rho), ("--to", to),
                   ("--people", people), ("--preview", preview or None))
                  if value is not None]  # fmt: skip
        if within is not None and priced:
            raise PlanError(f"{priced[0]} has no meaning beside --within", fix="Leave it out.")
        if sure is not None and within is None:
            raise PlanError("--sure goes with --within", fix="Leave it out, or add --within.")
        if within is None and not preview and (public is not None or people is not None):
            idle = "--people" if public is None else "--public"
            raise PlanError(f"{idle} goes with --preview", fix="Leave it out, or add --preview.")
        of = "rows" if rows else "people"
        price = {"epsilon": epsilon, "delta": delta, "rho": rho}
        name, ask = _question(
            given,
            {"where": where} | price,
            by=tuple(by or ()),
            of=of,
            at=_named(at or "0.25,0.5,0.75"),
            top=1 if top is None else top,
            columns=None if columns is None else _named(columns),
        )
        spans = [_span(text) for text in between or ()]
        if to is not None:
            check_file(to, several=name == "marginals")
        with hedgerow.session(plan, ledger=ledger, memory=memory, anew=anew) as session:
            if within is not None:
                search = session.lowest_price(within=within, sure=_chance(sure), public=public)
                lowest = ask(search, session)
                job.done(lowest.as_json(), lambda: query_show.lowest_price(lowest))
                return
            if preview:
                many = 1000 if people is None else people
                seen = ask(session.preview(public=public, people=many), session)
                position = session.position
                job.done(seen.as_json(), lambda: query_show.preview(seen, position))
                return
            if job.progress is not None:
                job.progress("counting, and drawing noise for each number", None)
            answer = ask(session, session)
            left, stated = session.budget, session.public.stated
            if to is not None:
                write_answer(answer, to, escape=session.escape_formulas)
            told = [answer.between(*span) for span in spans]
            found = answer.as_json() | {
                "again": answer.again,
                "between": [[one.low, one.high, one.count, one.least, one.most] for one in told],
                "left": {} if left.left is None else left.left.texts(),
                "policy": None if stated is None else stated.digest,
            }
            policy = None if stated is None else stated.name
            job.done(found, lambda: query_show.answer(answer, left, told, to, policy))


def _chance(text: str | None) -> str:
    """A chance as a share, also where it is said in per cent."""
    if text is None:
        return "0.95"
    number = text.strip().removesuffix("%")
    try:
        return str(Decimal(number) / 100) if text.strip().endswith("%") else number
    except InvalidOperation:
        raise PlanError(f"{text!r} is no chance", where="sure", fix="Say 95%.") from None


GOES_WITH = {
    "--at": ("quantiles", "Say which quantiles: --quantiles age --at 0.5."),
    "--top": ("most-frequent", "Leave it out, or ask for --most-frequent."),
    "--columns": ("marginals", "Leave it out, or ask for --marginals."),
    "--between": ("ranges", "Use --where for one range."),
}
"""Options that are about one question, and what to do instead."""


def _refuse_idle(given: dict[str, Any], options: dict[str, Any]) -> None:
    """Refuse what would be paid for and ignored."""
    for option, value in options.items():
        name, fix = GOES_WITH[option]
        if value not in (None, []) and given[name] is None:
            raise PlanError(f"{option} goes with --{name}", fix=fix)


def _question(
    given: dict[str, Any],
    shared: dict[str, Any],
    *,
    by: tuple[str, ...],
    of: str,
    at: tuple[str, ...],
    top: int,
    columns: tuple[str, ...] | None,
) -> tuple[str, Callable[[Asking[Any], Any], Any]]:
    """The one question of the command line, ready to be put to a session or a preview."""
    asked = [name for name, value in given.items() if value is not None]
    if len(asked) != 1:
        raise PlanError(
            "nothing is asked"
            if not asked
            else f"{' and '.join(asked)} are {len(asked)} questions",
            fix="Ask one at a time: --count, --sum age, --mean age, --median age, "
            "--histogram age:10, --table sex,disease, --ranges age, ...",
        )
    name = asked[0]
    value = given[name]
    if by and name in ("histogram", "table", "marginals", "ranges"):
        raise PlanError(f"--by has no meaning for --{name}", fix="Use --table or --count.")
    if of == "rows" and name not in ("count", "histogram", "table", "marginals"):
        raise PlanError(f"--rows has no meaning for --{name}", fix="Leave it out.")

    def ask(asking: Asking[Any], session: Any) -> Any:
        match name:
            case "count":
                return asking.count(by=by, of=of, **shared)  # type: ignore[arg-type]
            case "histogram" | "table":
                named = (value,) if name == "histogram" else _named(value)
                return asking.table(named, of=of, **shared)  # type: ignore[arg-type]
            case "sum" | "mean" | "variance" | "median":
                return getattr(asking, name)(value, by=by, **shared)
            case "quantiles":
                return asking.quantiles(value, at, by=by, **shared)
            case "most-frequent":
                return asking.most_frequent(value, top=top, by=by, **shared)
            case "marginals":
                among = columns if columns is not None else tuple(session.public.with_cells)
                return asking.marginals(among, ways=value, of=of, **shared)  # type: ignore[arg-type]
            case _:
                return asking.ranges(value, **shared)

    return name, ask


def _named(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(","))


def _span(text: str) -> tuple[str, str]:
    from hedgerow.api import is_range

    low, comma, high = (part.strip() for part in text.partition(","))
    if not comma or not is_range(low, high):
        raise PlanError(f"{text!r} is no range", fix="Write for instance --between 40,60.")
    return low, high
