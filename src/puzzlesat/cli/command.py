"""Make commands from public functions: the signature and the docstring of a function give the arguments, the options and the help.

A *face* makes the call and prints the answer. Its own parameters are the options that only a terminal needs, such as files to write.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from copy import copy
from dataclasses import dataclass
from inspect import Parameter, Signature, cleandoc, signature
from pathlib import Path
from threading import Event
from typing import Annotated, Any

import typer
from typer.models import ArgumentInfo, OptionInfo, ParameterInfo

from puzzlesat import base, counting, formats, puzzles
from puzzlesat.base import PuzzleError
from puzzlesat.cli.endings import says_errors
from puzzlesat.cli.functions.given import bundle_of, described, names_of, unbundled
from puzzlesat.cli.options import SHARED, TEXTS, USUAL

KINDS = {"bool": bool, "int": int, "float": float, "Path": Path, "str": str, "Given": str}
FILES = ("FILE", "FOLDER", "PATH", "STUDY.toml")
"""Metavars of files in the help. The function takes the name of the file as a text, too."""
METAVARS = {int: "N", float: "X", Path: "FILE"}
SUFFIXES = {
    "output": (), "svg": (".svg",), "png": (".png",), "csv": (".csv",), "sheet": (".html",), "best": (".toml",), "three_mf": (".3mf",)
}  # fmt: skip
"""Parameters for files to write, each with the suffixes that it accepts; none: any suffix."""
SOURCES = ("puzzle", "tiles", "design")
"""Parameters that may be a file to read."""
LAST = ("seconds", "memory", "cpu", "json", "problem")
"""Parameters at the end of the help, in this order."""


@dataclass(frozen=True)
class Call:
    """A call of a public function, with the arguments that the user gave."""

    function: Callable[..., Any] | None
    """The function; None if the face does the work itself."""
    arguments: Mapping[str, Any]
    """The arguments of the function that the user stated."""
    given: Mapping[str, Any]
    """All arguments and options of the command, by name; None for options that were not given."""

    def __getitem__(self, name: str) -> Any:
        return self.given.get(name)

    @property
    def problem(self) -> str | None:
        """The number or the name of the puzzle, in a file of several."""
        return self.given.get("problem")

    def working(
        self, title: str, limits: base.Limits | None = None, *, stop: Event | None = None
    ) -> AbstractContextManager[tuple[base.Limits, base.Progress]]:
        """Return a context manager for work within limits (default: those of the user); see ``terminal.working``."""
        from puzzlesat.cli.terminal import working

        return working(title, self.limits if limits is None else limits, stop=stop)

    @property
    def output(self) -> Path | None:
        """The file for the results; None if the user named none."""
        return None if self["output"] is None else Path(self["output"])

    @property
    def limits(self) -> base.Limits:
        """The limits that the user gave. Their time has not begun."""
        return base.Limits.of(self["seconds"], memory=self["memory"], cpu=bool(self["cpu"]))

    def plan(self, *, proved: bool = False, **more: Any) -> counting.Plan:
        """Return the plan of a count from the options. ``Plan.check`` checks that its solvers exist."""
        names = counting.Plan.solvers if self["solver"] is None else names_of(self["solver"])
        if proved and counting.CERTIFICATE not in names:
            names = (names[0], counting.CERTIFICATE, *names[1:])
        return counting.Plan(
            **{"limits": self.limits, **more}, solvers=names, budget=self["budget"], full=bool(self["full"]), proved=proved
        )

    def __call__(self, title: str, **more: Any) -> Any:
        """Make the call, with its progress on the terminal; Ctrl-C ends it. ``more`` replaces arguments."""
        with self.working(title) as (_, told):
            return self.made(**({"puzzle": self.instance(told)} if self["puzzle"] else {}), **more)

    def made(self, **more: Any) -> Any:
        """Make the call, within the context manager of ``working``."""
        assert self.function is not None
        return self.function(**{**self.arguments, **more})

    def instance(self, told: base.Progress, *, rules: Mapping[str, Any] | None = None) -> puzzles.Instance:
        """Read the puzzle."""
        return formats.instance_in(self["puzzle"], self.problem, rules=rules, progress=told)


def refuse(options: Mapping[str, bool], why: str) -> None:
    """Raise PuzzleError for the first option that the user gave."""
    if given := [option for option, is_given in options.items() if is_given]:
        raise PuzzleError(f"--{given[0].replace('_', '-')} {why}")


Face = Callable[..., int]
"""A function that makes the call in its first argument and prints the answer; it returns the exit status."""


def command(
    app: typer.Typer, function: Callable[..., Any] | None, *examples: str, name: str | None = None, own_words: bool = False, **written: Any
) -> Callable[[Face], Face]:
    """Return a decorator that adds a command for a public function to ``app``; the decorated function is its face.

    ``written`` declares parameters of the function or the face, such as ``typer.Option("--next")``; their help comes from the docstrings.
    None removes a parameter of the function from the command. With ``own_words``, the help is the docstring of the face.
    """

    def declare(face: Face) -> Face:
        own = {} if function is None else dict(signature(function).parameters)
        added = dict([*unbundled(face).parameters.items()][1:])
        names = own.keys() - added.keys() or added.keys()
        stated = {key: each for key, each in (own | added).items() if written.get(key, each) is not None}
        if "puzzle" in stated:
            stated.setdefault("problem", Parameter("problem", Parameter.KEYWORD_ONLY, default=None, annotation="str | None"))
        texts = {key: text for thing in (function, bundle_of(face), face) if thing for key, text in described(thing).items()}
        usual = {key: how for key, how in (USUAL | SHARED).items() if key in USUAL or key not in described(face)} | written
        hints: dict[str, Any] = {key: _hint(each, usual.get(key), texts.get(key, "")) for key, each in stated.items()}
        options = sorted((_option(each, hints[key]) for key, each in stated.items()), key=_place)
        files = [key for key, hint in hints.items() if key in SUFFIXES and hint.__metadata__[0].metavar == "FILE"]
        help = cleandoc((face if own_words or function is None else function).__doc__ or "").partition("\n\nParameters\n")[0]

        @says_errors
        def run(**given: Any) -> None:
            _check_files(given, files)
            arguments = {key: value for key, value in given.items() if key in names and value is not None}
            call = Call(function, arguments, given)
            raise typer.Exit(face(call, **{key: given[key] for key in added}))

        run.__name__ = (name or face.__name__).replace("-", "_")
        run.__doc__ = _with_options(help, hints)
        run.__signature__ = Signature(options)  # type: ignore[attr-defined]
        run.__annotations__ = {option.name: option.annotation for option in options}
        shown = "Example: " if len(examples) == 1 else "Examples:\n\n"
        app.command(name or face.__name__, epilog=shown + "\n\n".join(examples))(run)
        return face

    return declare


def _with_options(text: str, hints: Mapping[str, Any]) -> str:
    """Return a docstring with option names in place of parameter names; replace the names in the help texts of the options too."""
    infos: dict[str, ParameterInfo] = {name: hint.__metadata__[0] for name, hint in hints.items()}
    named = {name: info.default for name, info in infos.items() if isinstance(info.default, str)}

    def changed(text: str) -> str:
        return re.sub("``(.+?)``", lambda found: named.get(found[1], found[1]), text)

    for info in infos.values():
        info.help = changed(info.help or "")
    return changed(text)


def _place(option: Parameter) -> int:
    return LAST.index(option.name) if option.name in LAST else -1


def _option(stated: Parameter, hint: Any) -> Parameter:
    default = None if isinstance(stated.default, tuple) else stated.default
    return Parameter(stated.name, Parameter.KEYWORD_ONLY, default=default, annotation=hint)


def _hint(stated: Parameter, written: ParameterInfo | None, text: str) -> Any:
    """Return the annotation of a parameter for typer: its type and its declaration."""
    words = ["str"] if stated.name in TEXTS else re.findall(r"\w+", stated.annotation)
    kind: Any = next((KINDS[word] for word in words if word in KINDS), str)
    how = copy(written or (OptionInfo if stated.kind is Parameter.KEYWORD_ONLY else ArgumentInfo)(default=...))
    if isinstance(how, OptionInfo) and how.default is ...:
        how.default = f"--{stated.name.replace('_', '-')}"
    if "Path" in words and how.metavar in FILES:
        kind = Path
    how.metavar = how.metavar or (None if kind is bool else METAVARS.get(kind, stated.name.upper()))
    how.help = how.help or text
    if {"Sequence", "Iterable", "list"} & set(words):
        kind = list[kind]
        how.help += " Repeatable." if isinstance(how, OptionInfo) else ""
    return Annotated[kind | None if stated.default is None or isinstance(stated.default, tuple) else kind, how]


def _check_files(given: Mapping[str, Any], names: Sequence[str]) -> None:
    """Raise PuzzleError if an output file cannot be written, or is also the input."""
    files = {name: Path(given[name]) for name in names if isinstance(given[name], str | Path)}
    for name, file in files.items():
        base.check_output(file, *SUFFIXES[name])
    base.check_apart(next((given[name] for name in SOURCES if given.get(name)), ""), *files.values())
