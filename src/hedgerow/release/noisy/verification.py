"""A randomised release against its certificate: what anybody can compute again, and what not.

The loss follows from scale and sensitivity, counts and rows from the noisy numbers. That the
noise was drawn as stated follows from nothing that is published.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from hedgerow.answers.design import Numbers
from hedgerow.base.delivery import TABLES
from hedgerow.base.errors import DataError, HedgerowError
from hedgerow.noise.calibration import Additive, AnswerPart
from hedgerow.noise.measures import Approximate, Loss, ZeroConcentrated
from hedgerow.noise.mechanisms import DiscreteGaussian
from hedgerow.noise.rounding import sqrt_up
from hedgerow.plan.plan import Plan
from hedgerow.release.charge.software import same_software
from hedgerow.release.charge.verification import (
    check_claim,
    check_form,
    judged,
    other_request,
    other_words,
)
from hedgerow.release.noisy.certificate import certify
from hedgerow.release.verdicts import UNVERIFIABLE, VERIFIED, Checked, Verdicts
from hedgerow.synthesis.noisy_numbers import Drawn, noise_json, read_noise
from hedgerow.synthesis.request import SynthesisRequest, read_loss
from hedgerow.synthesis.rows_file import read_rows, write_rows
from hedgerow.synthesis.synthetic_records import Codes
from hedgerow.synthesis.tables_and_rows import Floats, SyntheticTables, disagreement, make, off_by
from hedgerow.synthesis.tables_file import read_tables, write_tables

UNSEEN = "nobody can see from a result that the noise in it was drawn as stated"
SAME = 1e-5
"""How far (relatively) a distance may be from another machine's; it is stated to six digits."""


@dataclass(frozen=True, kw_only=True)
class StatedRelease:
    """What a certificate says, as the numbers it stands for."""

    request: SynthesisRequest
    mechanism: Additive
    part: AnswerPart
    loss: Loss


def check_randomised(
    certificate: Mapping[str, Any], stated: StatedRelease, folder: Path, plan: Plan | None
) -> Verdicts:
    """Compute again what follows from the noisy numbers.

    Args:
        certificate: The certificate, which has its form.
        stated: What it says.
        folder: The release.
        plan: The plan it must keep, where one is given.
    """
    wrong = _wrong_loss(certificate, stated)
    checks = [judged("loss", wrong, _right_loss(stated))]
    if plan is not None:
        checks.append(Checked.of("plan", _unlike(plan, stated.request)))
    checks += _content(certificate, stated, folder)
    return checks, (check_claim(certificate, wrong, unseen=UNSEEN),)


def stated(certificate: Mapping[str, Any]) -> StatedRelease:
    """What the certificate says.

    Raises:
        HedgerowError: It is not about tables of these columns at any price.
    """
    request = SynthesisRequest.read(
        {
            "population": certificate["population"],
            "tables": [table["columns"] for table in certificate["tables"]],
            "domains": certificate["domains"],
            "neighbours": certificate["neighbours"],
            "price": certificate["price"],
            "person": certificate["counting"]["person"],
            "null": certificate["counting"]["null"],
            "one_row_per_person": certificate["counting"].get("one_row_per_person", False),
            "ids_as_written": certificate["counting"].get("ids_as_written", False),
            "not_keys": certificate["counting"].get("not_keys", []),
            "ages": certificate["counting"].get("ages", {}),
        }
    )
    if len(request.domains) < len(certificate["domains"]):
        raise DataError("a column has two domains")
    used = {column for table in request.tables for column in table}
    if used != set(request.domains):
        raise DataError("the domains are not those of the tables' columns")
    if len({frozenset(table) for table in request.tables}) < len(request.tables):
        raise DataError("a table stands twice in it")
    _ = request.design.loss
    return StatedRelease(
        request=request,
        mechanism=read_noise(certificate["noise"]),
        part=AnswerPart(**certificate["sensitivity"]),
        loss=read_loss(certificate["loss"]),
    )


