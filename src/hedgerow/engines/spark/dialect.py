"""Spark's own spelling of what SQL dialects do not share."""

from __future__ import annotations

from hedgerow.engines.spark.columns import identifier, literal


class SparkDialect:
    """Implements `hedgerow.engines.remote.Dialect`."""

    text = "STRING"

    def name(self, identifier_: str) -> str:
        return identifier(identifier_)

    def literal(self, text: str) -> str:
        try:
            return literal(text)
        except UnicodeEncodeError:
            return "CAST(NULL AS STRING)"

    def matches(self, sql: str, pattern: str) -> str:
        return f"regexp({sql}, {literal(_ended(pattern))})"

    def replaced(self, sql: str, pattern: str, by: str) -> str:
        groups = by.replace("\\", "$")
        return f"regexp_replace({sql}, {literal(_ended(pattern))}, {literal(groups)})"

    def bytewise(self, sql: str) -> str:
        return sql  # texts of columns with a collation of their own are read without it

    def md5(self, sql: str) -> str:
        return f"md5({sql})"

    def sha256(self, sql: str) -> str:
        return f"sha2({sql}, 256)"

    def total(self, sql: str) -> str:
        # Ten digits more than a number of 64 bits has; a sum of decimals has ten more again.
        return f"sum(CAST({sql} AS DECIMAL(28,0)))"

    def set_of(self, sql: str) -> str:
        return f"array_join(sort_array(collect_set({sql})), chr(31))"

    def sorted_text(self, sql: str) -> str:
        return f"array_join(sort_array(collect_list({sql})), '')"


def _ended(pattern: str) -> str:
    """Java's $ is also before a last line end."""
    return f"{pattern[:-1]}\\z" if pattern.endswith("$") else pattern
