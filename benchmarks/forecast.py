"""How far the forecast of ``puzzlesat runs`` was off, after 10, 50 and 90 % of the CPU seconds of studies that are done.

    python benchmarks/forecast.py one.sqlite two.sqlite

Each store is taken back to what it was after so much of its work: answers that came later are left out, and units that followed from them.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from puzzlesat.studies.opening import open_to_read
from puzzlesat.studies.overviews import foresee, processes_of_late, units_of
from puzzlesat.studies.tables import table

SHARES = (0.1, 0.5, 0.9)


def taken_back(units: Any, answers: Sequence[tuple[int, float]]) -> Any:
    """The units as they were when there were only these answers, each of a unit and so many CPU seconds."""
    took: dict[int, list[float]] = {}
    for unit, cpu in answers:
        took.setdefault(unit, []).append(cpu)
    then = units[[not parent or parent in took for parent in units["parent"].tolist()]].copy()
    own = [took.get(unit, []) for unit in then["id"].tolist()]
    once = np.array([len(some) == 1 for some in own])
    then["open"] = [not some for some in own]
    then["left"] = then["open"] | (then["twice"] & once)
    then["twice"] &= ~then["left"]
    then["first"] = [some[0] if some else np.nan for some in own]
    then["spent"] = [sum(some) for some in own]
    return then


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stores", type=Path, nargs="+")
    told = parser.parse_args()
    print("| study | units | CPU seconds | done | left | foreseen | between | off by | in the range |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | --- | ---: | --- |")
    for path in told.stores:
        with open_to_read(path) as store:
            numbers = {key: number for number, key in store.connection.execute("SELECT id, key FROM subjects")}
            areas = {numbers[row.key]: row.area for row in table(store)}
            units, processes = units_of(store), processes_of_late(store)
            answers = list(store.connection.execute("SELECT unit, cpu FROM answers ORDER BY id"))
            name = store.meta["name"]
        altogether = sum(cpu for _, cpu in answers)
        for share in SHARES:
            done, number = 0.0, 0
            while number < len(answers) and done + answers[number][1] <= share * altogether:
                done, number = done + answers[number][1], number + 1
            left = altogether - done
            seen = foresee(taken_back(units, answers[:number]), areas, at_work=processes)
            size = f"| {name} | {units.size:,} | {altogether:,.0f} | {done / altogether:.0%} | {left:,.1f} "
            if seen is None:
                print(f"{size}| nothing | | | |")
            else:
                off = seen.seconds / left
                off = f"x {off:.2f}" if off >= 1 else f"/ {1 / off:.2f}"
                inside = "yes" if seen.low <= left <= seen.high else "no"
                print(f"{size}| {seen.seconds:,.1f} | {seen.low:,.1f} to {seen.high:,.1f} | {off} | {inside} |", flush=True)


if __name__ == "__main__":
    main()
