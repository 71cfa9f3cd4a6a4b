"""Ganta, Kasiviswanathan, Smith: Composition attacks and auxiliary information (KDD 2008).

Its experiments on two censuses, done again with Hedgerow. From the folder above:

    python -m examples.composition_attacks --to out/
"""
