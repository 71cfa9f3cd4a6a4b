"""What all releases that spend have in common: made from what the ledger keeps, and checked."""
