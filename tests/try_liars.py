"""Let workers lie, and see whether a wrong total is ever called complete: ``python try_liars.py UNITS RUNS P``; it prints a line of JSON.

``P`` is the chance with which an answer is wrong (``some``, ``alike``); other kinds of liars always lie (``runs/liar.py``). The units only
pretend, so that their total is known; with ``--puzzle`` a real one is counted, in parts of a fraction of a second, and with ``--keeps`` all
wrong figures are wrong by a multiple of that, as of the order of its group. With ``--study`` a study of boxes of pentominoes is done.
"""

import argparse
import json
import sys
import tempfile
from collections import Counter
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).parent / "runs"))

import pretend
from liar import HONEST, KINDS, SOME, Anybody, Liars, Lies

from puzzlesat.studies import coordinator, parts, worker
from puzzlesat.studies.opening import StudyHeading, open_store, open_to_read
from puzzlesat.studies.parts import PLAN
from puzzlesat.studies.stored import heading_of, report_of, subject_in
from puzzlesat.studies.study import read_study
from puzzlesat.studies.tables import table
from puzzlesat.studies.units import Loaded

STUDY = """
name = "Boxes"
[[puzzles]]
tiles = "pentominoes"
some = true
boxes = true
area = "10-25"
[[steps]]
find = "solution"
seconds = 20
[[steps]]
find = "count"
seconds = 20
"""
_truth = {}
"""What an honest run of the study found, by puzzles."""


def in_tiny_parts(jobs):
    """Do jobs as workers do, in units of some hundredths of a second."""
    parts.UNIT_SECONDS, parts.QUICK_SECONDS, parts.TRIAL_SECONDS = 0.05, 0.02, 0.02
    return worker.do(jobs)


def pretended(path, workers, told):
    """Do units that pretend; tell how it ended, and whether the total is right."""
    with open_store(path, StudyHeading("pretended", "1", "{}", told.share)) as store:
        store.add([(pretend.SUBJECT, [pretend.task(told.units)])])
        end = coordinator.run(store, workers(pretend.answers))
        right = sum(answer.result["found"] for answer in store.answers()) == pretend.total(range(told.units))
    return end.complete, right, end


def counted(path, workers, told):
    """Count a puzzle in parts; tell whether the report calls it complete, and the count is the one that was expected."""
    subject = subject_in(told.puzzle)
    built = Loaded(subject).built()
    with open_store(path, heading_of(subject, told.share)) as store:
        store.add([(subject, [{**PLAN, "audit": True}])])
        end = coordinator.run(store, workers(in_tiny_parts))
        report, known = report_of(store, 1, built, stopped=False)
    return report.complete and report.agree is not False, known.counts.all == told.all, end


def studied(path, workers, told):
    """Do a study; tell whether a row is called decided and sure that is wrong."""
    file = path.with_suffix(".toml")
    file.write_text(STUDY, encoding="utf-8")
    study = read_study(file)
    with open_store(path, study.heading) as store:
        study.add_to(store)
        end = coordinator.run(store, workers(worker.do))
    with open_to_read(path) as store:
        rows = list(table(store))
    found = {row.puzzle: (row.verdict, row.all, row.distinct) for row in rows if not row.left}
    _truth.update({} if _truth else found)
    return end.complete, all(_truth[name] == row for name, row in found.items()), end


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("units", type=int)
    parser.add_argument("runs", type=int)
    parser.add_argument("chance", type=float, metavar="P")
    parser.add_argument("--kind", choices=KINDS, default=SOME)
    parser.add_argument("--share", type=float, default=1.0)
    parser.add_argument("--machines", type=int, default=2)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--keeps", type=int, default=1)
    parser.add_argument("--anybody", action="store_true", help="nobody can say who gets which job")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--puzzle")
    parser.add_argument("--all", type=int, help="how many solutions the puzzle has")
    parser.add_argument("--study", action="store_true")
    told = parser.parse_args()
    way = studied if told.study else counted if told.puzzle else pretended
    happened = Counter({"wrong and complete": 0})
    units = 0
    if told.study:
        with tempfile.TemporaryDirectory() as folder:
            studied(Path(folder) / "s.sqlite", lambda do: Liars(Lies(HONEST), do=do), told)
    for number in range(told.runs):
        lies = Lies(told.kind, told.chance, told.keeps, Random(f"{told.seed} {number}"))
        kind = Anybody if told.anybody else Liars
        with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as folder:
            complete, right, end = way(
                Path(folder) / "s.sqlite",
                lambda do, lies=lies, kind=kind: kind(lies, machines=told.machines, processes=told.processes, do=do),
                told,
            )
        units += sum(end.states.values())
        liars = {who for _, who in lies.told}
        happened.update({
            "lies": len(lies.told), "lied in": bool(liars), "complete": complete, "wrong": not right,
            "wrong and complete": complete and not right, "somebody was caught": bool(end.caught),
            "an honest process was caught": any((who.host, who.process) not in liars for who in end.caught),
        })  # fmt: skip
    what = {"units": units // told.runs, "runs": told.runs, "p": told.chance, "kind": told.kind, "share": told.share}
    print(json.dumps({**what, **happened}))
    return 1 if happened["wrong and complete"] else 0


if __name__ == "__main__":
    sys.exit(main())
