"""``leafward run train.py ...``: an unmodified PyTorch program, on leafward.

The program sees what ``python train.py ...`` would show it, but for ``torch``, which is leafward.
"""
import linecache
import os
import runpy
import shutil
import sys
from importlib.machinery import SourceFileLoader
from types import ModuleType

from leafward.app.as_torch import install_as_torch

USAGE = """usage: leafward run script.py [argument ...]
       leafward run -m module [argument ...]
       leafward run -c code [argument ...]
       leafward run - [argument ...]        the program comes from standard input"""


def run_script(path, arguments):
    """Run the file ``path`` as ``__main__``."""
    try:
        with open(path, "rb") as file:
            source = file.read()
    except OSError as error:
        print(f"leafward: can't open file {os.path.abspath(path)!r}: [Errno {error.errno}] {error.strerror}",
              file=sys.stderr)
        return 2
    sys.argv[:] = [path, *arguments]
    set_first_path(os.path.dirname(os.path.realpath(path)))
    path = os.path.abspath(path)
    return run_source(source, path, __file__=path, __loader__=SourceFileLoader("__main__", path), __cached__=None)


def run_code(source, option, arguments):
    """Run the text of a program, of the option ``-c`` or (``-``) of standard input, as ``__main__``."""
    sys.argv[:] = [option, *arguments]
    set_first_path("")
    name = "<string>" if option == "-c" else "<stdin>"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)     # stories quote its lines
    return run_source(source, name, **({} if option == "-c" else {"__file__": name, "__cached__": None}))


def run_source(source, name, **attributes):
    """Run a program's text, which the file ``name`` has, as a fresh ``__main__``."""
    main = ModuleType("__main__")
    vars(main).update(attributes, __builtins__=sys.modules["builtins"])
    sys.modules["__main__"] = main              # left there: pickle and multiprocessing look their names up in it
    return guarded(lambda: exec(compile(source, name, "exec", dont_inherit=True), main.__dict__))


def run_module(name, arguments):
    """Run the module ``name`` as ``__main__``."""
    sys.argv[:] = [name, *arguments]
    set_first_path(os.getcwd())
    return guarded(lambda: runpy.run_module(name, run_name="__main__", alter_sys=True))


def set_first_path(folder):
    # `python -P` and PYTHONSAFEPATH leave the script's folder out, and there is no entry of ours to replace.
    if not sys.flags.safe_path:
        sys.path[0] = folder


def guarded(program):
    """Call ``program``; show an exception as the interpreter would, beginning at the program's own first frame."""
    try:
        program()
    except SystemExit as end:
        if (mpi := sys.modules.get("leafward.distributed.mpi")) is not None:
            mpi.process.failed = status_of(end)             # the other ranks would wait for this one for ever
        raise
    except BaseException as error:
        error.__traceback__ = without_runner(error.__traceback__)
        sys.excepthook(type(error), error, error.__traceback__)
        return 130 if isinstance(error, KeyboardInterrupt) else 1
    return 0


def code_of(program):
    """The exit code that a call of :func:`run_script` or :func:`run_module` ends with, or the program exits with."""
    try:
        return program()
    except SystemExit as end:
        return status_of(end)


def status_of(end):
    """The exit status that a ``SystemExit`` stands for."""
    return end.code if isinstance(end.code, int) else 0 if end.code is None else 1


def without_runner(traceback):
    runner = {__file__, runpy.__file__, "<frozen runpy>"}
    while traceback is not None and traceback.tb_frame.f_code.co_filename in runner:
        traceback = traceback.tb_next
    return traceback


def fit(text):
    """A report as the terminal that it is printed on can show it."""
    if not sys.stdout.isatty():
        return text
    from leafward.trust.layout import folded
    return folded(text, shutil.get_terminal_size().columns)


def program_of(arguments, usage):
    """``(program, name)``: a call that runs what the arguments name, and what that is.

    They name a file, ``-m module``, ``-c code``, or by ``-`` standard input. ``(None, status)`` where they name nothing and
    ``usage`` has been printed: 0 if it was asked for, 2 if not.
    """
    if arguments[:1] == ["-"] or (arguments[:1] == ["-c"] and len(arguments) > 1):
        install_as_torch()
        if arguments[0] == "-":
            return lambda: run_code(sys.stdin.read(), "-", arguments[1:]), "stdin"
        return lambda: run_code(arguments[1], "-c", arguments[2:]), "code"
    by_name = arguments[:1] == ["-m"]
    arguments = arguments[by_name:]
    if not arguments or arguments[0].startswith("-"):
        asked = arguments[:1] in (["-h"], ["--help"])
        print(usage, file=sys.stdout if asked else sys.stderr)
        return None, 0 if asked else 2
    install_as_torch()
    run = run_module if by_name else run_script
    return lambda: run(arguments[0], arguments[1:]), arguments[0]


def main(arguments=None):
    arguments = sys.argv[1:] if arguments is None else arguments
    program, status = program_of(arguments, USAGE)
    return status if program is None else program()


if __name__ == "__main__":
    sys.exit(main())
