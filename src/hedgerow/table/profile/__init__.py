"""The profile of a table: what its columns hold, and how far they tell people apart."""
