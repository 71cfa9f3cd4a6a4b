"""Code books say what codes mean; hostile ones are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from hedgerow.base.errors import DataError
from hedgerow.base.safe_xml import DEEPEST, read_xml
from hedgerow.table.code_books import CodedColumn, from_value_labels, read_code_book

DDI = """\
<?xml version="1.0" encoding="UTF-8"?>
<codeBook xmlns="ddi:codebook:2_5" version="2.5"><dataDscr>
 <var ID="V1" name="marst"><labl>Marital status</labl>
  <catgry><catValu>1</catValu><labl>Married, spouse present</labl></catgry>
  <catgry><catValu>2</catValu><labl>Married, spouse
     absent</labl></catgry>
  <catgry><catValu>6</catValu><labl>Never married</labl></catgry>
  <catgry missing="Y"><catValu>9</catValu><labl>Unknown</labl></catgry>
 </var>
 <var ID="V2" name="income"><labl>Income</labl></var>
</dataDscr></codeBook>
"""


def written(folder: Path, text: str | bytes, name: str = "book.xml") -> Path:
    file = folder / name
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file


def test_ddi(tmp_path: Path) -> None:
    book = read_code_book(written(tmp_path, DDI))
    assert list(book.columns) == ["marst"]
    column = book.column("MARST")
    assert column.labels["2"] == "Married, spouse absent"
    assert column.missing == ("9",)
    assert column.domain == ("1", "2", "6")
    h = column.spec().bind("marst", ["1", "6", None])
    row = [h.labels[level][h.codes[level][h.place["2"]]] for level in range(h.height + 1)]
    assert row == ["2", "Married, spouse absent", "Married ..", "*"]
    # Whoever codes "6" is not below the word.
    top = [h.labels[2][h.codes[2][h.place[code]]] for code in ("1", "2", "6")]
    assert top == ["Married ..", "Married ..", "Never married"]


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_csv(tmp_path: Path, delimiter: str) -> None:
    lines = ["Variable,Value,Label", "sex,1,male", "sex,2,female", "ward,A,"]
    text = "\n".join(line.replace(",", delimiter) for line in lines)
    book = read_code_book(written(tmp_path, text, "book.csv"))
    assert book.column("sex").labels == {"1": "male", "2": "female"}
    assert book.column("ward").labels == {"A": "A"}
    assert book.column("ward").spec().bind("ward", ["A"]).values == ("A",)


def test_value_labels_of_spss_and_stata() -> None:
    book = from_value_labels({"q1": {1.0: "yes", 2.0: "no", -9.0: "refused"}}, {"q1": [-9]})
    assert book.column("q1").domain == ("1", "2")
    assert book.column("q1").missing == ("-9",)


def test_codes_of_one_label_are_one() -> None:
    h = CodedColumn({"1": "yes", "Y": "yes", "2": "no"}).spec().bind("x", ["1"])
    assert h.labels[1] == ("yes", "no")


def test_a_label_that_is_a_code_gets_another_name() -> None:
    h = CodedColumn({"1": "2", "2": "3"}).spec().bind("x", ["1", "2"])
    assert h.labels[1] == ("2 values", "3")


def test_what_is_wrong_is_said(tmp_path: Path) -> None:
    for text, name, what in (
        ("a,b\n1,2\n", "b.csv", "does not name the columns"),
        ("variable,code,label\nx,1\n", "b.csv", "2 column"),
        ("variable,code,label\nx,1,a\nx,1,b\n", "b.csv", "stands there already"),
        (b"variable,code,label\nx,1,\xff\n", "b.csv", "not UTF-8"),
        ("<codeBook/>", "b.xml", "no variables with categories"),
        ("<codeBook>", "b.xml", "not well-formed"),
    ):
        with pytest.raises(DataError, match=what):
            read_code_book(written(tmp_path, text, name))
    with pytest.raises(DataError, match="Did you mean 'marst'"):
        read_code_book(written(tmp_path, DDI)).column("marts")
    with pytest.raises(DataError, match="cannot be read"):
        read_code_book(tmp_path / "none.xml")


ENTITIES = "".join(f'<!ENTITY x{i} "{f"&x{i - 1};" * 10}">' for i in range(1, 10))
BOMB = f'<!DOCTYPE a [<!ENTITY x0 "ha">{ENTITIES}]><codeBook>&x9;</codeBook>'
OUTSIDE = """<?xml version="1.0"?><!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>
<codeBook><var name="x"><catgry><catValu>1</catValu><labl>&x;</labl></catgry></var></codeBook>"""


@pytest.mark.parametrize("text", [BOMB, OUTSIDE, '<!DOCTYPE a SYSTEM "http://x/a.dtd"><a/>'])
def test_entities_are_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(DataError, match="document type"):
        read_code_book(written(tmp_path, text))


def test_depth_size_and_encoding_are_limited() -> None:
    deep = b"<a>" * (DEEPEST + 1) + b"</a>" * (DEEPEST + 1)
    with pytest.raises(DataError, match="inside each other"):
        read_xml(deep, where="x.xml")
    with pytest.raises(DataError, match="at most 5"):
        read_xml(b"<a></a>", where="x.xml", largest=5)
    with pytest.raises(DataError, match="XML"):
        read_xml(b'<?xml version="1.0" encoding="nothing"?><a/>', where="x.xml")
    assert read_xml('<?xml version="1.0" encoding="utf-16"?><a/>'.encode("utf-16"),
                    where="x.xml").tag == "a"  # fmt: skip
