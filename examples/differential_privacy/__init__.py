"""The diabetes example of the lecture slides: how many patients have diabetes, with noise.

From the folder above:

    python -m examples.differential_privacy --to out/
"""
