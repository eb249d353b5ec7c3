"""A count of a real puzzle in tiny parts, as a program of its own, to be killed: ``python counted_run.py STORE PUZZLE --dask ADDRESS``."""

import argparse
import sys
from contextlib import nullcontext
from pathlib import Path

from tiny_parts import do

from puzzlesat.cli.terminal import stoppable
from puzzlesat.studies import coordinator
from puzzlesat.studies.dask import cluster
from puzzlesat.studies.executors import Processes
from puzzlesat.studies.opening import open_store
from puzzlesat.studies.parts import PLAN
from puzzlesat.studies.stored import heading_of, subject_in, totals_of


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("store", type=Path)
    parser.add_argument("puzzle")
    parser.add_argument("--dask")
    told = parser.parse_args()
    subject = subject_in(told.puzzle)
    there = cluster(told.dask, do=do) if told.dask else nullcontext(Processes(2, do=do))
    with there as workers, stoppable() as stop, open_store(told.store, heading_of(subject, 0.1)) as store:
        store.add([(subject, [PLAN])])
        print("begun", flush=True)
        end = coordinator.run(store, workers, stop=stop)
        (known,) = totals_of(store, 1)
    print("complete" if end.complete else "stopped", known.counts.all, known.counts.distinct, *end.sentences, flush=True)
    return 0 if end.complete else 3


if __name__ == "__main__":
    sys.exit(main())
