"""Safe k-anonymisation as a release: a plan, a sample, a table that is differentially private."""
