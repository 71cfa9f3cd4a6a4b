"""Machanavajjhala, Kifer: Designing statistical privacy for your data (CACM 2015), with Blowfish.

Its figure and examples, done again with Hedgerow. From the folder above:

    python -m examples.blowfish --to out/
"""
