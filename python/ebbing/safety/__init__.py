"""Text that is safe to keep: cleaned, and without secrets."""
