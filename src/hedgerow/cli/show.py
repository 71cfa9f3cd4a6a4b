"""What people see on the terminal."""

from __future__ import annotations

import shlex
import textwrap
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from hedgerow.api import (
    METRICS,
    ROWS,
    UNCOMPARED,
    likeness,
    listed,
    metric_of,
    names_of,
    standing,
    stubborn,
    times,
)
from hedgerow.base.errors import HedgerowError, printable, some
from hedgerow.cli.terminal import columns, console, plain, say, tell

if TYPE_CHECKING:
    from hedgerow import AdversaryStudy, AttackResult, RandomisedRelease, Release, SafeRelease
    from hedgerow.analyses import AnalysisComparison
    from hedgerow.api import (
        ColumnProposals,
        FileLook,
        GainBounds,
        PersonBelief,
        PlanQuestion,
    )
    from hedgerow.api.demo import Demo
    from hedgerow.claims import Declaration, Verdict
    from hedgerow.explain.adversary_study import ClaimStudy, NodeStudy
    from hedgerow.explain.definitions import PrivacyDefinition

WIDEST = 17
"""Characters of a value in a table of rows; seven columns then fit in 80."""

NODES_ABREAST = 3
"""Nodes in one table of levels by stubbornness; they then fit in 80."""


def progress() -> tuple[Progress, Callable[[str, float | None], None]]:
    """A bar on standard error, and the function that moves it."""
    bar = Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    task = bar.add_task("starting", total=None)
    bar.start()

    def move(what: str, share: float | None) -> None:
        bar.update(
            task, description=what, total=None if share is None else 1.0, completed=share or 0
        )

    return bar, move


def started(plan: Path, look: FileLook | None) -> None:
    """A plan was written; what was detected of the file, where a plan says it, and what is next."""
    name = shlex.quote(str(plan))
    if look is not None and not look.usual:
        say("; ".join(f"{what}: {value}" for what, value in look.said))
        for line in (*look.notes, *map(str, look.unreadable), *map(str, look.questions)):
            say(f"  {line}")
        say("")
    say(f"Wrote {plan}. Read every guess before you publish, then:\n")
    say(f"  hedgerow check {name}     how exposed the table is")
    say(f"  hedgerow publish {name}   the most useful release that keeps the claims")


def question(asked: PlanQuestion) -> None:
    """A question about a first plan, with its numbered options."""
    say("")
    tell(asked.text)
    tell(asked.why)
    width = max(map(len, asked.options))
    for number, option in enumerate(asked.options, 1):
        meaning = asked.meanings[number - 1] if asked.meanings else ""
        say(f"  {number}  {option:<{width}}  {meaning}".rstrip())


def proposed(found: ColumnProposals, choose: int, to: Path | None) -> None:
    """Hierarchies that a column could have, with their loss; labels and text of the chosen one."""
    say(
        f"{found.column}: {found.people:,} people, {found.distinct:,} different values, "
        f"{found.missing:,} missing\n"
    )
    table = columns(("", "right"), ("loss", "right"), ("from", "left"), ("hierarchy", "left"))
    for number, one in enumerate(found.proposals, start=1):
        table.add_row(
            str(number), f"{one.loss:.3f}", one.origin, plain(short(one.text)) + why(one.reason)
        )
    console.print(table)
    chosen = found.choice(choose)
    say(f"\nProposal {choose}, from level to level:")
    for row in chosen.examples():
        say("  " + " -> ".join("(missing)" if label is None else label for label in row))
    say("\nIn the plan:\n")
    say(f"  {found.column}: {{role: quasi-identifier, hierarchy: {chosen.text}}}")
    if chosen.origin == "data":
        say(
            "\nIt was made by looking at the data: a certificate says so, and releases with noise "
            "refuse it."
        )
    if to is not None:
        say(f"\nWrote {to}. It lists the values of the table, so in a plan it is")
        say(f"  hierarchy: {{csv: {to}, from: data}}")


def why(reason: str) -> Text:
    """A reason, on a line of its own."""
    return Text("\n") + plain(reason)


def short(text: str, most: int = 60) -> str:
    """The beginning of a text."""
    return text if len(text) <= most else f"{text[: most - 3]}..."


def imported(plan: Path, notes: Sequence[str]) -> None:
    """A plan was written from another tool's project."""
    say(f"Wrote {plan}.")
    for note in notes:
        say(f"  {note}")


