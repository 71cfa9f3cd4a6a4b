"""Planted identifiers of each kind are found; random digits are not."""

from __future__ import annotations

import random
from collections.abc import Callable
from importlib import import_module

import pytest

from hedgerow.table.profile.national_numbers import NATIONAL_NUMBERS
from hedgerow.table.profile.recognitions import recognised

N = 60


def rng() -> random.Random:
    return random.Random(7)


def digits(r: random.Random, n: int) -> str:
    return "".join(str(r.randrange(10)) for _ in range(n))


def weighted(number: str, weights: str | list[int], modulus: int) -> int:
    return sum(int(d) * int(w) for d, w in zip(number, weights, strict=False)) % modulus


def luhn_digit(number: str) -> str:
    total = 0
    for place, digit in enumerate(reversed(number)):
        doubled = int(digit) * (2 if place % 2 == 0 else 1)
        total += doubled - 9 if doubled > 9 else doubled
    return str(-total % 10)


def nhs(r: random.Random) -> str | None:
    bare = digits(r, 9)
    check = 11 - weighted(bare, [10, 9, 8, 7, 6, 5, 4, 3, 2], 11)
    return None if check == 10 else bare + str(check % 11)


def german_tax(r: random.Random) -> str | None:
    order = r.sample("0123456789", 10)
    order[r.randrange(1, 10)] = order[0]  # one digit twice, one never
    if order[0] == "0" or len(set(order)) != 9:
        return None
    r.shuffle(order)
    if order[0] == "0":
        return None
    product = 10
    for digit in order:
        total = (int(digit) + product) % 10 or 10
        product = (total * 2) % 11
    return "".join(order) + str((11 - product) % 10)


