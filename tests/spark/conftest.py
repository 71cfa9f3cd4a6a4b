"""Everything here starts Spark."""

from functools import partial
from pathlib import Path

import pytest
import spark_tables


def pytest_collection_modifyitems(items):
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.spark)


@pytest.fixture(scope="session")
def framed(spark):
    """An Arrow table as a DataFrame."""
    return partial(spark_tables.framed, spark)
