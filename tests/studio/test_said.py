"""Texts in both languages: pages, and every template of the program's sentences."""

import ast
import json
import pickle
import re
from functools import cache
from pathlib import Path

import pytest

from puzzlesat.base import Sentence, data_files, text_of
from puzzlesat.pages.studio.open import arrangement
from puzzlesat.pages.studio.telling import SAID, with_parts, with_rules
from puzzlesat.puzzles import load_grid, table_of
from tiers import every

SOURCE = Path(__file__).parents[2] / "src" / "puzzlesat"
CATALOGUE = SOURCE / "pages" / "studio" / "page" / "texts" / "said-de.js"
TEXTS = [SOURCE / "pages" / place / "texts" for place in ("studio/page", "site_page")]
ENGINE = SOURCE / "pages" / "site_page" / "engine"
"""Its modules have sentences of their own, and some of the program's."""
PLACE = re.compile(r"\{(\w+)(?:\|[^|{}]*\|[^|{}]*)?\}")
DYNAMIC = dict.fromkeys(("arguments.py", "plain_facts.py", "progress.py", "verified.py"), 1)
DYNAMIC |= dict.fromkeys(("bound.py", "limits.py", "optimum.py", "telling.py"), 2)
"""Sentences whose words are no literals, by module: counters, kinds of atoms, names of work (tested below), and translated ones."""


def literals(node, known):
    """Return the possible templates of the first argument of a call; None if it is not a literal."""
    if isinstance(node, ast.Constant):
        return [node.value]
    if isinstance(node, ast.IfExp):
        one, other = literals(node.body, known), literals(node.orelse, known)
        return None if one is None or other is None else one + other
    return known.get(node.id) if isinstance(node, ast.Name) else None


def assigned(scope):
    """Return the literals that are assigned to names in a function, also in tuples and loops over tuples."""
    known = {}

    def note(target, value):
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
            for one, other in zip(target.elts, value.elts, strict=True):
                note(one, other)
        elif isinstance(target, ast.Name) and isinstance(value, ast.Constant | ast.IfExp) and (found := literals(value, {})) is not None:
            known.setdefault(target.id, []).extend(found)

    for node in ast.walk(scope):
        if isinstance(node, ast.Assign):
            note(node.targets[0], node.value)
        elif isinstance(node, ast.For) and isinstance(node.iter, ast.Tuple):
            for one in node.iter.elts:
                note(node.target, one)
    return known


@cache
def templates():
    """Return every template in the source by its text, with its module; and the number of calls without a literal template."""
    found, others = {}, {}
    for file in sorted(SOURCE.rglob("*.py")):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        scopes = [tree, *(node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))]
        inner = {}
        for scope in scopes:  # the innermost function comes last
            for call in ast.walk(scope):
                if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "Sentence":
                    inner[call] = scope
        for call, scope in inner.items():
            said = literals(call.args[0], {} if scope is tree else assigned(scope))
            if said is None:
                others[file.name] = others.get(file.name, 0) + 1
            for template in said or ():
                found.setdefault(template, file.name)
    return found, others


@cache
def catalogue():
    """Return the German template of each English one."""
    text = with_rules(SAID, CATALOGUE.read_text(encoding="utf-8"))
    pairs = re.findall(r'^ {2}("(?:[^"\\]|\\.)*"): ("(?:[^"\\]|\\.)*"),$', text, re.MULTILINE)
    lines = [line for line in text.splitlines() if line.startswith('  "')]
    assert len(pairs) == len(lines)
    return {json.loads(english): json.loads(german) for english, german in pairs}


@pytest.mark.full
def test_every_sentence_is_there_in_german():
    found, others = templates()
    assert others == DYNAMIC
    words = {template: module for template, module in found.items() if re.search("[a-z]{2}", PLACE.sub("", template))}
    without = {template: module for template, module in words.items() if template not in catalogue()}
    assert without == {}


def test_every_sentence_of_the_engine_in_the_browser_is_there_in_german():
    said = {text for file in ("answers.js", "worker.js") for text in spoken_by(ENGINE / file)}
    assert len(said) > 30
    words = {template for template in said if re.search("[a-z]{2}", PLACE.sub("", template))}
    assert words - catalogue().keys() == set()


def spoken_by(file):
    """Return the templates in a module of the engine; in a call they come before the values."""
    calls = re.findall(r"\bsentence\((.*)", file.read_text(encoding="utf-8"))
    return [
        json.loads(text)
        for call in calls
        for text in re.findall(r'"(?:[^"\\]|\\.)*"', call.partition(", {")[0])
        if " " in text or "{" in text
    ]