def claims(verdicts: Sequence[Verdict]) -> None:
    """A line a claim: holds or fails, the level reached, the level required."""
    table = columns(("claim", "left"), ("", "left"), ("level", "right"), ("required", "right"))
    for v in verdicts:
        word = Text("holds", "green") if v.holds else Text("fails", "bold red")
        table.add_row(plain(v.claim), word, *v.told)
    console.print(table)


def checked(verdicts: Sequence[Verdict], notes: Sequence[str], plan: Path) -> None:
    """The claims on the table as it is, and what to know of it besides."""
    claims(verdicts)
    for note in notes:
        console.print(plain(note))
    if not all(verdict.holds for verdict in verdicts):
        say("\nThe table as it is does not keep every claim. Next, look for a release that does:\n")
        say(f"  hedgerow publish {shlex.quote(str(plan))}")


def after_publishing(folder: Path | None, plan: Path) -> None:
    """What to do with a release that is a folder."""
    if folder is None:
        return
    release, name = shlex.quote(_near(folder)), shlex.quote(str(plan))
    check, attack = f"hedgerow verify {release}", f"hedgerow attack {release} --plan {name}"
    width = max(len(check), len(attack))
    say("\nNext:\n")
    say(f"  {check:<{width}}   what its recipients can check")
    say(f"  {attack:<{width}}   what an attacker gains by it")


def _near(folder: Path) -> str:
    """A folder, seen from here where that is shorter."""
    try:
        return str(folder.resolve().relative_to(Path.cwd()))
    except (OSError, ValueError):
        return str(folder)


def published(found: Release | RandomisedRelease | SafeRelease) -> None:
    """A release of whichever kind."""
    from hedgerow import RandomisedRelease, Release

    if isinstance(found, Release):
        release(found)
        return
    from hedgerow.cli.randomised_show import randomised, safe

    if isinstance(found, RandomisedRelease):
        randomised(found)
    else:
        safe(found)


def release(published: Release) -> None:
    """What was protected, what was left out, what was lost, and where the release is."""
    if published.again:
        say("Published before, with this plan and these data; nothing was done anew.\n")
    warnings = [note for note in published.notes if note.startswith(UNCOMPARED)]
    for note in warnings:
        console.print(plain(note, style="bold yellow"))
    if warnings:
        console.print()
    claims(published.claims)
    share = published.suppressed / max(1, published.people)
    unit = published.certificate.get("people", {}).get("unit", "people")
    say(
        f"\n{published.suppressed:,} of {published.people:,} {unit} left out ({share:.1%}); "
        f"{published.rows:,} rows published\n"
    )
    table = columns(("column", "left"), ("published", "left"))
    for name, words in published.words.items():
        table.add_row(plain(name), plain(words))
    console.print(table)
    say(f"{textwrap.fill(_how(published), 80)}\n")
    _lost(published)
    table = columns(("utility", "left"), ("", "right"), ("", "left"))
    for name, value in published.utility.items():
        metric = metric_of(name)
        table.add_row(name, f"{value:.6g}", "" if metric is None else metric.best)
    console.print(table)
    kept(published.kept)
    _with_earlier(published)
    if published.place:
        say(f"\nrelease: {published.place}")


def _lost(published: Release) -> None:
    """Columns of which nothing is left, and what to do if somebody needs them."""
    lost = [name for name, words in published.words.items() if words.endswith("(*)")]
    if not lost:
        return
    finest = published.levels[lost[0]] - 1
    tell(
        f"Nothing is left of {listed(lost)}: that way other columns keep more detail. If readers "
        f"need {lost[0]}, write `levels: [0, {finest}]` under it in the plan. Then other columns "
        "become coarser, or more people are left out."
    )
    say("")


def kept(found: Sequence[AnalysisComparison]) -> None:
    """The plan's analyses on the source and on the release, each at its worst number."""
    if not found:
        return
    say("\nAnalyses that the plan keeps, on the source and on the release (not for handing out):\n")
    table = columns(
        ("analysis", "left"), ("worst number", "left"), ("source", "right"), ("release", "right"),
        ("error", "right"), ("within", "right"), ("", "left"),
    )  # fmt: skip
    for one in found:
        worst = max(one.figures, key=lambda number: number.error, default=None)
        within = one.analysis.within
        table.add_row(
            plain(str(one.analysis)),
            plain("" if worst is None else worst.name),
            "" if worst is None else f"{worst.original:.6g}",
            "" if worst is None else f"{worst.release:.6g}",
            f"{one.error:.3g}",
            "" if within is None else f"{within:.3g}",
            {None: "", True: "kept", False: "NOT KEPT"}[one.kept],
        )
    console.print(table)
    for one in found:
        if one.problem is not None:
            console.print(
                plain(f"{one.analysis} cannot be computed on the release: {one.problem}.")
            )


