"""``leafward explain train.py ...``: the graph of every loss in a program, in words."""

from leafward.app import run
from leafward.autograd.observer import Observer

USAGE = """usage: leafward explain script.py [argument ...]
       leafward explain -m module [argument ...]
       leafward explain -c code [argument ...]
       leafward explain - [argument ...]        the program comes from standard input

Runs the program as `leafward run` does. Before the first backward() of each line it prints the graph: every operation with its
line, what it keeps in memory, the leaves, and where histories were cut. The exit code is the program's own."""


class Explainer(Observer):
    """Prints the graph of the first backward from each place in the program."""

    def __init__(self):
        self.seen = set()

    def before_backward(self, roots):
        """A backward begins."""
        from leafward.core.native import call_site
        from leafward.trust.explain import explain_roots
        from leafward.trust.source import place
        site = call_site()
        key = None if site is None else (id(site[0]), site[1])
        if key not in self.seen:
            self.seen.add(key)
            where = "" if site is None else f"{place(site).where()}   "
            print(run.fit(explain_roots(roots, f"{where}backward()")))


def main(arguments):
    """Run the program that the arguments name, and print its graphs."""
    program, name = run.program_of(arguments, USAGE)
    if program is None:
        return name
    from leafward import autograd
    explainer = Explainer()
    autograd.observers.append(explainer)
    try:
        return run.code_of(program)
    finally:
        autograd.observers.remove(explainer)
