"""Small whole programs, run under both libraries: ``python -m bench.programs [names]``.

Each file has functions of a module ``torch`` that set a program up and return ``step()``: one step of its work, which returns
a number that both libraries must agree on. ``PROGRAMS`` says which there are.
"""
