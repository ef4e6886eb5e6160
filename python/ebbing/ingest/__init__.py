"""Readers of session logs: each yields messages one by one, in bounded memory.

A reader changes nothing and decides nothing: it yields a `ParsedMessage` for what it could read
and a `BadLine` for what it could not, in the order of the file. Contents are cleaned, not redacted.

reading     opens the reader that a file needs
detection   recognises a format from a file's beginning
formats     the formats by name, those that packages add among them
"""
