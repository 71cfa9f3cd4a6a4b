"""First guesses about a table: roles, whose rows they are, claims, and what has to be asked."""
