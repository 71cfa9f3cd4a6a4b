"""Signs of sums of logarithms, against powers of whole numbers."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from hedgerow.claims.logarithms import sign_of_logarithms

terms = st.lists(
    st.tuples(
        st.integers(-12, 12),
        st.fractions(min_value=Fraction(1, 60), max_value=60, max_denominator=60),
    ),
    max_size=5,
)


def sign(x: Fraction) -> int:
    return (x > 0) - (x < 0)


@given(terms=terms)
def test_against_the_product_itself(terms: list[tuple[int, Fraction]]) -> None:
    product = Fraction(1)
    for weight, base in terms:
        product *= base**weight
    assert sign_of_logarithms(terms) == sign(product - 1)


@given(a=st.integers(1, 200), b=st.integers(1, 200), k=st.integers(1, 50))
def test_ties_are_ties(a: int, b: int, k: int) -> None:
    """(ab)^k = a^k b^k, whatever the factors have in common."""
    assert sign_of_logarithms([(k, a * b), (-k, a), (-k, b)]) == 0


def test_differences_beyond_any_double_are_seen() -> None:
    huge = 10**60
    assert sign_of_logarithms([(1, huge + 1), (-1, huge)]) == 1
    assert sign_of_logarithms([(1, huge), (-1, huge + 1)]) == -1
    assert sign_of_logarithms([(1, Fraction(huge + 1, huge))], Fraction(1, huge)) == -1
    assert sign_of_logarithms([(1, Fraction(huge + 1, huge))], Fraction(1, huge + 1)) == 1


def test_against_a_rational_number() -> None:
    """Convergents of e lie on alternating sides of it."""
    assert sign_of_logarithms([(1, Fraction(193, 71))], 1) == 1
    assert sign_of_logarithms([(1, Fraction(1264, 465))], 1) == -1
    assert sign_of_logarithms([(1, Fraction(1457, 536))], 1) == 1
    assert sign_of_logarithms([(1, 1)], 0) == 0
    assert sign_of_logarithms([], 0) == 0
    assert sign_of_logarithms([], Fraction(1, 3)) == -1
