"""The steps of the app, each a module with a STEP and a router; found by their being here."""
