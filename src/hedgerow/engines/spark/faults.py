"""What Spark says when something goes wrong, in one sentence: never its Java trace."""

from __future__ import annotations

import re

from hedgerow.base.errors import DataError, HedgerowError, TargetError

GONE = "the connection to Spark is lost"
LONGEST = 300
"""Characters of Spark's own sentence that are shown."""

LOST = re.compile(
    r"Connection refused|Connection reset|Broken pipe|Py4JNetwork|StatusCode\.UNAVAILABLE"
    r"|SparkContext (was|has been) shut down|stopped SparkContext|Answer from Java side is empty"
    r"|Error while sending or receiving|All masters are unresponsive|INVALID_HANDLE|Socket closed"
    r"|Cannot call methods on a stopped"
)
EXECUTOR = re.compile(
    r"ExecutorLostFailure|Lost executor|executor .{0,40}exited|MetadataFetchFailed"
)
FULL = re.compile(r"No space left on device|Disk quota exceeded")
FORBIDDEN = re.compile(r"Permission denied|AccessControlException|AccessDenied|INSUFFICIENT_PERM")
MEMORY = re.compile(r"OutOfMemoryError|MaxResultSize|bigger than spark\.driver\.maxResultSize")
UNREADABLE = re.compile(r"MALFORMED_RECORD|MALFORMED_CSV|CSV header does not conform")
LACKING = re.compile(
    r"ModuleNotFoundError: No module named '([\w.]+)'"
    r"|AttributeError: Can't get attribute '[\w.]+' on <module '(hedgerow[\w.]*)'"
)
OTHER_PYTHON = re.compile(r"PYTHON_VERSION_MISMATCH|different version:? \S+ than that in driver")
WORKER = re.compile(r"Python worker exited unexpectedly|\bMemoryError\b")
NO_PYTHON = re.compile(r'Cannot run program "([^"]+)"')
ABSENT = re.compile(r"PATH_NOT_FOUND|TABLE_OR_VIEW_NOT_FOUND|does not exist")


def translated(error: Exception, where: str, target: str | None = None) -> HedgerowError | None:
    """Spark's error in our words; None where it is none of Spark's.

    Args:
        error: What was raised.
        where: The source as messages name it.
        target: What was being written, if anything.
    """
    if isinstance(error, HedgerowError) or not _sparks(error):
        return None
    message = str(error)
    place = where if target is None else target
    kind = DataError if target is None else TargetError
    if (python := _of_python(message, where)) is not None:
        return python
    if FULL.search(message):
        return kind(
            "a disk that Spark writes to is full",
            where=place,
            fix="Make room on the target or on the executors' local folders (spark.local.dir).",
        )
    if FORBIDDEN.search(message):
        return kind(
            "Spark may not read or write here",
            where=place,
            fix="Ask for the permission, or choose another place.",
        )
    if MEMORY.search(message):
        return kind(
            "Spark's memory is too small for this",
            where=place,
            fix="Give the driver or the executors more memory (spark.driver.memory, "
            "spark.executor.memory).",
        )
    if EXECUTOR.search(message):
        return kind(
            "executors were lost, more often than Spark tries again",
            where=place,
            fix="Nothing was published. Look at the cluster, then start again.",
        )
    if LOST.search(message) or type(error).__name__ in (
        "ConnectionRefusedError",
        "Py4JNetworkError",
    ):
        return kind(
            GONE,
            where=place,
            fix="Nothing was published. See whether the master or the Connect server runs, "
            "then start again.",
        )
    if "HEDGEROW_NOT_UTF8" in message:
        return DataError(
            "this is not UTF-8",
            where=where,
            fix="Save the file as UTF-8, without the character U+FFFD.",
        )
    if UNREADABLE.search(message):  # Spark would quote the line, which is about somebody
        return DataError(
            "a line has more or fewer fields than the header, a quote is not closed, or files "
            "have different headers",
            where=where,
            fix="Give every line as many fields, and quote those that hold the separator.",
        )
    if ABSENT.search(message):
        return kind("Spark finds no such table or path", where=place, fix=_sentence(message))
    return kind(f"Spark cannot do this: {_sentence(message)}", where=place)


def _of_python(message: str, where: str) -> DataError | None:
    """What is said of the Python that executors run, which works on the parts of a table."""
    if lacking := LACKING.search(message):
        return DataError(
            f"the executors' Python cannot import {lacking[1] or lacking[2]!r} as it is here",
            where=where,
            fix="Install this version of hedgerow where the executors are. The environment "
            "variable PYSPARK_PYTHON says which Python they run; it is read when Spark is started.",
        )
    if OTHER_PYTHON.search(message):
        return DataError(
            "the executors run another version of Python than this machine",
            where=where,
            fix="Let them run the same: the environment variable PYSPARK_PYTHON says which Python "
            "they run; it is read when Spark is started.",
        )
    if found := NO_PYTHON.search(message):
        return DataError(
            f"the executors have no Python at {found[1]}",
            where=where,
            fix="Set the environment variable PYSPARK_PYTHON to one they have, with hedgerow.",
        )
    if WORKER.search(message):
        return DataError(
            "Python ended on an executor while it worked on a part, most likely for want of memory",
            where=where,
            fix="Let parts be smaller (`parts` in the plan's method), or give executors more room "
            "beside Java (spark.executor.memoryOverhead).",
        )
    return None


def _sparks(error: Exception) -> bool:
    homes = {cls.__module__.partition(".")[0] for cls in type(error).__mro__}
    return bool(homes & {"pyspark", "py4j", "grpc"}) or isinstance(error, ConnectionError)


def _sentence(message: str) -> str:
    """The first line that says something, without the classes and the trace."""
    lines = [line.strip() for line in message.splitlines()]
    told = [line for line in lines if line and not line.startswith(("at ", "An error occurred"))]
    if "from the Python worker" in message:  # its trace ends with the reason
        reasons = [line for line in told if re.match(r"[A-Za-z_.]*(Error|Exception): ", line)]
        told = reasons[-1:] or told
    # A task's failure has its cause in a line of its own, at the end.
    causes = [line.removeprefix("Caused by: ") for line in told if line.startswith("Caused by: ")]
    chosen = (causes or told or ["no reason is given"])[-1 if causes else 0]
    chosen = re.sub(r"^(?:[A-Za-z_$]+\.)+[A-Za-z_$]*(?:Exception|Error): ", "", chosen)
    chosen = re.sub(r"\s*SQLSTATE: \w+.*$", "", chosen)
    return chosen if len(chosen) <= LONGEST else chosen[:LONGEST] + "..."