def _with_earlier(published: Release) -> None:
    """What the release gives away to whoever has earlier ones too."""
    for exposure in published.exposures:
        worse = exposure.together[0] > exposure.alone[0] or exposure.gone or exposure.unjoined
        text = exposure.sentence[0].upper() + exposure.sentence[1:]
        console.print()
        console.print(plain(text, style="bold yellow" if worse else ""))
    for note in published.notes:
        if not note.startswith(UNCOMPARED):  # which comes first
            console.print(plain(note))


def _how(published: Release) -> str:
    """How sure one can be that nothing more useful exists."""
    search = published.certificate.get("search", {})
    if search.get("stored"):
        return f"({published.recoding['kind']}, the recoding of an earlier release)"
    kind, levels = published.recoding["kind"], published.levels
    if not levels and "lower_bound" not in search:
        return f"({kind}: not proven optimal, and no bound is known)"
    metric = METRICS[search.get("metric", "loss")]
    cost, bound, gap = (search.get(key) for key in ("cost", "lower_bound", "gap"))
    found = standing(
        metric, cost=cost, bound=bound, gap=gap, optimal=published.optimal,
        weighed="weighed" in published.certificate["plan"], by_groups=not levels,
    )  # fmt: skip
    if not levels:
        return f"({kind}: {found})"
    seconds = published.certificate.get("plan", {}).get("method", {}).get("time")
    if not published.optimal and seconds is not None:
        found += f". The plan's `time` is {seconds:g} seconds; a longer search may find better"
    return f"({found})"


