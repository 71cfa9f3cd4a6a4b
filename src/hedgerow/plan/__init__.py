"""The pieces the plan is made of: YAML with lines, checked fields, claims, columns, problems."""
