"""Side-by-side measurements: `python -m bench` runs them, `--write` puts them in docs/."""
