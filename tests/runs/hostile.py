"""Takes the place of ``puzzlesat.studies.dask`` in a worker that wants to do harm: what it sends would make a file where it is opened.

What it does it reads from a file, a word a line, one for each job; when there are none left it does its work as every other.
"""

import json
import os
import pickle
from pathlib import Path

FOLDER = Path(os.environ.get("HOSTILE", "."))


class Trap:
    """Makes a file where it is opened, but in the process that has made it: a worker looks itself whether its exceptions can be opened."""

    def __init__(self, mark=FOLDER / "opened", maker=None):
        self.mark, self.maker = mark, maker or os.getpid()

    def __reduce__(self):
        return (eval, (f"__import__('os').getpid() == {self.maker} or open({str(self.mark)!r}, 'w')",))


class TrapError(Trap, Exception):
    """The same, as an exception: what it becomes where it is opened is one, too, so that nobody on the way finds it odd."""

    def __reduce__(self):
        function, (text,) = super().__reduce__()
        return function, (f"({text}) and Exception()",)


def tricks():
    """By their names, what to do instead of an answer."""
    return {"returns": returns, "returns bytes": returns_bytes, "raises": raises, "warns": warns, "lies": lies, "strange": strange}


def returns(packed):
    return Trap()


def returns_bytes(packed):
    return pickle.dumps(Trap())


def raises(packed):
    raise TrapError


def warns(packed):
    from distributed import get_worker

    get_worker().log_event("warn", {"message": pickle.dumps(Trap()), "category": pickle.dumps(Trap())})
    return b"{}"


def strange(packed):
    from distributed.protocol import Serialized

    return Serialized({"serializer": "nobody's", "type-serialized": pickle.dumps(Trap()), "compression": ()}, [b"?"])


def lies(packed):
    """An answer with something that no answer has, which a store could not hold either."""
    from puzzlesat.studies import wire

    told = json.loads(wire.do(packed))
    told["answers"][0] |= {"process": 10**30, "certificate": "", "believe": "me"}
    return json.dumps(told).encode()


def next_trick():
    """The next word of the file, which is taken out of it."""
    left = (FOLDER / "tricks").read_text().split("\n") if (FOLDER / "tricks").exists() else [""]
    (FOLDER / "tricks").write_text("\n".join(left[1:]))
    return left[0]


def dask_setup(worker):
    """Let this worker play its tricks; Dask calls this when it starts."""
    from puzzlesat.studies import dask

    honest = dask.do

    def do(run, packed, apart):
        trick = tricks().get(next_trick())
        return honest(run, packed, apart) if trick is None else trick(packed)

    dask.do = do
