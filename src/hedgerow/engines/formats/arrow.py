"""Arrow files and streams, which is what Feather is too."""

from __future__ import annotations

from pathlib import Path

from hedgerow.base.errors import DataError
from hedgerow.engines.formats.base import FORMATS, FileFormat
from hedgerow.engines.formats.isolation import FileTable, isolated, refuse_large
from hedgerow.engines.source_form import SourceForm


def read(file: Path, table: str, form: SourceForm) -> FileTable:
    """The table, checked whole: a damaged file must not pass for another table.

    Raises:
        DataError: It is no such file, or a damaged one.
    """
    import pyarrow as pa
    import pyarrow.feather as feather

    try:
        with file.open("rb") as content:
            start = content.read(6)
        if start.startswith(b"FEA1"):
            found = feather.read_table(str(file))
        else:
            with pa.OSFile(str(file)) as source:
                ipc = pa.ipc
                whole = start == b"ARROW1"
                found = (ipc.open_file(source) if whole else ipc.open_stream(source)).read_all()
        refuse_large(found.num_rows, found.num_columns, file)
        found.validate(full=True)
        columns = [
            column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column
            for column in found.columns
        ]
        plain = pa.Table.from_arrays(columns, names=[str(i) for i in range(len(columns))])
        return FileTable(plain.rename_columns(found.column_names))
    except (pa.ArrowException, OSError, ValueError) as error:
        raise DataError(
            f"is no Arrow file, or a damaged one: {str(error).splitlines()[0]}",
            where=str(file),
            fix="Write it again, or correct the end of its name.",
        ) from error


for _suffix in (".arrow", ".feather"):
    FORMATS.register(FileFormat(name=_suffix, title="Arrow", view=isolated(f"{__name__}:read")))
