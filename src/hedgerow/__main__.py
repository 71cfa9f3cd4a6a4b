"""The `hedgerow` command, and `python -m hedgerow`."""

import gc
import sys

OBJECTS = 100_000
"""So many new objects are made before Python looks for garbage among them; usually it is 700."""


def main() -> None:
    """Run it; whoever interrupts it while it is still loaded sees no traceback either."""
    try:
        from hedgerow.base.lean_imports import import_lean
        from hedgerow.cli import main as command
    except KeyboardInterrupt:
        sys.stderr.write("hedgerow: interrupted before anything was done\n")
        sys.exit(130)
    import_lean()
    # What a command imports stays until it ends: to look for garbage in it takes a third as long as
    # all the rest.
    gc.set_threshold(OBJECTS, 20, 20)
    command()


if __name__ == "__main__":
    main()
