"""Randomised releases: tables of counts with noise that agree, and made-up rows that fit them."""
