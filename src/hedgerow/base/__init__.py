"""What every room stands on: errors, exact numbers, canonical JSON, filters, delivery of files."""
