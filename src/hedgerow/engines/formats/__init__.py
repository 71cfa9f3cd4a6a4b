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
    "columns_of",
    "format_of",
    "parquet_names",
    "path_literal",
    "readable",
    "show",
    "single_file",
    "suffix_of",
    "table_of",
    "unclashing",
    "uploadable",
]
