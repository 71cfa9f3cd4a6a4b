"""PostgreSQL: tables that stay in their database."""
