"""How values of several ranks are combined."""
from enum import IntEnum


class RedOpType(IntEnum):
    """The kinds of :class:`ReduceOp`."""

    SUM, AVG, PRODUCT, MIN, MAX, BAND, BOR, BXOR, PREMUL_SUM = range(9)

    def __repr__(self):
        return f"<RedOpType.{self.name}: {self.value}>"

    def __str__(self):
        return f"RedOpType.{self.name}"


class ReduceOp:
    """How values of several ranks are combined: ``SUM``, ``AVG``, ``PRODUCT``, ``MIN``, ``MAX``, ``BAND``, ``BOR``, ``BXOR``.

    op: one of these

    >>> lw.distributed.ReduceOp.SUM
    <RedOpType.SUM: 0>
    """

    RedOpType = RedOpType

    def __init__(self, op):
        self.op = RedOpType(op)

    def __eq__(self, other):
        return self.op == (other.op if isinstance(other, ReduceOp) else other)

    def __hash__(self):
        return hash(self.op)

    def __repr__(self):
        return repr(self.op)


for _kind in RedOpType:
    setattr(ReduceOp, _kind.name, _kind)


def kind_of(op):
    """The :class:`RedOpType` that a user means."""
    if isinstance(op, ReduceOp):
        op = op.op
    if not isinstance(op, RedOpType):
        raise TypeError(f"op has to be a torch.distributed.ReduceOp, but got {op!r}")
    if op is RedOpType.PREMUL_SUM:
        raise TypeError("ReduceOp.PREMUL_SUM needs a factor, which only nccl takes: multiply the tensor before")
    return op
