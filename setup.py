"""Compile the core and the kernels at install; where there is no C compiler, install the same files as they are.

A file is compiled when a ``.pxd`` with its C layout stands beside it, and every
``leafward/arrays/kernels/*.pyx`` is, with
the C files that its first lines name. ``LEAFWARD_INTERPRETED=1`` leaves them all uncompiled.
"""
import os
import sys
import tempfile
from pathlib import Path

from setuptools import Extension, setup
from setuptools.errors import CCompilerError, ExecError, PlatformError

JOBS = min(os.cpu_count() or 1, 8)
OPTIMIZE = ["/O2"] if sys.platform == "win32" else ["-O3", "-g0", "-w", "-fno-math-errno", "-fno-trapping-math"]
THREADS = [] if sys.platform == "win32" else ["-pthread"]
# `make sanitize`: what reads or writes outside its memory, and what C leaves undefined, ends the program with a report.
SANITIZE = ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"] if os.environ.get("LEAFWARD_SANITIZE") else []
if SANITIZE:
    OPTIMIZE = ["-O1", "-g", "-w", "-fno-omit-frame-pointer"] + SANITIZE
DIRECTIVES = {"language_level": 3, "binding": True, "embedsignature": False, "auto_pickle": False}


def extensions():
    """Every extension module, from its Python or Cython file."""
    kernels = Path("leafward/arrays/kernels")
    for layout in sorted(set(Path("leafward").rglob("*.pxd")) - set(kernels.rglob("*.pxd"))):
        # `native` has a C form of its own beside the Python one.
        path = next(layout.with_suffix(s) for s in (".pyx", ".py") if layout.with_suffix(s).exists())
        yield Extension(".".join(path.with_suffix("").parts), [str(path)], extra_compile_args=OPTIMIZE,
                        extra_link_args=SANITIZE)
    for path in sorted(kernels.glob("*.pyx")):
        import numpy
        yield Extension(
            ".".join(path.with_suffix("").parts), [str(path)],
            include_dirs=[str(kernels), numpy.get_include()], depends=sorted(str(header) for header in kernels.glob("*.h")),
            define_macros=[("NPY_NO_DEPRECATED_API", "NPY_2_0_API_VERSION")],
            extra_compile_args=OPTIMIZE + THREADS, extra_link_args=THREADS + SANITIZE)


def obstacle():
    """Why nothing can be compiled here, or None."""
    if os.environ.get("LEAFWARD_INTERPRETED", "0") not in ("", "0"):
        return "LEAFWARD_INTERPRETED is set"
    from distutils.ccompiler import new_compiler
    from distutils.sysconfig import customize_compiler, get_python_inc
    with tempfile.TemporaryDirectory() as folder:
        probe = Path(folder, "probe.c")
        probe.write_text("#include <Python.h>\n")
        try:
            compiler = new_compiler()
            customize_compiler(compiler)
            compiler.compile([str(probe)], output_dir=folder, include_dirs=[get_python_inc()])
        except (CCompilerError, ExecError, PlatformError) as error:
            return f"no C compiler with Python's headers ({error})"
    return None


def compiled():
    """The extensions as C, or none of them: compiled and interpreted halves of the core would not fit each other."""
    if reason := obstacle():
        print(f"leafward: {reason}; installing the same files uncompiled: slower, otherwise identical", file=sys.stderr)
        return []
    from Cython.Build import cythonize
    return cythonize(list(extensions()), nthreads=JOBS, build_dir="build/cython", compiler_directives=DIRECTIVES,
                     quiet=True)


# Asking for metadata runs this file too, and must neither compile nor speak.
building = {"bdist_wheel", "build", "build_ext", "editable_wheel", "install"} & set(sys.argv)
setup(ext_modules=compiled() if building else [], options={"build_ext": {"parallel": JOBS}})
