"""Tables of cases as one test, and how much of a table the fast tier tries."""

import inspect
import sys
from functools import wraps

import pytest
from hypothesis import settings

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # noqa: F401
    from exceptiongroup import ExceptionGroup  # pytest brings it

MAX_EXAMPLES = 12
"""Random examples of a property in the full tier."""
MAX_SHOWN = 5
"""Failed cases of a table whose tracebacks are shown; all are named."""
PARAMETER = type(pytest.param())


def is_fast():
    """Tell whether the fast tier runs."""
    return settings.default.max_examples < MAX_EXAMPLES


def tries(number):
    """Return how often a test tries something random: ``number`` times in the full tier, fewer times in the fast one."""
    return max(1, number * settings.default.max_examples // MAX_EXAMPLES)


def every(names, cases, *, fast=None):
    """Run a test for all cases of a table, as one test that names each case that failed.

    ``names`` and ``cases`` are the arguments of ``pytest.mark.parametrize``. The fast tier tries ``fast`` cases, spread evenly over the
    table, or the cases named in ``fast``; the full tier tries all. Each case has a ``tmp_path`` and a ``monkeypatch`` of its own.
    """
    names = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    table = _named(list(cases), len(names))
    chosen = _chosen(table, fast)

    def decorate(test):
        @wraps(test)
        def run(*self, **fixtures):
            tried = {name: table[name] for name in chosen} if is_fast() else table
            _run_each(tried, lambda values, own: test(*self, **fixtures, **own, **dict(zip(names, values, strict=True))), fixtures)

        signature = inspect.signature(test)
        run.__signature__ = signature.replace(parameters=[p for name, p in signature.parameters.items() if name not in names])
        return run if len(chosen) == len(table) else pytest.mark.sampled(run)

    return decorate


def in_parts(names, cases, parts, *, fast=1):
    """Like ``every``, but split into ``parts`` tests in the full tier, which workers share; the fast tier tries ``fast`` cases."""
    cases = list(cases)

    def decorate(test):
        def run(part):
            every(names, cases[part::parts], fast=None if part else fast)(test)()

        run.__name__, run.__doc__, run.__module__ = test.__name__, test.__doc__, test.__module__
        marks = [pytest.mark.sampled, *[pytest.mark.full] * (parts - 1)]
        return pytest.mark.parametrize("part", [pytest.param(part, marks=mark) for part, mark in enumerate(marks)])(run)

    return decorate


def _run_each(tried, call, fixtures):
    failed, skipped = {}, {}
    paths, patches = fixtures.pop("tmp_path", None), fixtures.pop("monkeypatch", None)
    for number, (name, values) in enumerate(tried.items()):
        own = {}
        if paths is not None:
            own["tmp_path"] = paths / str(number)
            own["tmp_path"].mkdir()
        try:
            if patches is None:
                call(values, own)
            else:
                with patches.context() as patch:
                    call(values, own | {"monkeypatch": patch})
        except pytest.skip.Exception as skip:
            skipped[name] = skip
        except Exception as error:
            if hasattr(error, "add_note"):  # Python 3.11
                error.add_note(f"case: {name}")
            failed[name] = error
    if failed:
        raise ExceptionGroup(f"{len(failed)} of {len(tried)} cases failed: {', '.join(failed)}", list(failed.values())[:MAX_SHOWN])
    if skipped and len(skipped) == len(tried):
        raise next(iter(skipped.values()))


def _named(cases, width):
    """Return the values of each case by its name: its id, its first text or number, or its place in the table."""
    table = {}
    for number, case in enumerate(cases):
        values, name = case if width > 1 else (case,), None
        if isinstance(case, PARAMETER):
            assert not case.marks, "a case with a mark needs pytest.mark.parametrize"
            values, name = case.values, case.id
        assert len(values) == width, (values, width)
        if name is None:
            name = next((str(v) for v in values if isinstance(v, (str, int)) and len(str(v)) < 60), str(number))
        table[f"{name} ({number})" if name in table else name] = tuple(values)
    return table


def _chosen(table, fast):
    names = list(table)
    if fast is None:
        return names
    if isinstance(fast, int):
        assert fast > 0
        return names[:: max(1, len(names) // fast)][:fast]
    assert all(name in table for name in fast), [name for name in fast if name not in table]
    return list(fast)
