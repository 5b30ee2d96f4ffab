"""Compiled code: arrays in, arrays out; no files, no printing."""
