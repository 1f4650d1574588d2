from __future__ import annotations
from typing import Any
def to_document(*a: Any, **k: Any) -> Any:
    raise NotImplementedError
