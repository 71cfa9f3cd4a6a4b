"""The house measured: modules, walls, cycles."""
