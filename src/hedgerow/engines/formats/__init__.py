"""Import formats: one file each; `FORMATS` has them by suffix."""

from hedgerow.engines.formats.base import (
    COMPRESSED,
    FORMATS,
    FileFormat,
    SourceFiles,
    SourceView,
    columns_of,
    format_of,
    path_literal,
    readable,
    show,
    suffix_of,
    table_of,
    unclashing,
    uploadable,
)

# Each registers its formats; in the order in which messages list them.
# isort: off
from hedgerow.engines.formats.csv import DELIMITERS
from hedgerow.engines.formats.parquet import PARQUET, parquet_names, single_file
from hedgerow.engines.formats.duckdb import DUCKDB
from hedgerow.engines.formats import excel, statistics, json_lines, arrow, sqlite
# isort: on

__all__ = [
    "COMPRESSED",
    "DELIMITERS",
    "DUCKDB",
    "FORMATS",
    "PARQUET",
    "FileFormat",
    "SourceFiles",
    "SourceView",
    "arrow",
    "columns_of",
    "excel",
    "format_of",
    "json_lines",
    "parquet_names",
    "path_literal",
    "readable",
    "show",
    "single_file",
    "sqlite",
    "statistics",
    "suffix_of",
    "table_of",
    "unclashing",
    "uploadable",
]
