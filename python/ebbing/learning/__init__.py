"""What tasks, ratings and corrections tell the memory."""
