"""Whoever changes a ledger behind its back is found out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hedgerow.base.canonical_json import digest
from hedgerow.ledger import NOTHING, Amounts, Entry, EntryKind, Ledger, LedgerError, LedgerTip

TENTH = Amounts.of(epsilon="0.1")
ENTRIES, LAST_RESERVE = 7, 6


@pytest.fixture
def full(ledger: Ledger) -> Ledger:
    """A budget (entry 1), and three releases of a tenth each (entries 2 to 7)."""
    ledger.set_budget("gotham", Amounts.of(epsilon="0.35"))
    for i in range(3):
        reservation = ledger.reserve("gotham", key=f"k{i}", what={"n": i}, spend=TENTH)
        ledger.released(reservation, body={"n": i}, content=f"table {i}".encode() * 9)
    assert ledger.verify([ledger.tip()]).problems == ()
    assert ledger.tip().seq == ENTRIES
    return ledger


def quoted(value: Any) -> str:
    if value is None:
        return "NULL"
    return str(value) if isinstance(value, int) else "'" + str(value).replace("'", "''") + "'"


def forged(entry: Entry, **changes: Any) -> Entry:
    """What a forger who knows the format would write."""
    entry = replace(entry, **changes)
    return replace(entry, hash=digest(entry.record()))


def insert(entry: Entry) -> str:
    row = entry.row()
    return (
        f"INSERT INTO hedgerow_entries ({', '.join(row)}) "
        f"VALUES ({', '.join(map(quoted, row.values()))})"
    )


def change(seq: int, /, **columns: Any) -> str:
    changes = ", ".join(f"{name} = {quoted(value)}" for name, value in columns.items())
    return f"UPDATE hedgerow_entries SET {changes} WHERE seq = {seq}"


EDITS: dict[str, dict[str, Any]] = {
    "body": {"body": '{"n":7}'},
    "spelling of the body": {"body": '{"n": 1}'},
    "a doubled key in the body": {"body": '{"n":0,"n":1}'},
    "a body that is no JSON": {"body": "{"},
    "a body that is not finite": {"body": '{"n":1e999}'},
    "spend": {"spend_epsilon": 1},
    "a spend in another currency": {"spend_rho": 1},
    "total": {"total_epsilon": 1},
    "hash": {"hash": "0" * 64},
    "time": {"at": "2001-01-01T00:00:00.000000Z"},
    "population": {"population": "metropolis"},
    "kind": {"kind": "FAILED"},
    "key": {"key": "mine"},
    "no key": {"key": None},
    "reservation": {"reservation": "f" * 32},
    "previous": {"previous": "0" * 64},
}


@pytest.mark.parametrize("edit", EDITS)
@pytest.mark.parametrize("seq", [4, ENTRIES])
def test_an_edit_is_found(full: Ledger, place: Any, edit: str, seq: int) -> None:
    place.tamper(change(seq, **EDITS[edit]))
    problems = full.verify().problems
    assert any(problem.startswith(f"entry {seq} was changed") for problem in problems), problems


def test_values_of_another_type_are_found(full: Ledger, place: Any) -> None:
    if place.store == "postgresql":
        with pytest.raises(Exception, match="invalid input syntax"):
            place.tamper(change(4, spend_epsilon="much"))
        return
    for value in ("much", ""):
        place.tamper(change(4, spend_epsilon=value))
        assert any("entry 4 was changed" in p for p in full.verify().problems)


def test_an_edit_with_a_new_hash_is_found_at_the_next_entry(full: Ledger, place: Any) -> None:
    entry = forged(full.look_up("5")[0], body={"n": "forged"})
    place.tamper("DELETE FROM hedgerow_contents WHERE seq = 5",
                 change(5, body=entry.row()["body"], hash=entry.hash))  # fmt: skip
    assert full.verify().problems == ("entry 6 does not follow entry 5",)


@pytest.mark.parametrize(
    ("gone", "found"),
    [("seq = 4", "entry 4 is missing"), ("seq = 1", "entry 1 is missing"),
     ("seq IN (3, 4, 5)", "entries 3 to 5 are missing")],
)  # fmt: skip
def test_a_removed_entry_is_found(full: Ledger, place: Any, gone: str, found: str) -> None:
    place.tamper(f"DELETE FROM hedgerow_contents WHERE {gone}",
                 f"DELETE FROM hedgerow_entries WHERE {gone}")  # fmt: skip
    assert full.verify().problems[0] == found


def test_a_gap_that_was_closed_is_found(full: Ledger, place: Any) -> None:
    place.tamper(
        "DELETE FROM hedgerow_contents",
        "DELETE FROM hedgerow_entries WHERE seq = 4",
        *(change(seq, seq=seq - 1) for seq in (5, 6, 7)),
    )
    problems = full.verify().problems
    assert "entry 4 does not follow entry 3" in problems
    assert "entry 4 was changed: its hash is that of something else" in problems


def test_swapped_entries_are_found(full: Ledger, place: Any) -> None:
    place.tamper("DELETE FROM hedgerow_contents", change(4, seq=99), change(6, seq=4),
                 change(99, seq=6))  # fmt: skip
    problems = full.verify().problems
    for seq in (4, 5, 6, 7):
        assert f"entry {seq} does not follow entry {seq - 1}" in problems


def test_a_cut_off_end_is_found_against_a_tip_and_only_so(full: Ledger, place: Any) -> None:
    tip = replace(full.tip(), source="release/")
    early = LedgerTip(full.id, 3, full.look_up("3")[0].hash)
    place.tamper("DELETE FROM hedgerow_contents WHERE seq > 4",
                 "DELETE FROM hedgerow_entries WHERE seq > 4")  # fmt: skip
    assert full.verify().problems == full.verify([early]).problems == ()
    assert full.verify([early, tip]).problems == (
        "entry 5 and later are missing: release/ has seen entry 7",
    )
    full.reserve("gotham", key="later", what={})
    assert "entry 6 and later are missing" in full.verify([tip]).problems[0]
    for i in range(2):
        full.reserve("gotham", key=f"later {i}", what={})
    assert full.verify([tip]).problems == ("entry 7 is not the one that release/ has seen",)


def test_a_missing_entry_a_certificate_has_seen(full: Ledger, place: Any) -> None:
    tip = LedgerTip(full.id, 4, full.look_up("4")[0].hash)
    place.tamper("DELETE FROM hedgerow_entries WHERE seq = 4")
    assert "entry 4 is missing, and a certificate has seen it" in full.verify([tip]).problems


def test_a_release_whose_entry_was_cut_off_is_found(full: Ledger, place: Any) -> None:
    """The certificate has the reservation; that it was released comes after it."""
    made = full.look_up("6")[0]
    tip = LedgerTip(full.id, made.seq, made.hash, made.reservation, "release/")
    assert full.verify([tip]).problems == ()
    place.tamper("DELETE FROM hedgerow_contents WHERE seq = 7",
                 "DELETE FROM hedgerow_entries WHERE seq = 7")  # fmt: skip
    assert full.verify([replace(tip, reservation=None)]).problems == ()
    told = ("release/ was published, and no entry of this ledger says so",)
    assert full.verify([tip]).problems == told
    full.failed(made, why="lie")
    assert full.verify([tip]).problems == told


def test_a_ledger_written_anew_is_found_against_a_tip_and_only_so(full: Ledger, place: Any) -> None:
    tip = LedgerTip(full.id, 3, full.look_up("3")[0].hash)
    entries = list(full.entries())
    previous, statements = entries[0].hash, []
    for entry in entries[1:]:
        body = {**entry.body, "forged": True}
        anew = forged(entry, previous=previous, body=body)
        statements.append(change(entry.seq, previous=previous, body=anew.row()["body"],
                                 hash=anew.hash))  # fmt: skip
        previous = anew.hash
    place.tamper(*statements)
    assert full.verify().problems == ()
    assert full.verify([tip]).problems == ("entry 3 is not the one that a certificate has seen",)


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        ("UPDATE hedgerow_contents SET data = {other} WHERE seq = 5",
         "the content of entry 5 is missing or was changed"),
        ("UPDATE hedgerow_contents SET data = {junk} WHERE seq = 5",
         "the content of entry 5 is missing or was changed"),
        ("DELETE FROM hedgerow_contents WHERE seq = 5",
         "the content of entry 5 is missing or was changed"),
        ("INSERT INTO hedgerow_contents VALUES (1, {junk})",
         "there is content for entry 1, which has none"),
    ],
)  # fmt: skip
def test_changed_content_is_found(full: Ledger, place: Any, statement: str, found: str) -> None:
    place.tamper(
        statement.format(
            other="(SELECT data FROM hedgerow_contents WHERE seq = 3)",
            junk="'\\x00'::bytea" if place.store == "postgresql" else "x'00'",
        )
    )
    assert full.verify().problems == (found,)
    if "entry 5" in found:
        with pytest.raises(LedgerError, match="the content of entry 5"):
            full.content(full.look_up("5")[0])


def test_content_that_unpacks_to_more_than_it_should(full: Ledger, place: Any) -> None:
    import zlib

    bomb = zlib.compress(b"\0" * 50_000_000).hex()
    data = f"'\\x{bomb}'::bytea" if place.store == "postgresql" else f"x'{bomb}'"
    place.tamper(f"UPDATE hedgerow_contents SET data = {data} WHERE seq = 5")
    assert full.verify().problems == ("the content of entry 5 is missing or was changed",)


Forger = Callable[[Entry, Entry], Entry]
FORGERIES: dict[str, tuple[Forger, str]] = {
    "overspending": (
        lambda last, made: forged(made, reservation="n", spend=TENTH, total=last.total + TENTH),
        "entry 8 spends more than the budget of 'gotham'",
    ),
    "a currency without a budget": (
        lambda last, made: forged(
            made, reservation="n", spend=Amounts(rho=1), total=last.total + Amounts(rho=1)
        ),
        "entry 8 spends more than the budget of 'gotham'",
    ),
    "a population without a budget": (
        lambda last, made: forged(
            made, reservation="n", population="metropolis", spend=TENTH, total=TENTH
        ),
        "entry 8 spends more than the budget of 'metropolis'",
    ),
    "a refund": (
        lambda last, made: forged(made, reservation="n", spend=NOTHING, total=TENTH),
        "entry 8: the total of 'gotham' does not add up",
    ),
    "a release that was not reserved": (
        lambda last, made: forged(last, reservation="n", body={}),
        "entry 8 closes a reservation that was not made",
    ),
    "a second closing": (
        lambda last, made: forged(last, kind=EntryKind.FAILED, body={}),
        "entry 8 closes a reservation a second time",
    ),
    "a release under another name": (
        lambda last, made: forged(last, key="other", body={}),
        "entry 8 closes a reservation that was not made",
    ),
    "a doubled reservation": (
        lambda last, made: forged(made, spend=NOTHING, total=last.total),
        "entry 8 makes a reservation that cannot be told from another",
    ),
    "an unreadable budget": (
        lambda last, made: forged(
            made, kind=EntryKind.BUDGET, spend=NOTHING, total=last.total, body={"budget": -1}
        ),
        "entry 8 sets no budget that can be read",
    ),
    "an earlier time": (
        lambda last, made: forged(
            made, reservation="n", spend=NOTHING, total=last.total, at="2001-01-01T00:00:00Z"
        ),
        "entry 8 is dated before the one it follows",
    ),
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_entries_that_break_a_rule_are_found(full: Ledger, place: Any, forgery: str) -> None:
    """Well hashed and appended, as faulty software might do."""
    make, found = FORGERIES[forgery]
    last, made = full.look_up("7")[0], full.look_up("6")[0]
    link = {"seq": 8, "previous": last.hash, "at": last.at}
    place.sql(insert(make(replace(last, **link), replace(made, **link))))
    assert found in full.verify().problems


def test_two_ledgers_by_mistake(full: Ledger, tmp_path: Path) -> None:
    with Ledger.open(tmp_path / "other.db") as other:
        problems = other.verify([replace(full.tip(), source="release/")]).problems
    assert len(problems) == 1
    assert problems[0].startswith(f"release/ belongs to another ledger ({full.id}; this is ")
    start = LedgerTip(full.id, 0, "0" * 64)
    assert full.verify([start]).problems == (
        "a certificate has seen another beginning of this ledger",
    )


@pytest.mark.parametrize("column", ["id", "created"])
def test_a_ledger_under_another_name(full: Ledger, place: Any, column: str) -> None:
    place.tamper(f"UPDATE hedgerow_ledger SET {column} = 'another'")
    with place.open() as opened:
        assert opened.verify().problems == ("entry 1 does not follow the beginning of this ledger",)
    if column == "id":
        assert "the ledger's own row is missing or was changed" in full.verify().problems


def test_missing_triggers_are_found(full: Ledger, place: Any) -> None:
    if place.store == "sqlite":
        place.sql("DROP TRIGGER hedgerow_entries_no_delete")
        name = "hedgerow_entries_no_delete"
    else:
        place.sql("ALTER TABLE hedgerow_entries DISABLE TRIGGER hedgerow_entries_append_only")
        name = "hedgerow_entries_append_only"
    assert full.verify().problems == (f"the trigger {name} is missing: entries can be changed",)


@pytest.mark.parametrize("seq", [1, LAST_RESERVE, ENTRIES])
def test_nothing_is_spent_on_the_word_of_a_changed_entry(
    full: Ledger, place: Any, seq: int
) -> None:
    """A larger budget, or less that was spent, that somebody wrote into the file."""
    edits = {
        1: change(1, body='{"account":{},"budget":{"delta":0,"epsilon":9000000000,"rho":0}}'),
        LAST_RESERVE: change(LAST_RESERVE, body='{"n":2}'),
        ENTRIES: change(ENTRIES, total_epsilon=0),
    }
    place.tamper(edits[seq])
    with pytest.raises(LedgerError, match=f"entry {seq} of the ledger was changed"):
        full.reserve("gotham", key="x", what={}, spend=Amounts.of(epsilon="0.05"))
    assert len(list(full.entries())) == ENTRIES


@pytest.mark.parametrize("edit", EDITS)
def test_looking_at_a_changed_ledger_says_so_or_shows_it(
    full: Ledger, place: Any, edit: str
) -> None:
    """What a decision rests on is refused; what somebody looks at is shown, if it can be read."""
    place.tamper(change(5, **EDITS[edit]))
    reads: list[Callable[[], object]] = [
        lambda: list(full.entries()),
        lambda: list(full.export()),
        lambda: full.look_up("5"),
        full.populations,
    ]
    errors = []
    for read in reads:
        try:
            read()
        except LedgerError as error:
            errors.append((error.what.startswith("entry 5 of the ledger"), error.where))
    assert set(errors) <= {(True, full.name)}
    unreadable = ("a body that is no JSON", "a body that is not finite", "population")
    assert bool(errors) == (edit in unreadable)
    if edit not in ("population", "kind"):
        with pytest.raises(LedgerError, match="entry 5 of the ledger was changed"):
            full.releases("gotham")


def test_triggers_that_do_nothing_are_found(full: Ledger, place: Any) -> None:
    """Nine of SQLite's, or the function that PostgreSQL's three call."""
    if place.store == "sqlite":
        made = place.sql("SELECT name, tbl_name, sql FROM sqlite_master WHERE type = 'trigger'")
        assert len(made) == 9
        for name, table, told in made:
            event = told.split()[4]
            place.sql(f"DROP TRIGGER {name}")
            place.sql(f"CREATE TRIGGER {name} BEFORE {event} ON {table} BEGIN SELECT 1; END")
        names = sorted(name for name, _, _ in made)
    else:
        place.sql(
            "CREATE OR REPLACE FUNCTION hedgerow_append_only() RETURNS trigger "
            "LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$"
        )
        names = [f"hedgerow_{t}_append_only" for t in ("contents", "entries", "ledger")]
    assert full.verify().problems == tuple(
        f"the trigger {name} was replaced by one that does something else: entries can be changed"
        for name in names
    )


def test_a_trigger_that_acts_only_sometimes_is_found(full: Ledger, place: Any) -> None:
    if place.store == "sqlite":
        name = "hedgerow_entries_no_update"
        ((told,),) = place.sql(f"SELECT sql FROM sqlite_master WHERE name = '{name}'")
        other = told.replace(" BEGIN ", " WHEN OLD.seq > 5 BEGIN ")
    else:
        name = "hedgerow_entries_append_only"
        other = (
            f"CREATE TRIGGER {name} BEFORE UPDATE OF hash OR DELETE OR TRUNCATE ON "
            "hedgerow_entries FOR EACH STATEMENT EXECUTE FUNCTION hedgerow_append_only()"
        )
    place.sql(f"DROP TRIGGER {name}" + ("" if place.store == "sqlite" else " ON hedgerow_entries"))
    place.sql(other)
    (problem,) = full.verify().problems
    assert problem.startswith(f"the trigger {name} was replaced")


def test_a_foreign_trigger_is_found(full: Ledger, place: Any) -> None:
    if place.store == "sqlite":
        place.sql("CREATE TRIGGER mine AFTER INSERT ON hedgerow_entries BEGIN SELECT 1; END")
    else:
        place.sql(
            "CREATE TRIGGER mine AFTER INSERT ON hedgerow_entries FOR EACH STATEMENT "
            "EXECUTE FUNCTION hedgerow_append_only()"
        )
    assert full.verify().problems == ("the trigger mine is none of the ledger's own",)
