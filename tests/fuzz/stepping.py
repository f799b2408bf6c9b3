"""One program on both sides: each statement is run by PyTorch and by leafward, and all that there is then is compared."""
import re
import warnings

import leafward
from tests.fuzz import on_purpose
from tests.fuzz.comparing import Difference, compare_errors, compare_states
from tests.fuzz.kinds import LIGHT
from tests.fuzz.rounding import is_rounding
from tests.fuzz.sides import Side
from tests.oracle import torch

#: What a rounding of the program's own numbers changes as much in PyTorch.
ROUNDING = "rounding"


def unwatched(lines, side):
    """Nobody looks."""


class Stepper:
    """The state of one program on both sides."""

    def __init__(self, watch=unwatched):
        self.theirs, self.ours = Side(torch), Side(leafward)
        self.lines = []
        #: Sentences that differ, and what differs on purpose: the program goes on behind them.
        self.passed = []
        #: Of what kind which variable differs since: told once.
        self.seen = set()
        #: The versions that the variables were born with: PyTorch's kernels count their own writes.
        self.born = {}
        self.watch = watch

    def step(self, line):
        self.lines.append(line)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.watch(self.lines, "PyTorch")
            their_error = self.theirs.run(line)
            self.watch(self.lines, "leafward")
            our_error = self.ours.run(line)
            self.compare(line, our_error, their_error)

    def compare(self, line, our_error, their_error):
        """Raise the gravest difference, or pass one that later lines do not depend on."""
        try:
            compare_errors(our_error, their_error)
        except Difference as difference:
            difference.row = self.row_of(difference)
            if difference.kind != "sentence" and not (difference.row and self.is_harmless(line)):
                raise
            self.passed.append((difference, list(self.lines)))
            self.forget_new()
        both_raised = our_error is not None and their_error is not None
        try:
            compare_states(self.ours.variables(), self.theirs.variables(), self.seen, self.born)
        except Difference as difference:
            if both_raised:
                difference.text += " (both raised)"
            difference.row = self.row_of(difference)
            if difference.row is None and difference.kind in ("value", "gradient") and (
                    is_rounding(self.lines, difference, self.ours)):
                difference.row = ROUNDING
            if difference.kind not in LIGHT or difference.kind == "stride":
                raise
            self.passed.append((difference, list(self.lines)))
            self.seen.add((difference.kind, difference.where))
            self.compare(line, None, None)

    def row_of(self, difference):
        self.watch(self.lines, "PyTorch")           # which from here on runs the program again, in ways that may end it
        return on_purpose.row_of(difference, self.lines, self.theirs)

    @staticmethod
    def is_harmless(line):
        """It only makes new variables: where one side raised, the other's are forgotten."""
        return re.match(r"(with .*: )?v\d+ = ", line) is not None and re.search(r"\bout=|inplace=True|[a-z\d]_\(", line) is None

    def forget_new(self):
        """What only one side has made, no later line may use."""
        for name in set(self.ours.variables()) ^ set(self.theirs.variables()):
            self.ours.pop(name, None)
            self.theirs.pop(name, None)
