"""Questions to the memory, and what comes back: rows, a block for a prompt, explanations."""
