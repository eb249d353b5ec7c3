"""Data as short text for a script; ``unpacking.js`` reads it."""

from __future__ import annotations

import json
import zlib
from base64 import b64encode


def packed(data: object) -> str:
    """Return JSON, deflated, in base64."""
    press = zlib.compressobj(9, wbits=-zlib.MAX_WBITS)
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return b64encode(press.compress(text.encode()) + press.flush()).decode("ascii")
