"""Compile the kernels of the list ``kernels.txt`` to object code, by numba and LLVM, when the package is built.

    python -m puzzlesat.kernels.emit FOLDER [PROCESSOR ...]

Without a processor, the code is for the highest level that this processor has. Code of the same sources in the folder is kept. numba
optimises for one processor in a process, so each processor has a process of its own.

For ``wasm32``, some kernels are compiled to WebAssembly, for browsers, and linked to one file by wasm-ld (of LLVM; Debian's package is
lld). A JSON file beside it holds the first lines of their object code. The linked file imports a memory. It exports the kernels by their
names, and ``__heap_base``, the address at which free memory begins.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from itertools import count, repeat
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from .kernel import ARM, COUNTING, SYMBOL, Kernel, file_name, library_name, processors_here
from .parts import RESULT, ROOT, kernel_named

# mypy: allow-untyped-calls


LIST = "kernels.txt"
BROWSER = "wasm32"
IN_BROWSERS = ("solvers.kernel.search", "solvers.bitset_search.search")
LINKED, STATED = "kernels.wasm", "kernels.json"
FEATURES = "+simd128,+bulk-memory,+sign-ext,+nontrapping-fptoint"
"""Features of WebAssembly that all browsers have had since 2023."""


def known_to_llvm(processor: str) -> tuple[str, str]:
    """Return LLVM's name of a processor, and its additional features."""
    if processor == COUNTING:
        return "x86-64-v4", "+avx512vpopcntdq"
    return "generic" if processor in (ARM, BROWSER) else processor, FEATURES if processor == BROWSER else ""


def listed(text: str) -> Iterator[tuple[str, str]]:
    """Yield the name of each kernel of a list, with the kinds of its arguments. A kernel may come several times."""
    for line in text.splitlines():
        name, _, kinds = line.partition("(")
        yield name, f"({kinds}"


def all_listed() -> Iterator[tuple[str, str]]:
    """Yield the kernels of the package, as ``listed`` does."""
    return listed((Path(sys.modules[ROOT].__spec__.origin or "").parent / LIST).read_text(encoding="utf-8"))  # type: ignore[union-attr]


def emit_all(folder: Path, processor: str) -> int:
    """Write object code for all kernels into ``folder / processor``, on all cores; return the number of files made."""
    target = folder / processor
    target.mkdir(parents=True, exist_ok=True)
    files, numbers = dict[Path, tuple[str, str]](), dict[str, Iterator[int]]()
    for name, kinds in all_listed():
        files[target / file_name(name, next(numbers.setdefault(name, count())))] = name, kinds
    for file in set(target.glob("*.o")) - files.keys():
        file.unlink()
    old = [file for file, (name, kinds) in files.items() if not _is_of_these_sources(file, kernel_named(name), kinds)]
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as workers:
        for _ in workers.map(_write, old, *zip(*(files[file] for file in old), strict=True), repeat(processor)) if old else ():
            pass
        kept = set(workers.map(_link, files))
    for file in set(target.glob("*.so")) - kept:
        file.unlink()
    return len(old)


def emit_for_browsers(folder: Path) -> int:
    """Write the kernels for browsers into a folder, linked to one file, and their heads beside it; return their number."""
    import llvmlite

    if shutil.which("wasm-ld") is None:
        raise SystemExit("wasm-ld is not there; install lld")
    stated, objects = dict[str, Any](), list[str]()
    with TemporaryDirectory() as made:
        for name, kinds in all_listed():
            if name in IN_BROWSERS:
                head, _, code = emit(kernel_named(name), kinds, BROWSER, name).partition(b"\n")
                objects.append(str(Path(made, f"{name}.o")))
                Path(objects[-1]).write_bytes(code)
                stated[name] = json.loads(head)
        options = ["--no-entry", "--import-memory", "--stack-first", "--strip-all", "--export=__heap_base"]
        linked = Path(made, LINKED)
        subprocess.run(["wasm-ld", *options, *(f"--export={name}" for name in stated), *objects, "-o", str(linked)], check=True)
        (folder / LINKED).write_bytes(linked.read_bytes())
    (folder / STATED).write_text(json.dumps({"llvmlite": llvmlite.__version__, "kernels": stated}, indent=1) + "\n", encoding="utf-8")
    return len(stated)


def _is_of_these_sources(file: Path, kernel: Kernel, kinds: str) -> bool:
    if not file.is_file():
        return False
    stated = json.loads(file.read_bytes().partition(b"\n")[0])
    return (stated["arguments"], stated["sources"]) == (kinds, kernel.sources)


def _write(file: Path, name: str, kinds: str, processor: str) -> None:
    """Write a file atomically."""
    beside = file.with_suffix(f".{os.getpid()}")
    beside.write_bytes(emit(kernel_named(name), kinds, processor))
    beside.replace(file)


LINKERS = {"linux": ["-nostdlib", "-s", "-Wl,-z,noseparate-code"], "darwin": ["-undefined", "dynamic_lookup"]}
"""Options of the C compiler, by system. What LLVM calls, such as memset, is in the process that loads the library."""


