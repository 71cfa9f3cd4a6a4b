"""What attackers believe of one person of a group, by counting worlds.

The records that the attacker holds are taken away. The person has one of the others, each as likely
as the next, whatever the prior: that is p_in. An attacker whom nothing moves still believes their
prior where the record was taken out. For one who is moved the others' records are drawn from an
urn, and the person's value is the next to be drawn: Equation 9 of the paper.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from hedgerow.claims.belief_terms import Belief
from hedgerow.claims.worlds.belief import believed
from hedgerow.claims.worlds.knowledge import Knowledge

PERSON = 1
"""Of the two kinds of people: the others, and the person."""
TRUE = 0
"""Of the two values that count here: the predicate is true of the person, or false."""


def counted(belief: Belief) -> Belief:
    """The same belief, with what the worlds say.

    Of five people three have it, and the attacker holds the record of one who does not:

    >>> from fractions import Fraction
    >>> said = Belief(
    ...     predicate="flu", people=5, holders=3, unknown=4, unknown_holders=3,
    ...     expected=Fraction(1, 2), stubbornness=None, p_in=Fraction(3, 4),
    ...     p_out=Fraction(1, 2), epsilon=Fraction(2))
    >>> counted(said) == said
    True
    """
    has = belief.unknown_holders
    known = Knowledge.of_groups([[[has, max(0, belief.unknown - has)]]], [[[0]]], listed=False)
    p_in, _ = believed(known).between(0, TRUE)
    if belief.stubbornness is not None:
        return replace(belief, p_in=p_in, p_out=_without(belief))
    nowhere = Knowledge.of_groups([[[0, 0]]], [[[]]], listed=False)
    prior = replace(nowhere, weights=((belief.expected, 1 - belief.expected),))
    p_out, _ = believed(prior).between(0, TRUE)
    return replace(belief, p_in=p_in, p_out=p_out)


def _without(belief: Belief) -> Fraction:
    """The belief without the record; the claim's where worlds do not say it.

    These are the theorems' bounds, and what is certain before: an urn has a ball of each kind.
    """
    sigma, share = belief.stubbornness, belief.expected
    if sigma is None or belief.others is None or not 0 < share < 1 or min(belief.others) < 0:
        return belief.p_out
    group = Knowledge.of_groups([[belief.others]], [[[0], []]], people=[sum(belief.others), 1])
    drawn = replace(group, urn=(share * sigma, (1 - share) * sigma))
    # Only the person is asked about; how many of the others have what is in the urn already.
    for kinds, alone in drawn.apart():
        if PERSON in kinds:
            found, _ = believed(alone).between(int((kinds == PERSON).argmax()), TRUE)
            return found
    raise AssertionError("every kind is in a component")
