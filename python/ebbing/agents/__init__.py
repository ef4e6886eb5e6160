"""The agents that ebbing works with, a file for each: all that is peculiar to one is there.

agent       what an agent is: its files, its events, its transcript, the shape of its answers
registry    the agents by name
claude_code, codex, opencode, cursor, gemini, qwen, agents_md
files       the shapes of the files that an agent is set up in
jsonc, toml adding to and taking out of files that others write to as well
setup       the plan of changes, the difference, applying it
receipts    what was inserted where, so that removal restores the very bytes
namespaces  the namespace of a project
checkup     what is found of them on this machine
"""
