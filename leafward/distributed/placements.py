"""How a tensor lies over the ranks of a mesh: in parts, whole on each, or as terms of a sum."""


class Placement:
    """How a tensor lies along one dimension of a :class:`~leafward.distributed.device_mesh.DeviceMesh`."""

    def is_shard(self, dim=None):
        """Whether each rank has a part, cut along ``dim``."""
        return False

    def is_replicate(self):
        """Whether each rank has all of it."""
        return False

    def is_partial(self, reduce_op=None):
        """Whether it is what reducing the ranks' tensors gives."""
        return False

    def facts(self):
        return (type(self),)

    def __eq__(self, other):
        return isinstance(other, Placement) and self.facts() == other.facts()

    def __hash__(self):
        return hash(self.facts())


class Shard(Placement):
    """Each rank has a part, cut along dimension ``dim``."""

    def __init__(self, dim):
        self.dim = dim

    def is_shard(self, dim=None):
        return dim is None or dim == self.dim

    def facts(self):
        return Shard, self.dim

    def __repr__(self):
        return f"Shard(dim={self.dim})"

    def __str__(self):
        return f"S({self.dim})"


class Replicate(Placement):
    """Each rank has all of it."""

    def is_replicate(self):
        return True

    def __repr__(self):
        return "Replicate()"

    def __str__(self):
        return "R"


class Partial(Placement):
    """It is what reducing the ranks' tensors by ``reduce_op`` gives."""

    def __init__(self, reduce_op="sum"):
        self.reduce_op = reduce_op

    def is_partial(self, reduce_op=None):
        return reduce_op is None or reduce_op == self.reduce_op

    def facts(self):
        return Partial, self.reduce_op

    def __repr__(self):
        return f"Partial({self.reduce_op})"

    def __str__(self):
        return f"P({self.reduce_op})"
