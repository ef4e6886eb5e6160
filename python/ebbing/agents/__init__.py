"""Setting up agents: their own files, changed as little as can be, and changed back.

namespaces  the namespace of a project folder
json_text   inserting into and removing from JSON and JSONC, as text
toml_text   the same for one table of TOML
config      what each agent is given, and where
setup       the plan of changes, the difference, applying it
receipts    what was inserted where, so that removal restores the very bytes
"""
