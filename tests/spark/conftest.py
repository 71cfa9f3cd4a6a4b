"""One Spark session for all tests of a run, and tables handed to it as they are."""

import warnings
from pathlib import Path

import pyarrow as pa
import pytest

SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.memory": "1g",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.sql.shuffle.partitions": "2",
    "spark.log.level": "OFF",
    "spark.sql.session.timeZone": "Asia/Kathmandu",  # of somebody's own session: it must not matter
}


def pytest_collection_modifyitems(items):
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.spark)
            # Spark closes its sockets when it likes.
            item.add_marker(pytest.mark.filterwarnings("ignore::ResourceWarning"))
            item.add_marker(pytest.mark.filterwarnings("ignore:PySpark does not yet fully"))


@pytest.fixture(scope="session")
def spark(tmp_path_factory):
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").appName("tests")
    for name, value in SETTINGS.items():
        builder = builder.config(name, value)
    folder = tmp_path_factory.mktemp("warehouse")
    session = builder.config("spark.sql.warehouse.dir", folder.as_uri()).getOrCreate()
    yield session
    session.stop()


@pytest.fixture(scope="session")
def framed(spark):
    """An Arrow table as a DataFrame with the types Spark has for them."""
    from pyspark.sql import types
    from pyspark.sql.pandas.types import from_arrow_type

    def frame(table):
        fields = []
        for field in table.schema:
            kind = (
                types.TimestampNTZType()
                if pa.types.is_timestamp(field.type) and field.type.tz is None
                else from_arrow_type(field.type)
            )
            fields.append(types.StructField(field.name, kind))
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="PySpark does not yet fully")
            return spark.createDataFrame(table, schema=types.StructType(fields))

    return frame
