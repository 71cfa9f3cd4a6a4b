"""A bench for first guesses: public tables, labelled by hand, also written as real files are."""
