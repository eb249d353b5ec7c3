"""What the program prints is plain English: none of its sentences has a word that is not to come back."""

from __future__ import annotations

import ast
from pathlib import Path

import puzzlesat
from prose import AVOIDED, CLUMSY

SOURCE = Path(puzzlesat.__file__).parent
CODE = ("SELECT", "UPDATE", "INSERT", "DELETE", "CREATE", "ALTER", "PRAGMA", "CASE", "__import__")
"""How texts begin that are no sentences: statements for SQLite, and Python for the workers of a cluster."""
FEWEST_WORDS = 3


def sentences(source):
    """The texts of a module that may be printed, each with its line: all but docstrings, keys and code. Values in them are left out."""
    tree = ast.parse(source)
    nodes = [*ast.walk(tree)]
    left_out = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    left_out |= {id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in ast.walk(node) if part is not node}
    for node in nodes:
        if id(node) in left_out:
            continue
        if isinstance(node, ast.JoinedStr):
            text = "{}".join(part.value for part in node.values if isinstance(part, ast.Constant))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = node.value
        else:
            continue
        if len(text.split()) >= FEWEST_WORDS and not text.strip().startswith(CODE):
            yield node.lineno, text


def clumsy(source):
    """The words of a module's sentences that are not to come back, by line."""
    return {line: words for line, text in sentences(source) if (words := AVOIDED.findall(text) + CLUMSY.findall(text))}


def test_messages_are_plain_english():
    files = sorted(SOURCE.rglob("*.py"))
    assert sum(len([*sentences(file.read_text(encoding="utf-8"))]) for file in files) > 1000
    found = {str(file.relative_to(SOURCE)): words for file in files if (words := clumsy(file.read_text(encoding="utf-8")))}
    assert found == {}


def test_sentences_of_all_kinds_are_read():
    source = '''
def f(x):
    """A docstring stands here and is not read."""
    said = "nobody goes on from here"
    raise PuzzleError(f"{x!r} stands there twice; take one out", "what differs" if x else "key")
'''
    assert clumsy(source) == {4: ["goes on"], 5: ["stands", "take one out"]}
    assert clumsy('QUERY = "SELECT id FROM units WHERE it stands"') == {}
