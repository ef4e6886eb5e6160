"""A LangGraph store over the memory."""
