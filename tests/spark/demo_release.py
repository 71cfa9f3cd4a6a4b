"""Publish the demo's plan from wherever an address says the patients are; a program of its own.

Spark allows one kind of session in a process, so each address gets a process.

    python demo_release.py FOLDER SOURCE
"""

import sys
from pathlib import Path

from hedgerow import publish
from hedgerow.plan.plan import Plan


def release(folder, source, to):
    """Publish the plan in a folder from this source to that folder."""
    text = (folder / "plan.yaml").read_text("utf-8")
    text = text.replace("source: patients.csv", f'source: "{source}"')
    plan = Plan.parse(text, name="plan.yaml", folder=folder)
    return publish(plan, to=to)


if __name__ == "__main__":
    release(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]))
