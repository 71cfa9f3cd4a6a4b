"""What Spark says at length is said in a sentence, with what to do."""

import pytest

from hedgerow.base.errors import DataError, TargetError
from hedgerow.engines.spark.driver import Driver
from hedgerow.engines.spark.faults import translated

TRACE = "\n\tat org.apache.spark.scheduler.DAGScheduler.abortStage(DAGScheduler.scala:1)\n" * 40
STAGE = (
    "Job aborted due to stage failure: Task 0 in stage 1.0 failed 4 times, most recent failure: "
)
SAID = {
    f"{STAGE}ExecutorLostFailure (executor 3 exited): worker lost{TRACE}": "executors were lost",
    f"{STAGE}java.io.IOException: No space left on device{TRACE}": "Spark writes to is full",
    f"java.io.FileNotFoundException: /x (Permission denied){TRACE}": "may not read or write",
    f"{STAGE}java.lang.OutOfMemoryError: Java heap space{TRACE}": "memory is too small",
    "<_InactiveRpcError of RPC that terminated with: status = StatusCode.UNAVAILABLE": "is lost",
    f"[PATH_NOT_FOUND] Path does not exist: file:/x. SQLSTATE: 42K03{TRACE}": "no such table",
    f"[MALFORMED_RECORD_IN_PARSING] Malformed: [Ann,plague]{TRACE}": "more or fewer fields",
    f"{STAGE}[PYTHON_VERSION_MISMATCH] Python in worker has different": "another version of Python",
    f'{STAGE}java.io.IOException: Cannot run program "python9": error=2{TRACE}': "at python9",
    f"{STAGE}Traceback:\nModuleNotFoundError: No module named 'hedgerow'{TRACE}": "cannot import",
    f"{STAGE}Traceback:\nMemoryError{TRACE}": "for want of memory",
    f"An error occurred\n: org.apache.spark.X: y{TRACE}\nCaused by: java.io.Z: why{TRACE}": "why",
}


def spoken(message):
    from pyspark.errors import PySparkRuntimeError

    class SpokenError(PySparkRuntimeError):
        def __str__(self):
            return message

    return SpokenError(message=message, errorClass=None, messageParameters=None)


@pytest.mark.parametrize("message", SAID)
def test_one_sentence(message):
    found = translated(spoken(message), "the source")
    assert isinstance(found, DataError)
    assert SAID[message] in found.what
    assert found.where == "the source"
    assert len(str(found)) < 700
    assert "DAGScheduler" not in str(found)
    assert "plague" not in str(found), "nobody's line is shown"


def test_a_target_is_named_where_one_is_written():
    found = translated(spoken("No space left on device"), "the source", "the target")
    assert isinstance(found, TargetError)
    assert found.where == "the target"


def test_errors_of_our_own_are_left_alone():
    assert translated(DataError("ours"), "x") is None
    assert translated(ValueError("a bug"), "x") is None
    assert translated(ConnectionRefusedError("gone"), "x").what == "the connection to Spark is lost"


def test_who_interrupts_stops_the_cluster_too():
    asked = []

    class Session:
        def addTag(self, tag):
            asked.append(tag)

        def interruptTag(self, tag):
            asked.append(tag)

    def interrupted():
        raise KeyboardInterrupt

    driver = Driver(Session(), "x")
    with pytest.raises(KeyboardInterrupt):
        driver.run(interrupted)
    assert len(asked) == 2
    assert len(set(asked)) == 1


def test_a_lost_server_is_not_asked_to_clean_up():
    asked = []

    class Session:
        def __getattr__(self, name):
            asked.append(name)
            raise ConnectionRefusedError

    def lost():
        raise ConnectionRefusedError

    driver = Driver(Session(), "x")
    with pytest.raises(DataError, match="is lost"):
        driver.run(lost)
    assert asked == ["addTag"]
    driver.close()
    assert asked == ["addTag"]
