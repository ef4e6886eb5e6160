"""Extraction by a language model: optional, over any OpenAI-compatible chat API or any program.

What it finds are writes to the journal like any other; the SQL models decide what they are worth.
"""

from __future__ import annotations

from ebbing.llm_extraction.chat import ChatModel, Model, Reply
from ebbing.llm_extraction.limits import Limits
from ebbing.llm_extraction.prompt import PROMPT_VERSION
from ebbing.llm_extraction.run import Extracted, Refusal, estimate, extract

__all__ = [
    "PROMPT_VERSION",
    "ChatModel",
    "Extracted",
    "Limits",
    "Model",
    "Refusal",
    "Reply",
    "estimate",
    "extract",
]