def _link(file: Path) -> Path:
    """Make a shared library of a file of object code, if a C compiler of this system can; return its name."""
    head, _, code = file.read_bytes().partition(b"\n")
    library = library_name(file, json.loads(head)["sources"])
    if sys.platform not in LINKERS or library.is_file():
        return library
    with TemporaryDirectory(dir=file.parent) as folder, suppress(OSError):
        Path(folder, "kernel.o").write_bytes(code)
        command = [os.environ.get("CC", "cc"), "-shared", *LINKERS[sys.platform], "-o", "kernel.so", "kernel.o"]
        if subprocess.run(command, cwd=folder, capture_output=True, check=False).returncode == 0:
            Path(folder, "kernel.so").replace(library)
    return library


def emit(kernel: Kernel, kinds: str, processor: str, symbol: str = SYMBOL) -> bytes:
    """Return the content of a file of object code: its head, and the code, whose only function is ``symbol``."""
    import llvmlite.binding as llvm
    from numba import njit

    from .numba_compiler import AHEAD, types_of

    dispatcher = njit(**AHEAD)(kernel.function)
    types = types_of(kinds)
    dispatcher.compile(types)
    compiled = dispatcher.overloads[types]
    whole = llvm.parse_assembly(compiled.library.get_llvm_str())
    whole.link_in(llvm.parse_assembly(str(_entry(compiled, symbol))))
    head = {"arguments": kinds, "returns": _layout(compiled.fndesc.restype), "sources": kernel.sources}
    return json.dumps(head).encode() + b"\n" + _code(whole, processor, symbol)


def _entry(compiled: Any, symbol: str) -> Any:
    """Return LLVM's module with the entry function, which unpacks a block of arguments and calls the kernel."""
    from llvmlite import ir

    described, word = compiled.fndesc, ir.IntType(64)
    inner = compiled.target_context.call_conv.get_function_type(described.restype, described.argtypes)
    module = ir.Module()
    called = ir.Function(module, inner, described.llvm_func_name)
    entry = ir.Function(module, ir.FunctionType(ir.IntType(32), [word.as_pointer()]), symbol)
    builder = ir.IRBuilder(entry.append_basic_block())
    block = entry.args[0]
    arguments = [builder.bitcast(block, inner.args[0]), builder.alloca(inner.args[1].pointee)]
    for place, kind in enumerate(inner.args[2:], start=RESULT):
        given = builder.load(builder.gep(block, [word(place)]))
        if isinstance(kind, ir.PointerType):
            given = builder.inttoptr(given, kind)
        elif not isinstance(kind, ir.IntType):
            given = builder.bitcast(given, kind)
        elif kind.width < word.width:
            given = builder.trunc(given, kind)
        arguments.append(given)
    builder.ret(builder.call(called, arguments))
    return module


def _layout(result: Any) -> str:
    """Return the layout of a kernel's result for ``struct``."""
    from numba import types

    if hasattr(result, "types"):
        return "".join(map(_layout, result.types))
    return {types.none: "", types.int64: "q", types.uint64: "Q", types.boolean: "?", types.float64: "d"}[result]


def _code(whole: Any, processor: str, symbol: str) -> bytes:
    """Return the object code of an LLVM module, in which everything but the entry becomes internal."""
    import llvmlite.binding as llvm

    for each in [*whole.functions, *whole.global_variables]:
        if each.name != symbol and not each.is_declaration:
            each.linkage = "internal"
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    if processor == ARM:
        whole.triple = whole.triple.replace("x86_64", "aarch64")
    elif processor == BROWSER:
        whole.triple = "wasm32-unknown-unknown"
    cpu, features = known_to_llvm(processor)
    machine = llvm.Target.from_triple(whole.triple).create_target_machine(
        cpu=cpu, features=features, opt=3, reloc="static" if processor == BROWSER else "pic", codemodel="default"
    )
    whole.data_layout = str(machine.target_data)
    passes = llvm.create_new_module_pass_manager()
    passes.add_global_dead_code_eliminate_pass()
    passes.run(whole, llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options()))
    code: bytes = machine.emit_object(whole)
    return code


def main() -> None:
    """Make object code for some processors, each in a process of its own."""
    folder, *chosen = sys.argv[1:]
    chosen = chosen or list(processors_here()[:1])
    if not chosen:
        raise SystemExit(f"no object code is made for {platform.machine()}")
    if len(chosen) == 1 and "NUMBA_CPU_NAME" in os.environ:
        number = emit_for_browsers(Path(folder)) if chosen == [BROWSER] else emit_all(Path(folder), chosen[0])
        print(f"{chosen[0]}: {number} kernels compiled")
        return
    for processor in chosen:
        cpu, features = known_to_llvm(processor)
        known = "" if processor == BROWSER else features  # numba itself needs the code of an ordinary processor
        environment = os.environ | {"NUMBA_CPU_NAME": cpu, "NUMBA_CPU_FEATURES": known}
        subprocess.run([sys.executable, "-m", __spec__.name, folder, processor], check=True, env=environment)


if __name__ == "__main__":
    main()
