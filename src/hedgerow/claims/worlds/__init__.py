"""Worlds: who may have which value, given everything an attacker can read of several releases."""
