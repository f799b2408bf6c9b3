"""``python -m leafward.derive.kernels FOLDER TARGET...``: write the derived loops, and for each target the file to compile.

``setup.py`` runs this before it compiles. What is there already and would be the same is left alone, so that only a change in a
paragraph makes a build compile the loops again.
"""
import sys
from pathlib import Path

from leafward.derive.kernels.deriving import Sources, derive_all

#: What is compiled for a target: the loops, under a name of its own.
MODULE = """\
/* The derived kernels for the processors that {target} stands for. */
#define TARGET loops_{target}
#define TARGET_NAME "leafward.arrays.kernels.derived.loops_{target}"
#include "loops.c"
"""


def write(path, text):
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


folder, *targets = sys.argv[1:]
Path(folder).mkdir(parents=True, exist_ok=True)
write(Path(folder, "loops.inc"), Sources(derive_all()).text())
for target in targets:
    write(Path(folder, f"loops_{target}.c"), MODULE.format(target=target))
