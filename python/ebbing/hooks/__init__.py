"""Hooks: what an agent runs at the turns of a session, and what it is given back.

process   one hook as a process: deadline, standard input and output, always exit code 0
options   what a hook is told on its command line
events    what the agents send, read into one shape
running   which hook does what
recalling memories for a session's start, and for a prompt
turns     the new turns of a transcript into the spool, each once
tools     commands that failed, and what worked in their place; commands takes them apart
state     what a session's hooks leave for one another
background maintenance in the background, one at a time

A hook writes to the spool alone, so that it never waits for whoever has the store; the next
writer, or maintenance, folds the spool in. Only the two that recall open the store, for reading.
"""
