"""How PostgreSQL spells what the dialects do not share."""

from __future__ import annotations

from hedgerow.engines.session import identifier


class PostgreSQL:
    """Text is compared by bytes everywhere: other orders differ from server to server."""

    text = "text"

    def name(self, name: str) -> str:
        return identifier(name)

    def literal(self, text: str) -> str:
        r"""A constant.

        >>> PostgreSQL().literal("it's \\"), PostgreSQL().literal("\0")
        ("'it''s \\'", 'NULL')
        """
        try:
            text.encode()
        except UnicodeEncodeError:
            return "NULL"
        return "NULL" if "\0" in text else "'" + text.replace("'", "''") + "'"

    def matches(self, sql: str, pattern: str) -> str:
        return f"{sql} ~ {self.literal(pattern)}"

    def replaced(self, sql: str, pattern: str, by: str) -> str:
        return f"regexp_replace({sql}, {self.literal(pattern)}, {self.literal(by)}, 'g')"

    def bytewise(self, sql: str) -> str:
        return f'({sql}) COLLATE "C"'

    def md5(self, sql: str) -> str:
        return f"md5(convert_to({sql}, 'UTF8'))"

    def sha256(self, sql: str) -> str:
        return f"encode(sha256(convert_to({sql}, 'UTF8')), 'hex')"

    def total(self, sql: str) -> str:
        return f"sum(CAST({sql} AS bigint))"

    def set_of(self, sql: str) -> str:
        ordered = self.bytewise(sql)
        return f"string_agg(DISTINCT {ordered}, chr(31) ORDER BY {ordered})"

    def sorted_text(self, sql: str) -> str:
        return f"string_agg({sql}, '' ORDER BY {self.bytewise(sql)})"
