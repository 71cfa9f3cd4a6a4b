"""The `hedgerow` command, and `python -m hedgerow`."""

import sys


def main() -> None:
    """Run it; whoever interrupts it while it is still loaded sees no traceback either."""
    try:
        from hedgerow.cli import main as command
    except KeyboardInterrupt:
        sys.stderr.write("hedgerow: interrupted before anything was done\n")
        sys.exit(130)
    command()


if __name__ == "__main__":
    main()
