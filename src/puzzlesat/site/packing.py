"""Data as short text for a script; ``unpacking.js`` reads it."""

from __future__ import annotations

import json
import zlib
from base64 import b64encode


def packed(data: object) -> str:
    """Return JSON, deflated, in base64."""
    return packed_bytes(json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode())


def packed_bytes(plain: bytes) -> str:
    """Return bytes, deflated, in base64. How often the code changes is tried: long data of several kinds want it often."""
    presses = [zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS, memory) for memory in (3, 4, 5, 8)]
    return b64encode(min((press.compress(plain) + press.flush() for press in presses), key=len)).decode("ascii")
