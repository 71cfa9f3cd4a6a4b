"""Spark: for data beyond one machine. PySpark is loaded when the first such table is opened."""

from __future__ import annotations

from hedgerow.engines.spark.remote import SparkRemote, open_frame, open_spark

__all__ = ["SparkRemote", "open_frame", "open_spark"]
