"""Machanavajjhala, Gehrke, Goetz: Data publishing against realistic adversaries (VLDB 2009).

Its worked example and its experiment, done again with Hedgerow. From the folder above:

    python -m examples.realistic_adversaries --to out/
"""