def german_insurance(r: random.Random) -> str:
    day = f"{r.randrange(1, 29):02d}{r.randrange(1, 13):02d}{r.randrange(100):02d}"
    letter = r.choice("ABCDEFGHJKLMNPRSTUVWZ")
    bare = f"{r.randrange(10, 90)}{day}{letter}{r.randrange(100):02d}"
    spelled = bare[:8] + f"{ord(letter) - 64:02d}" + bare[9:]
    products = [int(d) * int(w) for d, w in zip(spelled, "212571212121", strict=True)]
    return bare + str(sum(p // 10 + p % 10 for p in products) % 10)


def bsn(r: random.Random) -> str | None:
    bare = digits(r, 8)
    check = weighted(bare, "98765432", 11)
    return None if check == 10 or bare[:2] == "00" else bare + str(check)


def nir(r: random.Random) -> str:
    bare = (f"{r.choice('12')}{r.randrange(100):02d}{r.randrange(1, 13):02d}"
            f"{r.randrange(10, 90)}{digits(r, 3)}{digits(r, 3)}")  # fmt: skip
    return bare + f"{97 - int(bare) % 97:02d}"


def codice_fiscale(r: random.Random) -> str:
    odd = dict(zip("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ",
                   [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18,
                    20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23], strict=True))  # fmt: skip
    bare = ("".join(r.choice("BCDFGLMNPRST") for _ in range(6)) + f"{r.randrange(40, 99)}"
            + r.choice("ABCDEHLMPRST") + f"{r.randrange(1, 29):02d}H{digits(r, 3)}")  # fmt: skip
    total = 0
    for place, c in enumerate(bare):
        total += odd[c] if place % 2 == 0 else (int(c) if c.isdigit() else ord(c) - 65)
    return bare + chr(65 + total % 26)


def dni(r: random.Random) -> str:
    number = r.randrange(10_000_000, 99_999_999)
    return f"{number}{'TRWAGMYFPDXBNJZSQVHLCKE'[number % 23]}"


def nie(r: random.Random) -> str:
    number = r.randrange(1_000_000, 9_999_999)
    first = r.randrange(3)
    return f"{'XYZ'[first]}{number}{'TRWAGMYFPDXBNJZSQVHLCKE'[int(f'{first}{number}') % 23]}"


def pesel(r: random.Random) -> str:
    bare = f"{r.randrange(40, 99)}{r.randrange(1, 13):02d}{r.randrange(1, 29):02d}{digits(r, 4)}"
    return bare + str(-weighted(bare, "1379137913", 10) % 10)


def personnummer(r: random.Random) -> str:
    bare = f"{r.randrange(40, 99)}{r.randrange(1, 13):02d}{r.randrange(1, 29):02d}{digits(r, 3)}"
    return f"{bare[:6]}-{bare[6:]}{luhn_digit(bare)}"


def hetu(r: random.Random) -> str:
    day = f"{r.randrange(1, 29):02d}{r.randrange(1, 13):02d}{r.randrange(40, 99)}"
    serial = f"{r.randrange(2, 899):03d}"
    return f"{day}-{serial}{'0123456789ABCDEFHJKLMNPRSTUVWXY'[int(day + serial) % 31]}"


def fodselsnummer(r: random.Random) -> str | None:
    bare = f"{r.randrange(1, 29):02d}{r.randrange(1, 13):02d}{r.randrange(40, 99)}"
    bare += f"{r.randrange(0, 499):03d}"
    first = -weighted(bare, [3, 7, 6, 1, 8, 9, 4, 5, 2], 11) % 11
    if first == 10:
        return None
    bare += str(first)
    second = -weighted(bare, [5, 4, 3, 2, 7, 6, 5, 4, 3, 2], 11) % 11
    return None if second == 10 else bare + str(second)


def belgian(r: random.Random) -> str:
    bare = f"{r.randrange(40, 99)}{r.randrange(1, 13):02d}{r.randrange(1, 29):02d}"
    bare += f"{r.randrange(1, 998):03d}"
    return bare + f"{97 - int(bare) % 97:02d}"


def cpf(r: random.Random) -> str:
    bare = digits(r, 9)
    for start in (10, 11):
        total = sum(int(d) * w for d, w in zip(bare, range(start, 1, -1), strict=True))
        bare += str(0 if total % 11 < 2 else 11 - total % 11)
    return f"{bare[:3]}.{bare[3:6]}.{bare[6:9]}-{bare[9:]}"


def aadhaar(r: random.Random) -> str:
    turned = [[(i + j) % 5 if i < 5 and j < 5 else 0 for j in range(10)] for i in range(10)]
    for i in range(10):  # the dihedral group of a pentagon
        for j in range(10):
            if i < 5 <= j:
                turned[i][j] = 5 + (i + j) % 5
            elif j < 5 <= i:
                turned[i][j] = 5 + (i - j) % 5
            elif i >= 5 and j >= 5:
                turned[i][j] = (i - j) % 5
    moved = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4]
    steps = [list(range(10))]
    for _ in range(7):
        steps.append([moved[steps[-1][i]] for i in range(10)])
    bare = r.choice("23456789") + digits(r, 10)
    for check in "0123456789":
        state = 0
        for place, d in enumerate(reversed(bare + check)):
            state = turned[state][steps[place % 8][int(d)]]
        if state == 0:
            return bare + check
    raise AssertionError("one of ten fits")


def iban(r: random.Random) -> str:
    account = digits(r, 18)
    check = 98 - int(account + "131400") % 97  # DE and two zeros as digits
    return f"DE{check:02d}{account}"


def card(r: random.Random) -> str:
    bare = "4" + digits(r, 14)
    return bare + luhn_digit(bare)


PLANTED: dict[str, Callable[[random.Random], str | None]] = {
    "UK NHS number": nhs,
    "German tax ID": german_tax,
    "German social insurance number": german_insurance,
    "Dutch BSN": bsn,
    "French NIR": nir,
    "Italian codice fiscale": codice_fiscale,
    "Spanish DNI": dni,
    "Spanish NIE": nie,
    "Polish PESEL": pesel,
    "Swedish personnummer": personnummer,
    "Finnish HETU": hetu,
    "Norwegian fødselsnummer": fodselsnummer,
    "Belgian national number": belgian,
    "Brazilian CPF": cpf,
    "Indian Aadhaar": aadhaar,
    "IBAN": iban,
    "credit card number": card,
    "e-mail address": lambda r: f"{digits(r, 5)}.x@mail{r.randrange(9)}.example",
    "telephone number": lambda r: f"+49 {r.randrange(100, 999)} {digits(r, 6)}",
    "UK national insurance number": lambda r: f"AB{digits(r, 6)}{r.choice('ABCD')}",
    "US social security number": lambda r: (
        f"{r.randrange(101, 665)}-{r.randrange(10, 99)}-1{digits(r, 3)}"
    ),
    "name of a person": lambda r: f"{r.choice(['Anna', 'Peter'])} {r.choice(['Berg', 'Falk'])}",
    "given name": lambda r: r.choice(["Anna", "Peter", "Maria", "Lukas", "Fatma", "Jose"]),
    "street address": lambda r: f"{r.choice(['Haupt', 'Berg', 'Garten'])}straße {r.randrange(99)}",
    "web address": lambda r: f"https://people.example/{digits(r, 5)}",
    "IP address": lambda r: ".".join(str(r.randrange(1, 255)) for _ in range(4)),
    "UUID": lambda r: "-".join(f"{r.getrandbits(4 * n):0{n}x}" for n in (8, 4, 4, 4, 12)),
    "hash": lambda r: f"a1{r.getrandbits(248):062x}",
    "coordinates": lambda r: f"{r.uniform(40, 60):.5f}, {r.uniform(0, 20):.5f}",
}  # fmt: skip


def planted(kind: str) -> list[str]:
    r = rng()
    found: list[str] = []
    while len(found) < N:
        one = PLANTED[kind](r)
        if one is not None:
            found.append(one)
    return sorted(set(found))


@pytest.mark.parametrize("kind", PLANTED)
def test_a_planted_identifier_is_found(kind: str) -> None:
    found = {one.kind: one for one in recognised("column", planted(kind))}
    assert kind in found
    assert found[kind].share == 1.0


@pytest.mark.parametrize("kind", PLANTED)
def test_it_is_found_among_some_others(kind: str) -> None:
    values = planted(kind)
    others = [f"other {i}" for i in range(len(values) // 4)]
    assert kind in {one.kind for one in recognised("column", values + others)}


@pytest.mark.parametrize("length", range(6, 19))
def test_random_digits_are_no_identifiers(length: int) -> None:
    """A check digit fits one number of ten; 60 % of 200 do with a chance below 10^-60."""
    r = rng()
    values = [r.choice("123456789") + digits(r, length - 1) for _ in range(200)]
    assert [one.kind for one in recognised("column", values) if one.check_digits] == []
    assert recognised("column", values) == ()


CHECKED = {one.name for one in NATIONAL_NUMBERS if one.checked} | {"IBAN", "credit card number"}


@pytest.mark.parametrize("kind", [kind for kind in PLANTED if kind in CHECKED])
def test_a_wrong_check_digit_is_no_identifier(kind: str) -> None:
    def spoiled(text: str) -> str:
        last = text[-1]
        if last.isdigit():
            return text[:-1] + str((int(last) + 1) % 10)
        return text[:-1] + ("A" if last != "A" else "B")

    values = [spoiled(text) for text in planted(kind)]
    assert kind not in {one.kind for one in recognised("column", values)}


@pytest.mark.parametrize(
    "values",
    [
        ["Alabama", "Alaska", "New York", "North Carolina", "Virginia", "West Virginia", "Ohio"],
        ["heart failure", "Type 2 diabetes", "Broken arm", "Flu"],
        ["2020-01-01", "2020-02-02", "2021-03-03"],
        ["A09.1", "J01.0", "E11.9", "C50.1"],
        ["10115", "80331", "20095", "50667"],
        ["10-19", "20-29", "30-39"],
        ["1.5", "2.25", "13.125", "44.5"],
        ["State-gov", "Self-emp-not-inc", "Private", "Federal-gov"],
        ["Holand-Netherlands", "Trinadad&Tobago", "Puerto-Rico", "United-States"],
    ],
)
def test_ordinary_values_are_no_identifiers(values: list[str]) -> None:
    assert recognised("column", values) == ()


def test_an_address_in_a_few_long_texts_is_found() -> None:
    values = [f"patient {i} came with a cough and was sent home" for i in range(50)]
    values[3] += ", write to her at anna@mail.example"
    assert [one.kind for one in recognised("note", values)] == ["e-mail address"]


@pytest.mark.parametrize("one", NATIONAL_NUMBERS, ids=lambda one: one.name)
def test_the_rules_exist(one: object) -> None:
    module, right = one.module, one.right  # type: ignore[attr-defined]
    assert (right is not None) != bool(module)
    if module:
        assert callable(import_module(f"stdnum.{module}").is_valid)
