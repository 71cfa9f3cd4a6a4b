"""Codings: columns that are published otherwise than they are judged: PRAM, swaps, group means."""