def _wrong_loss(certificate: Mapping[str, Any], stated: StatedRelease) -> str | None:
    """Why the loss does not follow from noise, sensitivity, tables and neighbours."""
    design, mechanism = stated.request.design, stated.mechanism
    sizes = [int(np.prod(stated.request.shape(table))) for table in stated.request.tables]
    if sizes != [table["cells"] for table in certificate["tables"]]:
        return "the tables have not as many cells as their columns' domains make"
    if (stated.part.l1, stated.part.l2_squared) != (design.part.l1, design.part.l2_squared):
        return (
            f"one person changes the tables by up to {design.part.l1:,} (squared "
            f"{design.part.l2_squared:,}), not {stated.part.l1:,} ({stated.part.l2_squared:,})"
        )
    if not keeps(mechanism, design.part, stated.loss):
        return f"noise of scale {float(mechanism.scale):.6g} does not keep {stated.loss}"
    if not _within(stated.loss, stated.request.price):
        return f"the loss {stated.loss} is more than the price, {stated.request.price}"
    if certificate["spent"] != stated.loss.amounts().texts():
        return "what the ledger was charged is not the loss"
    if noise_json(mechanism) != certificate["noise"]:
        return "how far the noise moves a number does not follow from its scale"
    if same_software(certificate) and (mechanism, stated.loss) != (design.mechanism, design.loss):
        return (
            f"at this price the scale is {float(design.mechanism.scale):.6g}, not "
            f"{float(mechanism.scale):.6g}"
        )
    return None


def _right_loss(stated: StatedRelease) -> str:
    changes = (
        f"squares by {stated.part.l2_squared:,}"
        if isinstance(stated.mechanism, DiscreteGaussian)
        else f"counts by {stated.part.l1:,}"
    )
    return (
        f"if the noise has the scale {float(stated.mechanism.scale):.6g}, and one person changes "
        f"{changes} at most, as the plan's tables and neighbours have it, it is {stated.loss}"
    )


def keeps(mechanism: Additive, part: AnswerPart, loss: Loss) -> bool:
    """Whether a loss follows from the noise and from what one person changes; exact.

    >>> from hedgerow.noise.measures import Pure
    >>> from hedgerow.noise.mechanisms import DiscreteLaplace
    >>> three = AnswerPart(3, 3)
    >>> keeps(DiscreteLaplace(scale=3), three, Pure(epsilon=1))
    True
    >>> keeps(DiscreteLaplace(scale="2.9"), three, Pure(epsilon=1))
    False
    """
    if isinstance(mechanism, DiscreteGaussian):
        found = mechanism.privacy_map(sqrt_up(Fraction(part.l2_squared)))
        if isinstance(loss, ZeroConcentrated):
            return found.rho <= loss.rho
        return (
            isinstance(loss, Approximate)
            and bool(loss.delta)
            and found.approximate(delta=loss.delta).epsilon <= loss.epsilon
        )
    if isinstance(loss, ZeroConcentrated):
        return mechanism.privacy_map(part.l1).concentrated().rho <= loss.rho
    return mechanism.privacy_map(part.l1).epsilon <= loss.epsilon


def _within(loss: Loss, price: Loss) -> bool:
    """Whether a loss is at most a price, in the price's currency."""
    spent, given = loss.amounts(), price.amounts()
    return spent.fits(given)


def _unlike(plan: Plan, request: SynthesisRequest) -> str | None:
    """In what the release is not what a plan asks for."""
    if plan.method.search != "marginals":
        return "the plan asks for no randomised release"
    try:
        return other_request(request.as_json(), SynthesisRequest.of(plan).as_json())
    except HedgerowError as error:
        return f"the plan cannot be used: {error.what}"


def _content(
    certificate: Mapping[str, Any], stated: StatedRelease, folder: Path
) -> Iterator[Checked]:
    """What is in the files, and whether it follows from the noisy numbers."""
    request, escaped = (
        stated.request,
        certificate["software"]["configured"]["escape_formulas"],
    )
    try:
        noisy, counts = read_tables(folder / TABLES, request, escaped=escaped)
        records = None
        if certificate["data"] is not None:
            file = folder / certificate["data"]["file"]
            records = read_rows(file, request, escaped=escaped)
    except HedgerowError as error:
        yield Checked.of("tables and rows", error.what)
        return
    yield check_form(
        folder / TABLES, lambda again: write_tables(again, request, noisy, counts, escaped=escaped)
    )
    if records is not None and file.suffix == ".csv":
        rows = records
        yield check_form(file, lambda again: write_rows(again, request, rows, escaped=escaped))
    yield Checked.of("tables", _wrong_counts(certificate, request, counts))
    if (records is None) != (certificate["synthetic"] is None):
        yield Checked.of("rows", "it is said in two ways whether there are made-up rows")
        return
    if records is not None:
        yield Checked.of("rows", _wrong_rows(certificate, request, counts, records))
    yield from _made_again(certificate, stated, folder, (noisy, counts, records))


