"""Data as short text for a script; ``unpacking.js`` reads it."""

from __future__ import annotations

import json
import zlib
from base64 import b64encode


def packed(data: object) -> str:
    """Return JSON, deflated, in base64."""
    return pressed(json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode())


def pressed(data: bytes) -> str:
    """Return bytes, deflated, in base64."""
    press = zlib.compressobj(9, wbits=-zlib.MAX_WBITS)
    return b64encode(press.compress(data) + press.flush()).decode("ascii")
