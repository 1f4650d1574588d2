"""Ordinary scenes, exported and judged by players that are not the extension's: `make scenes`."""
