"""What all releases with a price have in common: made from what the ledger keeps, and checked."""
