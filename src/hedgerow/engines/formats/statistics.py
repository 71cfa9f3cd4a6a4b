"""Files of SPSS, Stata and SAS, with their value labels and the values they declare missing.

A label is read in place of its code where that loses nothing: every value of the column has one,
and no two codes have the same. Two codes of one label stay apart, as `other (7)` and `other (8)`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from hedgerow.base.errors import DataError
from hedgerow.engines.formats.base import FORMATS, FileFormat, FileNotes
from hedgerow.engines.formats.isolation import FileTable, isolated, refuse_large
from hedgerow.engines.source_form import SourceForm, of_column

_READERS = {
    ".sav": "read_sav",
    ".zsav": "read_sav",
    ".por": "read_por",
    ".dta": "read_dta",
    ".sas7bdat": "read_sas7bdat",
    ".xpt": "read_xport",
}
"""By suffix, the function of pyreadstat."""
_WITHOUT_ENCODING = (".por",)
_WITHOUT_USER_MISSING = (".por", ".xpt")


def read(file: Path, table: str, form: SourceForm) -> FileTable:
    """The table of a file.

    Raises:
        DataError: It cannot be read.
    """
    suffix = file.suffix.lower()
    import pyreadstat

    reader = getattr(pyreadstat, _READERS[suffix])
    how: dict[str, Any] = {}
    if form.encoding is not None and suffix not in _WITHOUT_ENCODING:
        how["encoding"] = form.encoding
    declares = suffix not in _WITHOUT_USER_MISSING
    if declares:
        how["user_missing"] = True
    shape = _tried(lambda: reader(str(file), metadataonly=True, **_only(how, "encoding")), file)[1]
    refuse_large(shape.number_rows or 0, shape.number_columns or 0, file)
    found, meta = _tried(lambda: reader(str(file), output_format="dict", **how), file)
    import pyarrow as pa

    columns: list[Any] = []
    labels: dict[str, dict[str, str]] = {}
    labelled: dict[str, bool] = {}
    declared: dict[str, tuple[str, ...]] = {}
    notes: list[str] = []
    for name, given in found.items():
        values = _array(given)
        told = dict(meta.variable_value_labels.get(name, {}))
        missing = _declared(values, meta, name)
        if missing is not None:
            declared[name] = tuple(dict.fromkeys(_texts(values[missing].tolist())))
            if form.declared_missing is not False:
                values = _without(values, missing)
        column = _column(values)
        if told:
            shown = _labelled(column, told, of_column(form.labels, name))
            labels[name] = {_text(code): label for code, label in told.items()}
            labelled[name] = shown is not None and not isinstance(shown, str)
            if isinstance(shown, str):
                notes.append(f"{name} is read as codes: {shown}")
            elif shown is not None:
                column = shown
        columns.append(column)
    made = pa.Table.from_arrays(columns, names=[str(i) for i in range(len(columns))])
    about = FileNotes(labels=labels, labelled=labelled, declared=declared, notes=tuple(notes))
    return FileTable(made.rename_columns([str(name) for name in found]), about)


def _only(how: Mapping[str, Any], key: str) -> dict[str, Any]:
    return {key: how[key]} if key in how else {}


def _tried(work: Callable[[], Any], file: Path) -> Any:
    try:
        return work()
    except DataError:
        raise
    except Exception as error:  # the library has errors of several kinds
        raise DataError(
            f"cannot be read: {error}",
            where=str(file),
            fix="Check that its name ends as its kind, or say its `encoding` under `read`; or "
            "save it again in the program that wrote it.",
        ) from error


def _declared(values: Any, meta: Any, name: str) -> Any:
    """Which values the file declares missing; None where it declares none that are there."""
    import numpy as np

    ranges = (getattr(meta, "missing_ranges", None) or {}).get(name)
    marks = set((getattr(meta, "missing_user_values", None) or {}).get(name, ()))
    found = np.zeros(len(values), np.bool_)
    for part in ranges or ():
        low, high = part["lo"], part["hi"]
        if values.dtype == object:
            found |= np.array([_between(value, low, high) for value in values], np.bool_)
        else:
            found |= (values >= low) & (values <= high)
    if marks and values.dtype == object:
        found |= np.array([isinstance(v, str) and v in marks for v in values], np.bool_)
    return found if found.any() else None


def _between(value: Any, low: Any, high: Any) -> bool:
    try:
        return bool(low <= value <= high)
    except TypeError:
        return False


def _without(values: Any, missing: Any) -> Any:
    if values.dtype == object:
        kept = values.copy()
        kept[missing] = None
        return kept
    import numpy as np

    return np.where(missing, np.nan, values.astype(np.float64))


def _array(given: Any) -> Any:
    """Numbers as NumPy has them, everything else as objects."""
    import numpy as np

    kinds = {type(value) for value in given}
    if kinds == {int}:
        return np.array(given, np.int64)
    if kinds and kinds <= {int, float}:
        return np.array(given, np.float64)
    found = np.empty(len(given), object)
    found[:] = given
    return found


def _column(values: Any) -> Any:
    """An Arrow column; empty texts are missing, which these formats cannot tell apart."""
    import pyarrow as pa

    from hedgerow.engines.formats.typed_columns import column_of, doubles_of

    if values.dtype.kind == "f":
        return doubles_of(values)
    if values.dtype.kind in "iu":
        return pa.array(values)
    plain = [None if v is None or v == "" or v != v else v for v in values.tolist()]
    return column_of(plain)


def _labelled(column: Any, told: Mapping[Any, str], wanted: bool | None) -> Any:
    """The column of labels; None where they are not wanted, or why they cannot be read."""
    import pyarrow as pa

    if wanted is False:
        return None
    texts = _texts(column.to_pylist())
    names = _names(told)
    lost = sorted({text for text in texts if text is not None and text not in names})
    if lost and not wanted:
        return (
            f"{len(lost):,} of its values have no label, such as {lost[0]} "
            "(`labels: true` reads the labels that there are)"
        )
    clash = {names[text] for text in texts if text in names} & set(lost)
    if clash:
        return f"the label {min(clash)!r} is also a value"
    return pa.array([None if t is None else names.get(t, t) for t in texts], pa.string())


def _names(told: Mapping[Any, str]) -> dict[str, str]:
    """What each code is called; codes of the same label, and of none, are told apart.

    >>> _names({1.0: "yes", 2.0: "other", 3.0: "other "})
    {'1': 'yes', '2': 'other (2)', '3': 'other (3)'}
    """
    codes = {_text(code): str(label).strip() for code, label in told.items()}
    times: dict[str, int] = {}
    for label in codes.values():
        times[label] = times.get(label, 0) + 1
    names = {
        code: f"{label} ({code})" if times[label] > 1 else label or code
        for code, label in codes.items()
    }
    unique = len(set(names.values())) == len(names)
    return names if unique else {code: f"{label} ({code})" for code, label in codes.items()}


def _texts(values: Sequence[Any]) -> list[Any]:
    return [None if value is None else _text(value) for value in values]


def _text(value: Any) -> str:
    from hedgerow.engines.formats.typed_columns import text_of

    return text_of(value.item() if hasattr(value, "item") else value)


for _suffix, _title in (
    (".sav", "SPSS"), (".zsav", "SPSS"), (".por", "SPSS"), (".dta", "Stata"),
    (".sas7bdat", "SAS"), (".xpt", "SAS"),
):  # fmt: skip
    FORMATS.register(
        FileFormat(
            name=_suffix,
            title=_title,
            view=isolated(f"{__name__}:read", library="pyreadstat"),
            keys=frozenset({"labels", "declared_missing"})
            | ({"encoding"} if _suffix not in _WITHOUT_ENCODING else set()),
            empty_text=False,
        )
    )