@pytest.mark.full
def test_german_says_nothing_that_is_never_said():
    sources = [*SOURCE.rglob("*.py"), *ENGINE.glob("*.js")]
    text = "\n".join(file.read_text(encoding="utf-8") for file in sorted(sources))
    kinds = {f"{atom.kind}s" for path in data_files("grids") for atom in load_grid(path).atoms}
    counters = re.compile(r"\{n\} \{n\|[\w ]+\|([\w ]+)\}")
    stale = []
    for english in catalogue().keys() - templates()[0].keys():
        counter = counters.fullmatch(english)
        name = counter.group(1).replace(" ", "_") if counter else english
        if f'"{name}"' not in text and f"{name}=" not in text and name not in kinds:
            stale.append(english)
    assert stale == []


@every("english", [pytest.param(english, id=english) for english in catalogue()])
def test_values_have_their_places(english):
    """Singular and plural may depend on any number of the sentence."""
    assert {*PLACE.findall(catalogue()[english])} == {*PLACE.findall(english)}


def texts(file):
    return dict(re.findall(r'^  "?([\w-]+)"?: "(.*)",$', file.read_text(encoding="utf-8"), re.MULTILINE))


@every("file", [pytest.param(file, id=file.name) for folder in TEXTS for file in sorted(folder.glob("*en.js"))])
def test_both_languages_have_the_same_texts(file):
    lines = [re.findall(r"^  \"?([\w-]+)\"?: ", one.read_text(encoding="utf-8"), re.MULTILINE) for one in (file, german(file))]
    assert sorted(lines[0]) == sorted(lines[1]) and len(set(lines[0])) == len(lines[0]) > 0
    english, others = texts(file), texts(german(file))
    assert [key for key in english if {*PLACE.findall(english[key])} != {*PLACE.findall(others[key])}] == []


def german(file):
    return file.with_name(file.name.replace("en.js", "de.js"))


def test_every_text_that_is_asked_for_and_every_kind_of_atom_is_there():
    known = {key for folder in TEXTS for file in folder.glob("*en.js") for key in texts(file)}
    asked = {key for file in TEXTS[0].parent.rglob("*.js") for key in re.findall(r'\bt\("(\w+)"', file.read_text(encoding="utf-8"))}
    assert asked <= known
    assert {f"group_{group}" for group in arrangement()["groups"]} | {f"grid_{path.stem}" for path in data_files("grids")} <= known
    kinds = {atom.kind for path in data_files("grids") for atom in load_grid(path).atoms if atom.role == "cover"}
    assert {f"{kind}s" for kind in kinds} <= catalogue().keys()


@pytest.mark.full
def test_titles_of_the_package_have_german_ones():
    file = CATALOGUE.with_name("titles-de.js")
    german = dict(re.findall(r'^ {2}("(?:[^"\\]|\\.)*"): ("(?:[^"\\]|\\.)*"),$', file.read_text(encoding="utf-8"), re.MULTILINE))
    german = {json.loads(english): json.loads(own) for english, own in german.items()}
    titles = {table_of(text_of(path), path)["title"] for path in (*data_files("instances"), *data_files("models"))}
    english = {title for title in titles if re.search(r"\b(the|in|of|and|with|pairs|queens|any number of copies)\b", title, re.IGNORECASE)}
    assert english <= german.keys() <= titles


def test_sentences_go_from_process_to_process_and_stay_text():
    template, names = "{why}: {n} {n|piece|pieces} of {names}", ["A", Sentence("tile {tile}", tile="B")]
    said = Sentence(template, why=Sentence("time was up"), n=1331, names=names)
    assert said == "time was up: 1,331 pieces of A, tile B"
    again = pickle.loads(pickle.dumps(said))
    assert (again, again.template, again.values) == (said, said.template, said.values)
    assert json.dumps([said]) == '["time was up: 1,331 pieces of A, tile B"]'
    found = with_parts({"words": [said, "plain"], "numbers": [1, 2]})
    assert found["words"] == [said, "plain"]
    (part,) = found["said"]
    assert part["at"] == ["words", 0]
    assert part["says"] == template
    assert part["values"]["why"] == {"says": "time was up", "values": {}}
    assert part["values"]["names"] == ["A", {"says": "tile {tile}", "values": {"tile": "B"}}]
    assert with_parts({"words": "plain"}) == {"words": "plain"}
