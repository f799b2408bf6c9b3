"""One kind of difference on purpose, and whether a difference is of it."""
import re
from dataclasses import dataclass

from tests.fuzz.faults import has_several
from tests.fuzz.names import ops_of


@dataclass(frozen=True)
class OnPurpose:
    """One kind of difference. ``row``: how the row's first cell begins; ``ops`` of the last line; ``said``: a pattern."""

    row: str
    kinds: tuple
    program: str
    ops: tuple = ()
    said: str = ""
    line: str = ""
    empty: bool = False         # some operand of the line has no elements
    before: str = ""            # a pattern in the lines before
    within: str = ""            # a pattern in all lines
    elsewhere: bool = False     # what differs is not what the line writes, but shares its memory
    shared: bool = False        # two operands are different tensors on one memory
    narrow: bool = False        # the last dim of an operand has size one
    faults: bool = False        # several things are wrong with the call
    orders: bool = False        # its operands lie in memory in several orders, or repeat their elements

    def matches(self, difference, lines, variables):
        line = lines[-1]
        operands = [variables.get(name) for name in re.findall(r"v\d+", line)]
        return (not self.empty or any(getattr(x, "nbytes", None) == 0 for x in operands)) and (
            not self.shared or share_memory(operands)) and (
            not self.narrow or any(tuple(getattr(x, "shape", ()))[-1:] == (1,) for x in operands)) and (
            not self.orders or several_orders(operands)) and (
            not self.elsewhere or re.search(rf"\bout={difference.where.partition('[')[0]}\b", line) is None) and (
            not self.before or re.search(self.before, "\n".join(lines[:-1])) is not None) and (
            not self.within or re.search(self.within, "\n".join(lines)) is not None) and (difference.kind in self.kinds
                and (not self.ops or any(name in self.ops for name in ops_of(line)))
                and (not self.line or re.search(self.line, line) is not None)
                and (not self.said or re.search(self.said, difference.text) is not None)
                and (not self.faults or has_several(lines, difference.raised)))


def share_memory(operands):
    """Whether two of them are different tensors on one memory."""
    tensors = {id(x): x.untyped_storage()._cdata for x in operands if str(getattr(x, "layout", "")) == "torch.strided"}
    return len(set(tensors.values())) < len(tensors)


def several_orders(operands):
    """One of them repeats elements, or two dims of them lie in memory in one order here and in the other there."""
    steps = [[s for s, n in zip(x.stride(), x.shape) if n > 1] for x in operands if hasattr(x, "stride") and x.numel()]
    return any(0 in s for s in steps) or len({tuple(sorted(range(-len(s), 0), key=lambda k: -s[k])) for s in steps}) > 1
