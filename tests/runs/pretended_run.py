"""A run of units that only pretend, as a program of its own, to be killed: ``python pretended_run.py STORE NUMBERS --sleep 0.01``."""

import argparse
import sys
from contextlib import nullcontext
from pathlib import Path

import pretend

from puzzlesat.base.errors import PuzzleError
from puzzlesat.cli.terminal import stoppable
from puzzlesat.studies import coordinator
from puzzlesat.studies.dask import cluster
from puzzlesat.studies.executors import Processes
from puzzlesat.studies.opening import StudyHeading, open_store


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("store", type=Path)
    parser.add_argument("numbers", type=int)
    parser.add_argument("--most", type=int, default=2)
    parser.add_argument("--sleep", type=float, default=0.01)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--dask", help="address of a scheduler whose workers do it")
    parser.add_argument("--patience", type=float, default=coordinator.PATIENCE_SECONDS)
    parser.add_argument("--audit", type=float, default=0.1)
    parser.add_argument("--bytes", type=int, help="of the largest file that may be written")
    told = parser.parse_args()
    if told.bytes:
        import resource

        resource.setrlimit(resource.RLIMIT_FSIZE, (told.bytes, told.bytes))
    heading = StudyHeading("pretended", str(told.numbers), "{}", told.audit)
    try:
        there = cluster(told.dask, do=pretend.answers) if told.dask else nullcontext(Processes(told.jobs, do=pretend.answers))
        with there as workers, stoppable() as stop, open_store(told.store, heading) as store:
            store.add([(pretend.SUBJECT, [pretend.task(told.numbers, told.most, sleep=told.sleep)])])
            print("begun", flush=True)
            end = coordinator.run(store, workers, stop=stop, patience=told.patience)
    except PuzzleError as error:
        print(f"refused: {error}", flush=True)
        return 2
    print("complete" if end.complete else "stopped", *end.sentences, sep="\n", flush=True)
    return 0 if end.complete else 3


if __name__ == "__main__":
    sys.exit(main())
