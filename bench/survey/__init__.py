"""Every public call, layer and optimizer beside PyTorch's: ``python -m bench.survey --help``.

================== ===========================================================================================
``scale.py``       samples of declarations, grown to a size
``cases.py``       what there is to time: ops, methods, operators, in-place forms and creations, from declarations
``expressions.py`` indices, ``x.to(...)``, and what tensors are asked about themselves
``layers.py``      layers, from the examples in their docstrings; optimizers
``measure.py``     one cell: a statement under both libraries in turn
``workers.py``     a process for each family, so that a crash or a hang costs one cell
``limits.py``      what the machine could do: bytes and floating-point operations in a second
``report.py``      means, shares and worst cells; ``docs/benchmarks.md``; ``plot.py``: its picture
================== ===========================================================================================
"""

#: What a size says about the first large input, as rows and columns.
SIZES = {"4x8": (4, 8), "64x64": (64, 64), "1024x1024": (1024, 1024)}
MODES = ("plain", "no_grad", "trained")
FORMS = ("call", "method", "operator", "in place", "index", "question", "layer", "optimizer")
THREADS = 2             # of each library, unless the command says otherwise
