"""Releases: how one is made, written, judged, certified, recorded and verified."""
