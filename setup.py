"""Compile the core and the kernels at install; where there is no C compiler, install the same files as they are.

A file is compiled when a ``.pxd`` with its C layout stands beside it, and every ``leafward/arrays/kernels/*.pyx`` is, with
the C files that its first lines name. So are the kernels that are derived from the declarations: the package itself writes
them, run uncompiled. ``LEAFWARD_INTERPRETED=1`` leaves all uncompiled.
"""
import os
import platform
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from setuptools import Extension, setup
from setuptools.errors import CCompilerError, ExecError, PlatformError

JOBS = min(os.cpu_count() or 1, 8)
OPTIMIZE = ["/O2"] if sys.platform == "win32" else [
    "-O3", "-g0", "-w", "-fno-math-errno", "-fno-trapping-math", "-fopenmp-simd"]      # the last: `omp simd`, and no library
THREADS = [] if sys.platform == "win32" else ["-pthread"]
# `make sanitize`: what reads or writes outside its memory, and what C leaves undefined, ends the program with a report.
SANITIZE = ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"] if os.environ.get("LEAFWARD_SANITIZE") else []
if SANITIZE:
    OPTIMIZE = ["-O1", "-g", "-w", "-fno-omit-frame-pointer"] + SANITIZE
#: What the derived loops are compiled with: vector code of plain arithmetic, bit for bit; integers wrap around. The last: what
#: is left after the last whole vector goes one by one; shorter vectors would be each loop once more.
LOOPS = ["-fopenmp-simd", "-fwrapv", "-fno-math-errno", "-fno-trapping-math", "-fno-thread-jumps", "-ffp-contract=off",
         "--param=vect-epilogues-nomask=0"]
#: For which processors: leafward/arrays/kernels/derived/__init__.py chooses among them.
TARGETS = {"plain": ["-march=x86-64-v2"], "avx2": ["-march=x86-64-v3"], "avx512": ["-march=x86-64-v4"]} \
    if platform.machine() in ("x86_64", "AMD64") else {"plain": []}
DIRECTIVES = {"language_level": 3, "binding": True, "embedsignature": False, "auto_pickle": False,
              "annotation_typing": False}               # annotations are for readers: C types stand in the .pxd


def extensions():
    """Every extension module, from its Python or Cython file."""
    kernels = Path("leafward/arrays/kernels")
    for layout in sorted(set(Path("leafward").rglob("*.pxd")) - set(kernels.rglob("*.pxd"))):
        # `native` has a C form of its own beside the Python one.
        path = next(layout.with_suffix(s) for s in (".pyx", ".py") if layout.with_suffix(s).exists())
        yield Extension(".".join(path.with_suffix("").parts), [str(path)], extra_compile_args=OPTIMIZE,
                        extra_link_args=SANITIZE)
    for path in sorted(kernels.glob("*.pyx")):
        # Theirs are, too; without them NumPy does the same.
        if sys.platform != "win32" or not path.stem.startswith(("rows_", "steps", "small_vectors")):
            yield kernel_extension(path, OPTIMIZE + THREADS)
    if sys.platform != "win32":                             # the loops are written in GNU C
        yield from derived_extensions(kernels / "derived", Path("build/derived"))


def kernel_extension(path, flags, name=None, folders=(), depends=()):
    """The extension module of a file with kernels."""
    import numpy
    kernels = Path("leafward/arrays/kernels")
    return Extension(
        name or ".".join(path.with_suffix("").parts), [str(path)],
        include_dirs=[str(kernels), *map(str, folders), numpy.get_include()],
        depends=sorted(map(str, [*included_by(path, kernels), *depends])),
        define_macros=[("NPY_NO_DEPRECATED_API", "NPY_2_0_API_VERSION")],
        extra_compile_args=flags, extra_link_args=THREADS + SANITIZE)


def included_by(path, folder):
    """The C files and headers in ``folder`` that a file names between quotes or as its sources, and those that these name."""
    found, ahead = set(), [path]
    while ahead:
        for name in re.findall(r'["/](\w+\.[ch])\b', ahead.pop().read_text()):
            if (folder / name) not in found and (folder / name).exists():
                found.add(folder / name)
                ahead.append(folder / name)
    return found


def derived_extensions(home, made):
    """How derived loops are called, and the loops themselves, written into ``made``: a module for each kind of processor."""
    yield kernel_extension(home / "call.pyx", OPTIMIZE + THREADS, folders=[home], depends=home.glob("layouts.*"))
    targets = [target for target, flags in TARGETS.items() if compiles("int x;\n", flags) is None]
    paths = os.pathsep.join(filter(None, [os.getcwd(), os.environ.get("PYTHONPATH")]))
    subprocess.run([sys.executable, "-m", "leafward.derive.kernels", str(made), *targets], check=True,
                   env={**os.environ, "LEAFWARD_INTERPRETED": "1", "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"})
    sources = [home / "loops.c", *home.glob("*.h"), made / "loops.inc"]
    for target in targets:
        yield kernel_extension(made / f"loops_{target}.c", OPTIMIZE + LOOPS + TARGETS[target],
                               ".".join([*home.parts, f"loops_{target}"]), [home, made], sources)


def obstacle():
    """Why nothing can be compiled here, or None."""
    if os.environ.get("LEAFWARD_INTERPRETED", "0") not in ("", "0"):
        return "LEAFWARD_INTERPRETED is set"
    if error := compiles("#include <Python.h>\n", []):
        return f"no C compiler with Python's headers ({error})"
    return None


def compiles(text, flags):
    """None where the compiler takes ``text``, and otherwise what it says."""
    from distutils.ccompiler import new_compiler
    from distutils.sysconfig import customize_compiler, get_python_inc
    with tempfile.TemporaryDirectory() as folder:
        probe = Path(folder, "probe.c")
        probe.write_text(text)
        try:
            compiler = new_compiler()
            customize_compiler(compiler)
            compiler.compile([str(probe)], output_dir=folder, include_dirs=[get_python_inc()], extra_postargs=flags)
        except (CCompilerError, ExecError, PlatformError) as error:
            return error
    return None


def compiled():
    """The extensions as C, or none of them: compiled and interpreted halves of the core would not fit each other."""
    if reason := obstacle():
        print(f"leafward: {reason}; installing the same files uncompiled: slower, otherwise identical", file=sys.stderr)
        return []
    from Cython.Build import cythonize
    return cythonize(list(extensions()), nthreads=JOBS, build_dir="build/cython", compiler_directives=DIRECTIVES,
                     quiet=True)


# The processes that Cython starts import this file again where they are no forks: from Python 3.14 on, on macOS, on Windows.
if __name__ == "__main__":
    # Asking for metadata runs it too, and must neither compile nor speak.
    building = {"bdist_wheel", "build", "build_ext", "editable_wheel", "install"} & set(sys.argv)
    setup(ext_modules=compiled() if building else [], options={"build_ext": {"parallel": JOBS}})