def _wrong_counts(
    certificate: Mapping[str, Any], request: SynthesisRequest, counts: Sequence[Floats]
) -> str | None:
    told = certificate["consistency"]
    if not all(np.isfinite(table).all() and (table >= 0).all() for table in counts):
        return "a count is negative, or no number"
    found = disagreement(request, counts)
    if found > told["disagreement"] * (1 + SAME):
        return f"two tables differ about one number by {found:.3g}, stated {told['disagreement']}"
    sums = [float(table.sum()) for table in counts]
    # Each count is rounded by at most half of its last digit.
    near = max(len(table) for table in counts) * 10.0 ** -told["digits"]
    if max(abs(total - told["total"]) for total in sums) > near + SAME * told["total"]:
        return f"the counts do not add up to {told['total']:,}"
    return None


def _wrong_rows(
    certificate: Mapping[str, Any],
    request: SynthesisRequest,
    counts: Sequence[Floats],
    records: Codes,
) -> str | None:
    told, data = certificate["synthetic"], certificate["data"]
    if not len(records) == told["rows"] == data["rows"]:
        return f"there are {len(records):,} rows, stated {data['rows']:,} and {told['rows']:,}"
    if data["columns"] != list(request.columns):
        return "the columns of the rows are not those of the tables"
    found = off_by(request, counts, records)
    if len(told["distances"]) != len(found):
        return "there is not one distance for each table"
    for number, (one, other) in enumerate(zip(found, told["distances"], strict=True), 1):
        if not np.isclose(one, other, rtol=SAME, atol=1e-9):
            return f"the rows are {one:.6g} from table {number}, stated {other:.6g}"
    return None


def _made_again(
    certificate: Mapping[str, Any],
    stated: StatedRelease,
    folder: Path,
    read: tuple[Sequence[Numbers], Sequence[Floats], Codes | None],
) -> Iterator[Checked]:
    """Whether the noisy numbers give these counts, rows and words."""
    noisy, counts, records = read
    made = make(stated.request, noisy, rows=records is not None)
    same = all(map(np.array_equal, counts, made.counts))
    if records is not None:
        same = same and made.records is not None and np.array_equal(records, made.records)
    if not same_software(certificate):
        why = (
            "counts and rows follow from the noisy numbers; what is said in words is of another "
            "version, and was not checked"
            if same
            else "made by other versions or on another kind of machine, whose counts and rows "
            "come out otherwise here: not checked"
        )
        yield Checked(what="made again", verdict=VERIFIED if same else UNVERIFIABLE, why=why)
        return
    if not same:
        yield Checked.of(
            "made again", "the counts or rows are not those that the noisy numbers give"
        )
        return
    wrong = _other_words(certificate, stated, folder, noisy, made)
    things = "counts" if records is None else "counts, rows"
    right = (
        f"{things} follow from the noisy numbers, and every sentence is what this software writes "
        "for them and for the price, the noise and the columns that are stated"
    )
    yield judged("made again", wrong, right)


def _other_words(
    certificate: Mapping[str, Any],
    stated: StatedRelease,
    folder: Path,
    noisy: Sequence[Numbers],
    made: SyntheticTables,
) -> str | None:
    """What the certificate says otherwise than this version would have written."""
    drawn = Drawn(
        request=stated.request,
        mechanism=stated.mechanism,
        part=stated.part,
        loss=stated.loss,
        noisy=tuple(noisy),
        ledger=certificate["ledger"],
    )
    configured = certificate["software"]["configured"]
    try:
        expected = certify(
            drawn, folder=folder, counts=made.counts, total=made.total, mixed=made.mixed,
            records=made.records, form=configured["format"], escaped=configured["escape_formulas"],
        )  # fmt: skip
    except OSError as error:
        return f"a file cannot be read: {error.strerror or error}"
    return other_words(certificate, expected)
