"""Measurements, run from a checkout: `python -m benchmarks --help`, or `make bench`.

They print ratios against a baseline of the same run. Nothing here is in the wheel.
"""

import os
import sys
from pathlib import Path

# The embedder that needs no model is the tests' own.
os.environ["EBBING_TESTING"] = "1"
_PLUGINS = str(Path(__file__).resolve().parents[1] / "tests" / "python" / "plugins")
if _PLUGINS not in sys.path:
    sys.path.append(_PLUGINS)
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (os.environ.get("PYTHONPATH"), _PLUGINS)))
