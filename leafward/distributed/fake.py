"""The backend that moves nothing: one rank of a job of any size, to count bytes and memory with."""
from collections import Counter


class Fake:
    """Every call ends at once, as if each other rank had what this one has; what one other alone has stays as it is.

    ``calls`` and ``bytes`` count, for each kind of call, how many there were, and how many bytes this rank gave to them.
    """

    detail = False

    def __init__(self, rank, size):
        self.rank, self.size = rank, size
        self.calls, self.bytes = Counter(), Counter()

    def start(self, call):
        """Do what one rank can, and end the call."""
        self.calls[call.kind] += 1
        self.bytes[call.kind] += 0 if call.data is None else call.data.nbytes
        data, out = call.data, call.out
        if call.kind == "allgather" or call.kind == "gather" and call.root == self.rank:
            out.reshape(self.size, -1)[...] = data
        elif call.kind == "reduce_scatter" or call.kind == "scatter" and call.root == self.rank:
            out[...] = data[self.rank * out.size:(self.rank + 1) * out.size]
        elif call.kind == "alltoall":
            length = min(out.size, data.size)
            out[:length] = data[:length]
        elif call.kind == "recv":
            call.work.source = self.rank if call.root is None else call.root
        call.work.finish()

    def reduces_in_place(self, dtype):
        """Whether gradients are best reduced where they lie."""
        return False

    def beside(self, call):
        """A comparison, which finds that all are alike."""
        call.work.finish()

    def why(self, work, patience):
        """Nothing is ever late."""

    def close(self):
        """Nothing is held."""
