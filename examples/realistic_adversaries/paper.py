"""What the paper prints: Table 5, and which of its numbers cannot be."""

from __future__ import annotations

TABLE_5: dict[tuple[int, ...], tuple[float, ...]] = {
    (5, 2, 1, 1): (1.13, 1.0, 1.1, 1.6, 1.5, 1),
    (4, 2, 1, 1): (105.8, 70.8, 2.9, 211.6, 118.9, 79.5),
    (5, 1, 1, 1): (1.57, 1.25, 1.1, 2.7, 2.38, 1.59),
    (5, 2, 1, 0): (1.32, 1.08, 1.1, 2.1, 1.81, 1.21),
    (5, 2, 0, 1): (1.69, 1.54, 1.3, 249.4, 1.69, 1.54),
    (3, 2, 1, 1): (105.8, 70.7, 2.9, 211.6, 119.0, 79.6),
    (4, 2, 1, 0): (377, 251.9, 11.1, 753.9, 407.0, 272.0),
    (4, 1, 1, 1): (213.4, 142.6, 6.9, 426.8, 229.8, 153.6),
    (5, 0, 1, 1): (15.3, 10.3, 1.3, 30.5, 17.7, 11.8),
    (5, 1, 1, 0): (3.01, 2.14, 1.1, 5.7, 4.38, 2.92),
    (5, 1, 0, 1): (4.71, 1.25, 3.6, 1157.1, 4.93, 3.29),
    (5, 2, 0, 0): (2.45, 1.69, 1.7, 526.8, 2.45, 1.69),
    (3, 1, 1, 1): (213.4, 142.6, 6.9, 426.8, 229.8, 153.5),
    (3, 2, 1, 0): (377, 251.9, 11.1, 753.9, 406.9, 271.9),
    (5, 0, 1, 0): (19.8, 13.3, 1.6, 55.9, 22.3, 14.9),
    (5, 1, 0, 0): (9.5, 6.34, 7.2, 2625.7, 9.72, 6.49),
    (5, 0, 0, 1): (21.7, 14.5, 21.8, 14.6, 21.8, 14.6),
}
"""Columns as in `census.SIX`."""

HIGH = 0.334
"""The share of high salaries in the paper's table."""


def table_breaks() -> list[tuple[int, ...]]:
    """Nodes whose printed numbers break the paper's own ordering of the classes.

    Class I lies below II and III, and class II grows with the stubbornness.
    """
    broken = []
    for node, (d, c, low, high, d_inf, c_inf) in TABLE_5.items():
        if d > d_inf or c > c_inf or low > high or max(d, c) > high:
            broken.append(node)
    return broken


def implied_size(node: tuple[int, ...]) -> float:
    """People in the group that decides, from A_d at a million and at infinity (rule R2)."""
    d, d_inf = TABLE_5[node][0], TABLE_5[node][4]
    return 1e6 * (d_inf - d) / (d - 1)


def implied_as_table(node: tuple[int, ...]) -> float:
    """What A_c at a million should then be."""
    x = implied_size(node) / 1e6
    return (TABLE_5[node][5] + x) / (1 + x)


def implied_any_shape(node: tuple[int, ...]) -> float:
    """What A_- at a million must at least be (rule R1)."""
    return 1 + 1e6 / implied_size(node)
