"""Recognition, synthesis and voice activity: one module an engine, and where their weights are found.

Nothing here imports a model library at import time: an engine's library loads when its first model does.
"""

from __future__ import annotations

__all__: list[str] = []
