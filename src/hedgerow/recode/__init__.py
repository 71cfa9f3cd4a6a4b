"""How a recoding is chosen: which people form a group, and what it is published as."""
