"""Tuples of codes packed into machine words, and grouping by hashing them.

Every column has a bit field; a tuple is one 64-bit word where the fields fit, several where
they do not. Equal words are equal tuples, so grouping is exact, never probabilistic.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.jit import kernel
from hedgerow.table.groups import Ints

Codes = NDArray[np.int32]
Words = NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class Layout:
    """Where each column's bit field is."""

    word: Ints
    shift: Ints
    mask: Words
    words: int

    @classmethod
    def of(cls, sizes: Sequence[int]) -> Layout:
        """Fields wide enough for `sizes[j]` codes in column j."""
        word, shift, mask = [], [], []
        current, used = 0, 0
        for size in sizes:
            bits = max(1, (max(size, 1) - 1).bit_length())
            if used + bits > 64:
                current, used = current + 1, 0
            word.append(current)
            shift.append(used)
            mask.append((1 << bits) - 1)
            used += bits
        return cls(
            np.array(word, np.int64), np.array(shift, np.int64), np.array(mask, np.uint64),
            current + 1,
        )  # fmt: skip

    def pack(self, codes: Codes) -> Words:
        """Tuples (rows of `codes`) as words."""
        packed = np.zeros((len(codes), self.words), np.uint64)
        for j in range(codes.shape[1]):
            packed[:, self.word[j]] |= codes[:, j].astype(np.uint64) << np.uint64(self.shift[j])
        return packed

    def unpack(self, packed: Words) -> Codes:
        """The tuples back."""
        codes = np.empty((len(packed), len(self.word)), np.int32)
        for j in range(len(self.word)):
            field = packed[:, self.word[j]] >> np.uint64(self.shift[j])
            codes[:, j] = (field & self.mask[j]).astype(np.int32)
        return codes


def distinct(codes: Codes, sizes: Sequence[int]) -> tuple[Ints, Ints]:
    """Group equal tuples: one representative row per group, and the group of each row.

    Groups are numbered in order of first appearance.
    """
    if codes.shape[1] == 0:
        size = min(1, len(codes))
        return np.zeros(size, np.int64), np.zeros(len(codes), np.int64)
    return hash_groups(Layout.of(sizes).pack(codes))


def canonical(codes: Codes, sizes: Sequence[int]) -> Ints:
    """An order of tuples that is the same however they were come upon.

    Later columns count first: rows with equal codes in the last columns stand together.
    """
    order: Ints = np.lexsort(Layout.of(sizes).pack(codes).T)
    return order


@kernel
def hash_groups(packed: Words) -> tuple[Ints, Ints]:
    """First row of each distinct tuple, and the group of each row (open addressing)."""
    rows, words = packed.shape
    capacity = 16
    while capacity < 2 * rows:
        capacity *= 2
    slot_mask = np.uint64(capacity - 1)
    table = np.full(capacity, -1, np.int64)
    first = np.empty(rows, np.int64)
    into = np.empty(rows, np.int64)
    size = 0
    for i in range(rows):
        h = np.uint64(0)
        for w in range(words):
            h = (h ^ packed[i, w]) * np.uint64(0x9E3779B97F4A7C15)
            h ^= h >> np.uint64(29)
        slot = h & slot_mask
        while True:
            g = table[slot]
            if g < 0:
                table[slot] = size
                first[size] = i
                into[i] = size
                size += 1
                break
            same = True
            for w in range(words):
                if packed[first[g], w] != packed[i, w]:
                    same = False
                    break
            if same:
                into[i] = g
                break
            slot = (slot + np.uint64(1)) & slot_mask
    return first[:size].copy(), into