def demo(done: Demo) -> None:
    """The releases of the synthetic hospital, before and after, and what attackers make of it."""
    from hedgerow.cli import query_show

    plan, published = done.plan, done.release
    say(f"A synthetic hospital of {published.people:,} inpatients: {done.source}\n")
    _rows("before (not published)", done.rows)
    after = published.to_arrow()
    _rows("after (published)", after.take([after.num_rows * i // 4 for i in range(4)]))
    release(published)
    say(f"plan:    {plan}")
    if done.stopped is not None and done.second is not None:
        _second(done.stopped, done.second)
    _attacked(done.attacks)
    say("\nA question, answered with noise and charged to the ledger first:\n")
    query_show.answer(done.answer, done.position, (), None)
    folder = shlex.quote(str(plan.parent))
    say("\nOpen all this in the browser, choose and publish there:")
    say(f"  hedgerow explore {folder}/plan.yaml")
    say(f"Edit the plan and run: hedgerow publish {folder}/plan.yaml --replace")
    say("See what the ledger remembers, check a release as its recipients would:")
    say(f"  hedgerow ledger list --ledger {folder}/ledger.db")
    say(f"  hedgerow verify {folder}/release")
    say("See how far off an answer would be before you pay for it:")
    say(f"  hedgerow query {folder}/plan.yaml --mean bill --by sex --epsilon 0.1 --preview")
    say("Attack it yourself:")
    say(f"  hedgerow attack {folder}/release {folder}/county/release --plan {folder}/plan.yaml")


def _second(stopped: HedgerowError, second: Release) -> None:
    """A second release about the same people: stopped first, then let through, coarser."""
    say("\na second release about the same patients, with small areas", style="bold")
    console.print(plain(f"stopped by the ledger: {stopped.what}.", style="yellow"))
    console.print(plain("Without dates of birth, it goes out:"))
    claims(second.claims)
    table = columns(("column", "left"), ("published", "left"))
    for name, words in second.words.items():
        table.add_row(plain(name), plain(words))
    console.print(table)
    say(f"release: {second.folder}")


def _attacked(attacks: Sequence[AttackResult]) -> None:
    """What is left of a patient's privacy when a second hospital publishes too."""
    say("\nattacked: the diagnosis of patients who were in two hospitals", style="bold")
    table = columns(
        ("what the attacker has", "left"), ("possible", "right"), ("only one left", "right"),
        ("named right", "right"), ("guessing", "right"),
    )  # fmt: skip
    for result in attacks:
        names, left = result.detail["releases"], result.detail["average_posterior"]
        table.add_row(
            names[0] if len(names) == 1 else "both", f"{left:.1f} values",
            f"{result.detail['perfect_and_right']:,} of {result.found.guesses:,}",
            f"{result.found.value:.1%}", f"{result.baseline.value:.1%}",
        )  # fmt: skip
    console.print(table)
    say("Each release keeps its claims. No claim speaks of both together.")


def _rows(title: str, rows: Any) -> None:
    say(title, style="bold")
    table = columns(*((name, "left") for name in rows.column_names))
    for row in rows.to_pylist():
        table.add_row(*(_short("" if value is None else str(value)) for value in row.values()))
    console.print(table)
    console.print()


MOST_RESULTS = 8
"""Results of attacks that are all shown; of more, the worst of each attack."""


def attacks(results: Sequence[AttackResult], bounds: GainBounds, *, every: bool = True) -> None:
    """A line an attack, next to its baseline; what each found, in sentences; and broken bounds.

    Args:
        results: What was found, an attack once for each sensitive column and release.
        bounds: How much an attack may find.
        every: Whether to show all results, however many.
    """
    if not results:
        say("No attack applies: say what the attacker knows (--know, --register, --truth).")
        return
    names = names_of(results)
    from hedgerow.api import file_attacks

    on_files = {one.name for one in file_attacks()}
    named = list(zip(names, results, strict=True))
    shown = named if every else worst_of_each(named, bounds)
    scored = [(n, r) for n, r in shown if r.found.guesses > 1 or r.attack in on_files]
    if scored:
        _scores(scored, bounds)
    if len(shown) < len(named):
        say(f"shown: of each attack the column or release where it does worst harm; "
            f"{len(named) - len(shown):,} more results with --all or --json")  # fmt: skip
    for name, result in shown:
        if scored:
            console.print()
        say(f"{name}: {result.goal}", style="bold")
        for sentence in result.sentences:
            console.print(plain(sentence, keep="\n"))
        _losers(result.detail.get("losers", ()))
    broken = [(n, why) for n, r in zip(names, results, strict=True) for why in bounds.broken(r)]
    if broken:
        console.print()
        say("too much is given away", style="bold red")
    for name, why in broken:
        console.print(plain(f"{name}: {why}."))


def worst_of_each(
    named: Sequence[tuple[str, AttackResult]], bounds: GainBounds
) -> list[tuple[str, AttackResult]]:
    """Of each attack the result that harms most, in their order; all, where they are few."""
    if len(named) <= MOST_RESULTS:
        return list(named)

    def harm(result: AttackResult) -> tuple[int, float, float, float]:
        gains = result.gains
        known, worst = (0.0, 0.0) if gains is None else (gains.certain_share, gains.worst)
        return len(bounds.broken(result)), known, worst, result.gain

    worst: dict[str, tuple[str, AttackResult]] = {}
    for name, result in named:
        if result.attack not in worst or harm(result) > harm(worst[result.attack][1]):
            worst[result.attack] = name, result
    return list(worst.values())


def _losers(losers: Sequence[Mapping[str, Any]]) -> None:
    """The people about whom most is gained: what is believed of them, release by release."""
    if not losers:
        return
    each = losers[0]["each"]
    alone = [(f"{one['release']} alone", "right") for one in each] if len(each) > 1 else []
    together = {1: "the release", 2: "both"}.get(len(each), "all")
    table = columns(
        ("loses most", "left"), ("value", "left"), ("before", "right"), *alone,
        (together, "right"), ("knowing", "left"), ("what does it", "left"),
    )  # fmt: skip
    for one in losers:
        table.add_row(
            plain(one["called"]), plain(_value(one["value"])), f"{one['before']:.1%}",
            *([f"{step['alone']:.1%}" for step in one["each"]] if alone else []),
            f"{'at least ' if one['at_least'] else ''}{one['together']:.1%}",
            one["knowing"], plain(one["why"]),
        )  # fmt: skip
    console.print(table)


MOST_GROUPS = 6
"""Groups of a person that are shown; the others are in `--json`."""
MOST_VALUES = 12
"""Values of a person that are shown; the others are in `--json`."""


def person_belief(found: PersonBelief) -> None:
    """What is believed of one person, value by value, and the rows it comes from."""
    say(found.person, style="bold")
    with_list = any(one.listed is not None for one in found.beliefs)
    estimated = any(one.estimate is not None for one in found.beliefs)
    planned = any(one.knowing_plan is not None for one in found.beliefs)
    table = columns(
        (found.of, "left"), ("before", "right"), ("knowing the person", "right"),
        *([("knowing everybody", "right")] if with_list else []),
        *([("estimate of it", "right")] if estimated else []),
        *([("knowing how it was made", "right")] if planned else []), ("", "left"),
    )  # fmt: skip
    shown = [one for one in found.beliefs if one.alone or one.listed is None or one.listed[1]]
    for place, one in enumerate(shown):
        listed = [] if one.listed is None else [_between(*one.listed)]
        if estimated:
            guess = one.estimate
            listed.append("none" if guess is None else _between(guess.low, guess.high))
        if planned:
            listed.append("none" if one.knowing_plan is None else _between(*one.knowing_plan))
        true = found.truth is not None and likeness(one.value) == likeness(found.truth)
        if place >= MOST_VALUES and not true:
            continue
        table.add_row(
            plain(_value(one.value)), f"{one.before:.1%}", f"{one.alone:.1%}", *listed,
            "true" if true else "",
        )  # fmt: skip
    console.print(table)
    if len(shown) > MOST_VALUES:
        say(f"{len(shown):,} values are possible; --json shows all of them")
    console.print()
    for rows in found.rows[:MOST_GROUPS]:
        count = "1 row" if rows.rows == 1 else f"{rows.rows:,} rows"
        values = [f"{n} {_value(value)}" for value, n in rows.values.items()]
        more = f" and {len(values) - MOST_VALUES:,} more" if len(values) > MOST_VALUES else ""
        console.print(
            plain(f"{rows.release}: {count} {rows.group}: {', '.join(values[:MOST_VALUES])}{more}.")
        )
    if len(found.rows) > MOST_GROUPS:
        tell(
            f"{len(found.rows) - MOST_GROUPS:,} more groups fit; --json shows all of them. Say "
            "more of the person, and fewer fit."
        )
    for sentence in found.sentences:
        console.print(plain(sentence))


def _value(value: str | None) -> str:
    return "missing" if value is None else value


def _between(low: float, high: float) -> str:
    return f"{low:.1%}" if low == high else f"{low:.1%} to {high:.1%}"


def _scores(scored: Sequence[tuple[str, AttackResult]], bounds: GainBounds) -> None:
    results = [result for _, result in scored]
    compared = any(result.control is not None for result in results)
    estimated = any(result.gains is None for result in results)
    table = columns(
        ("attack", "left"), ("found", "right"), ("guessing", "right"),
        *([("control", "right")] if compared else []), ("gain", "right"),
        *([("95 % interval", "left")] if estimated else []), ("worst", "right"),
        ("certain", "right"), ("", "left"),
    )  # fmt: skip
    for name, result in scored:
        low, high = result.gain_interval()
        control = "-" if result.control is None else _share(result.control.value)
        between = f"{_share(low)} to {_share(high)}" if result.gains is None else ""
        gains = result.gains
        word = Text("too much", "bold red") if bounds.broken(result) else Text("")
        table.add_row(
            plain(name), _share(result.found.value), _share(result.baseline.value),
            *([control] if compared else []), _share(result.gain),
            *([between] if estimated else []),
            "-" if gains is None else _share(gains.worst),
            "-" if gains is None else f"{gains.certain:,}", word,
        )  # fmt: skip
    console.print(table)
    if compared:
        say("control: the same attack on people who are not in the release")
    say("found, guessing: how often the attack succeeds, and how often guessing does")
    say("gain: how much the attacker's belief in a person's true value grew, on average over "
        "everybody; 0 % is not at all, 100 % is to certainty. Where it fell, the gain counts as "
        "0 %")  # fmt: skip
    if estimated:
        say("gain with an interval: how much more often the attack succeeds, as it names nobody's "
            "value")  # fmt: skip
    units = {result.unit for result in results}
    one, many = ("row", "rows whose value is") if units == {ROWS} else ("person", "people")
    say(f"worst: the gain of the worst {one}; certain: {many} known for certain")
    if len(units) > 1:
        counted = [name for name, result in scored if result.unit == ROWS]
        say(f"rows, not people, are counted by {some(counted)}")
    allowed = [
        f"{name} {'without a bound' if share is None else f'at most {_share(share)}'}"
        for name, share in (
            ("gain", bounds.mean), ("worst", bounds.worst), ("certain", bounds.certain)
        )
    ]  # fmt: skip
    say(f"allowed: {', '.join(allowed)}")


def _share(value: float) -> str:
    return f"{value:.2%}" if value < 0.1 else f"{value:.1%}"


def explanation(found: Declaration) -> None:
    """A model in plain words."""
    say(found.name, style="bold")
    for title, text in found.sections():
        console.print()
        say(title, style="bold")
        console.print(plain(text, keep="\n"))


def definitions(found: Sequence[PrivacyDefinition]) -> None:
    """Privacy definitions as points of epsilon-privacy."""
    for number, definition in enumerate(found):
        if number:
            console.print()
        say(definition.name, style="bold")
        for title, text in definition.sections():
            console.print()
            say(title, style="bold")
            console.print(plain(text, keep="\n"))


def study(found: AdversaryStudy, plots: Sequence[Path] = ()) -> None:
    """What the adversaries of a plan mean for its table."""
    for note in found.notes:
        console.print(plain(note))
        console.print()
    for number, claim in enumerate(found.claims):
        if number:
            console.print()
        _claim_study(claim)
    say("\nThis is about the raw table: keep it where the table is.")
    for path in plots:
        say(f"plot: {path}")


def _claim_study(claim: ClaimStudy) -> None:
    console.print(plain(claim.claim, style="bold"))
    console.print(plain(" ".join(claim.prior.sentences)))
    say("\nWhere the claim was measured", style="bold")
    table = columns(("", "left"), ("groups", "right"), ("left out", "right"), ("epsilon", "right"),
                   ("", "left"), ("levels", "left"))  # fmt: skip
    for node in claim.nodes:
        word = Text("holds", "green") if node.holds else Text("fails", "bold red")
        levels = ", ".join(f"{name} {level}" for name, level in (node.levels or {}).items())
        table.add_row(node.name, f"{node.groups:,}", f"{node.left_out:,}", times(node.level), word,
                      plain(levels or "differ from group to group"))  # fmt: skip
    console.print(table)
    say("\nThe smallest epsilon by stubbornness", style="bold")
    for start in range(0, len(claim.nodes), NODES_ABREAST):
        if start:
            console.print()
        console.print(_by_stubbornness(claim, claim.nodes[start : start + NODES_ABREAST]))
    _entry("The claim", f"asks for at most {times(claim.epsilon)}.")
    _entry("stubbornness:", "how many people's data it takes to believe like that")
    certain = "with this prior" if claim.prior.own else "to whom all values are equally likely"
    _entry("prior:", f"attackers {certain} (class I; where infinite, class III)")
    _entry("any:", "attackers with whatever prior (class II; where infinite, class IV)")
    if any(row.own for row in claim.nodes[0].rows):
        _entry("*:", "the plan's attackers")
    main = claim.nodes[0].name
    if claim.worst:
        say(f"\nThe worst groups ({main})", style="bold")
    for number, group in enumerate(claim.worst, 1):
        _entry(f"{number}.", group.sentence)
    say(f"\nWhich data would break it ({main})", style="bold")
    _entry("-", " ".join(claim.like_prior.sentences))
    _entry("-", " ".join(claim.any_prior.sentences))


def _by_stubbornness(claim: ClaimStudy, nodes: Sequence[NodeStudy]) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("\nstubbornness ", justify="right")
    for node in nodes:
        table.add_column(Text(f"{node.name}\nprior"), justify="right")
        table.add_column("\nany", justify="right")
    for rows in zip(*(node.rows for node in nodes), strict=True):
        mark = "*" if rows[0].own else " "
        cells = [Text(f"{stubborn(rows[0].stubbornness)}{mark}")]
        for row in rows:
            for level in (row.class_iii if row.class_i is None else row.class_i, row.class_ii):
                if level is None:
                    cells.append(Text("-"))
                else:
                    cells.append(
                        Text(times(level, fixed=True), "green" if level <= claim.epsilon else "red")
                    )
        table.add_row(*cells)
    return table


def _entry(mark: str, text: str) -> None:
    """A paragraph that hangs from its mark."""
    after = " " * (len(mark) + 1)
    lines = textwrap.wrap(
        printable(text), console.width, initial_indent=f"{mark} ", subsequent_indent=after,
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip
    say("\n".join(lines))


def _short(text: str) -> Text:
    return plain(text if len(text) <= WIDEST else text[: WIDEST - 1] + "…")
