"""Tables of people: roles, hierarchies, groups, and what a published table says."""
