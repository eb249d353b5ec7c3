"""A disk that is full when a store is begun: the file is named, and the status is that of what can go on later."""

from __future__ import annotations

import errno
import os
import sqlite3

import pytest

from puzzlesat import files
from puzzlesat.runs import schema


@pytest.mark.parametrize("where", ["lock", "database"])
def test_a_disk_that_is_full_when_a_store_is_begun(run, folder, where, monkeypatch):
    def no_room(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    def full(_connection):
        raise sqlite3.OperationalError("database or disk is full")

    if where == "lock":
        monkeypatch.setattr(files.os, "ftruncate", no_room)
    else:
        monkeypatch.setattr(schema, "make", full)
    ran = run("count", "dominoes.toml", "--store", "new.sqlite")
    assert ran.exception is None
    assert ran.status == 3, ran.output
    assert "new.sqlite" in ran.output
    assert "standard output" not in ran.output
    assert not os.path.exists("new.sqlite")  # noqa: PTH110
