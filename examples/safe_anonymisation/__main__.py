"""Run it: `python -m examples.safe_anonymisation`."""

from __future__ import annotations

import argparse

from examples.safe_anonymisation import attack
from examples.safe_anonymisation.town import EXTREME, K


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m examples.safe_anonymisation",
        description="Is the one of 97 in the table? Ask ordinary k-anonymous releases, and a safe "
        "one.",
    )
    parser.add_argument("--games", type=int, default=20, help="safe releases that are attacked")
    options = parser.parse_args(arguments)
    print(f"6,000 people between 20 and 49, and perhaps one of {EXTREME}. A coin is right in half "
          f"of all games.\n\n{K}-anonymous, as usual:")  # fmt: skip
    for game in attack.all_ordinary():
        print(f"  {game.method:17} right in {game.right} of {game.of}; tells: "
              f"{', '.join(game.telling) or 'by what is missing'}")  # fmt: skip
    mechanism = attack.promised()
    print(f"\nSafe: epsilon 1, delta 1e-6, 0.8 of all people drawn, groups under {mechanism.k} "
          "left out:")  # fmt: skip
    game = attack.on_safe(options.games)
    print(f"  {game.method:17} right in {game.right} of {game.of}; tells: "
          f"{', '.join(game.telling) or 'nothing'}")  # fmt: skip
    print("\nAn attacker who also counts rows is right, at best, with probability")
    print(f"  {float(attack.crowd()):.3f} about one of {attack.CROWD:,} between 20 and 29,")
    people, told = attack.worst()
    print(f"  {float(told.success):.3f} about one of {people}, the worst group there is,")
    print(f"  {float(told.bound):.3f} whatever is done: the promise.")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
