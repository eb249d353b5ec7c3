"""What is known of counts is said in German where it is said in few words; other words are marked as English."""

from __future__ import annotations

import json
import shutil
import subprocess
from importlib.resources import files

import pytest

SAID = {
    "2,339 solutions up to turning and mirroring the form": ("2.339 Lösungen bis auf Drehungen und Spiegelungen der Form", None),
    "no solution (Polyform Puzzler)": ("keine Lösung (Polyform Puzzler)", None),
    "ours: backtracking and the tally agree": ("eigene Zählung: Backtracking und die Zähltabelle sind sich einig", None),
    "all: OEIS A377309 (J. Propp)": ("alle: OEIS A377309 (J. Propp)", None),
    "every covering of the 6 x 6 board leaves at least one fault line": (None, "en"),
    "overall": (None, "en"),
}


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_what_is_known_is_said_in_german_or_marked_as_english():
    module = files("puzzlesat.studio").joinpath("page/known.js").read_text(encoding="utf-8")
    ask = "console.log(JSON.stringify(said.map((words) => [inLanguage(words, 'de'), inLanguage(words, 'en')])))"
    script = f"{module}\nconst said = {json.dumps(list(SAID))};\n{ask}"
    done = subprocess.run(["node", "--input-type=module", "-e", script], capture_output=True, text=True, check=True, encoding="utf-8")
    for (english, (german, lang)), (mine, others) in zip(SAID.items(), json.loads(done.stdout), strict=True):
        assert mine == {"words": german or english, "lang": lang}
        assert others == {"words": english, "lang": None}
