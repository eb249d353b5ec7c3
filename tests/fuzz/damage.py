"""Strategies for malformed values and for damaged files."""

from __future__ import annotations

import json
import re
import types
import typing

from hypothesis import strategies as st
from pydantic import BaseModel

LARGE = [2**31 - 1, 2**31, 2**32, -(2**31) - 1, 2**63 - 1, 2**63, 10**18, -(10**18), 10**30, 10**100, 10**999]
NUMBERS = st.one_of(st.integers(-3, 9), st.sampled_from([0, -1, 1, *LARGE]))
ODD_TEXTS = st.one_of(
    st.sampled_from(["", " ", "\n", "\x00", "\ufeff", "\u2028", "1" * 5000, "A" * 3000]),
    st.sampled_from([".", "@", "#", "é", "١٢", "1e999999999", "1/0", "../x", "/"]),
    st.text(max_size=6),
)
ODD = st.recursive(
    st.one_of(NUMBERS, st.booleans(), st.floats(), ODD_TEXTS),
    lambda inside: st.lists(inside, max_size=3) | st.dictionaries(ODD_TEXTS, inside, max_size=3),
    max_leaves=6,
)
"""Anything that TOML can say."""
TOKEN = re.compile(r"[A-Za-z_]+|[0-9]+|\s+|.", re.DOTALL)
NUMBER = re.compile(r"-?\d+")
BYTES = [b"\x00", b"\xff", b"\xef\xbb\xbf", b"\r", b"\xc3", b"\n\n", b"{" * 30, b"\xe2\x80\xa8", *(bytes([byte]) for byte in b"\"[<&'|:~-")]
WORDS = [
    *["0", "-1", "99999999999", "1.5", "1e400", "nan", "inf", "true", "null", "10000", "2147483648", "18446744073709551616", "١"],
    *['""', "[]", "{}", "[[[[[[[[[[[[", "&amp;", "<a>", "é", "all", "any", "none", "#", "@", "|", ":", ";", "=", ">=", "~x1"],
    *("p cnf", "\x00", "\ud800", "1" * 5000),
]


@st.composite
def damaged(draw, texts):
    """The bytes of a valid text with some tokens deleted, doubled, exchanged or replaced, and with some extra bytes."""
    text = draw(st.sampled_from(texts))
    tokens = TOKEN.findall(text)
    for _ in range(draw(st.integers(1, 4))):
        if not tokens:
            break
        i, j = (draw(st.integers(0, len(tokens) - 1)) for _ in range(2))
        numbers = [k for k, token in enumerate(tokens) if NUMBER.fullmatch(token)]
        match draw(st.sampled_from(["delete", "double", "exchange", "replace", "number", "number", "cut", "repeat"])):
            case "delete":
                del tokens[min(i, j) : max(i, j) + 1 if abs(i - j) < 20 else min(i, j) + 1]
            case "double":
                tokens.insert(i, tokens[j])
            case "exchange":
                tokens[i], tokens[j] = tokens[j], tokens[i]
            case "replace":
                tokens[i] = draw(st.sampled_from(WORDS))
            case "number" if numbers:
                tokens[draw(st.sampled_from(numbers))] = draw(st.sampled_from(WORDS) | NUMBERS.map(str))
            case "cut":
                del tokens[i:]
            case "repeat":
                tokens[i:i] = tokens[i : i + 5] * draw(st.integers(1, 200))
    data = "".join(tokens).encode("utf-8", "surrogatepass")
    if draw(st.integers(0, 3)) == 0:
        at = draw(st.integers(0, len(data)))
        data = data[:at] + draw(st.sampled_from(BYTES) | st.binary(max_size=4)) + data[at:]
    if draw(st.integers(0, 15)) == 0:
        data = data.decode("utf-8", "replace").encode(draw(st.sampled_from(["utf-16", "utf-32", "latin-1", "utf-16-le"])), "replace")
    return data


def table(schema: type[BaseModel], odd: float = 0.1):
    """Generate tables that match the annotations of a schema, so new fields are included automatically. Some values are malformed."""
    fields = {field.alias or name: field for name, field in schema.model_fields.items()}
    own = {
        name: st.one_of(*[value_of(field.annotation, field.metadata, odd)] * round(1 / odd), ODD)
        if odd
        else value_of(field.annotation, (), 0)
        for name, field in fields.items()
    }
    required = {name: own[name] for name, field in fields.items() if field.is_required()}
    optional = {name: own[name] for name in own if name not in required}
    return st.fixed_dictionaries(required, optional=optional).map(lambda t: {k: v for k, v in t.items() if v is not None})


def value_of(annotation, metadata=(), odd: float = 0.1):
    """Values of the type that an annotation states, as TOML has them."""
    origin, inside = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        return value_of(inside[0], inside[1:], odd)
    if origin is typing.Literal:
        return st.sampled_from(inside)
    if origin in (typing.Union, types.UnionType):
        return st.one_of(*(value_of(a, (), odd) for a in inside if a is not type(None)))
    if origin in (list, frozenset, set):
        return st.lists(value_of(inside[0], (), odd), max_size=4)
    if origin is tuple:
        return st.tuples(*(value_of(a, (), odd) for a in inside if a is not Ellipsis)).map(list)
    if origin is dict:
        return st.dictionaries(NAMES, value_of(inside[1], (), odd), max_size=3)
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return st.deferred(lambda: table(annotation, odd))
    if annotation is bool:
        return st.booleans()
    if annotation is int:
        return st.integers(-2, 6) | NUMBERS
    if annotation is str:
        return NAMES | PICTURES
    if annotation is type(None):
        return st.nothing()
    return st.integers(-2, 4) | st.sampled_from(["1/2", "all", "any", "none", "1/0", "1e9"])


KNOWN = ["A", "B", "square", "cube", "hexagon", "square-marks", "balls", "pentominoes", "face", "s", "1", "title", "0", "01", "A.1@1.1"]
NAMES = st.sampled_from([*KNOWN, "inner slot"]) | ODD_TEXTS
PICTURES = st.text("#.AB \n+◤", max_size=20)


def toml(value, top=True):
    """A table as TOML in the plainest form: one key a line, and everything else inline."""
    if isinstance(value, dict):
        pairs = [f"{_text(key)} = {toml(inside, False)}" for key, inside in value.items()]
        return "".join(f"{pair}\n" for pair in pairs) if top else "{" + ", ".join(pairs) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(toml(inside, False) for inside in value) + "]"
    if isinstance(value, str):
        return _text(value)
    return str(value).lower() if isinstance(value, bool) else repr(value)


def _text(value):
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
