"""Tensors of which each rank has a part: some of the rows."""
from leafward.arrays import reducing
from leafward.core.from_array import new_tensor
from leafward.core.tensor import array_of
from leafward.derive.functions import fns
from leafward.distributed import collectives
from leafward.distributed.placements import Shard
from leafward.distributed.reduce_op import ReduceOp
from leafward.tensor.tensor import Tensor, disabled_torch_function


class Part:
    """Which rows of a whole tensor this rank has: as many on each rank, but for the last ones.

    shape: of the whole tensor
    mesh: a mesh whose last dimension the rows are dealt out along
    """

    def __init__(self, shape, mesh):
        self.shape, self.mesh = tuple(shape), mesh
        self.group = mesh.get_group(mesh.ndim - 1)
        size, rank = self.group.size(), self.group.rank()
        self.most = -(-self.shape[0] // size)               # rows of the ranks that have most
        self.start = min(rank * self.most, self.shape[0])
        self.stop = min(self.start + self.most, self.shape[0])
        self.width = 1                                      # elements of a row
        for length in self.shape[1:]:
            self.width *= length

    def local_shape(self):
        """The shape of what this rank has."""
        return (self.stop - self.start, *self.shape[1:])

    def cut(self, whole):
        """This rank's rows of a whole tensor, in memory of their own."""
        return whole[self.start:self.stop].clone()

    def padded(self, array):
        """This rank's rows as a flat array, as long as on every other rank."""
        flat = array.reshape(-1)
        missing = self.most * self.width - flat.size
        return reducing.together([flat, reducing.zeros(missing, flat.dtype)], flat.dtype) if missing else flat

    def whole(self, local):
        """All rows: every rank of the group has to ask for them."""
        mine = new_tensor(self.padded(array_of(local)).copy(), local._dtype)
        out = new_tensor(reducing.empty_flat(mine._array.size * self.group.size(), mine._array.dtype), local._dtype)
        collectives.all_gather_single(out, mine, self.group)
        rows = out._array[:self.shape[0] * self.width].reshape(self.shape)
        return new_tensor(rows, local._dtype)


class InParts(Tensor):
    """A tensor of which each rank has a :class:`Part`. Arithmetic on it is arithmetic on this rank's rows."""

    part = None
    __torch_function__ = disabled_torch_function

    def of_part(self, part):
        """The same tensor, which knows what it is a part of."""
        self.part = part
        return self

    def detach(self):
        """The same memory without history, which still knows what it is a part of."""
        return ShardedTensor(super().detach(), self.part)

    def to_local(self):
        """This rank's rows, as a plain tensor."""
        return self.as_subclass(Tensor)

    def full_tensor(self):
        """All rows, on every rank: each has to call it."""
        return self.part.whole(self)

    @property
    def device_mesh(self):
        """The mesh whose last dimension the rows are dealt out along."""
        return self.part.mesh

    @property
    def placements(self):
        """How it lies along that dimension."""
        return (Shard(0),)

    def __deepcopy__(self, memo):
        if id(self) not in memo:
            memo[id(self)] = ShardedTensor(self.to_local().detach().clone(), self.part)
        return memo[id(self)]

    def __reduce_ex__(self, protocol):
        raise NotImplementedError("a tensor in parts is on several ranks: save it with torch.distributed.checkpoint.save, or "
                                  "give all ranks' rows by x.full_tensor(), this rank's by x.to_local()")


class ShardedTensor(InParts):
    """A tensor in parts that is no parameter: what ``state_dict()`` shows of one, and an optimizer's state of one."""

    def __new__(cls, local, part):
        return Tensor._make_subclass(cls, local).of_part(part)


def shown_in_parts(parameter, state):
    """An optimizer's state of a parameter: what is as long as the parameter's part is a part as well."""
    if not isinstance(parameter, InParts):
        return state
    return {key: ShardedTensor(value, parameter.part) if isinstance(value, Tensor) and value.dim() and
            value.shape == parameter.shape else value for key, value in state.items()}


def norm_over_ranks(in_parts, others, norm_type):
    """The norm of the gradients of parameters in parts, and of other gradients that are the same on all ranks."""
    if norm_type <= 0:
        raise NotImplementedError(f"a norm of order {norm_type} of gradients in parts is not there: use a positive one, or inf")
    largest = norm_type == float("inf")
    groups = {}                                             # a rank without any gradient still has to take part
    for p in in_parts:
        groups.setdefault(id(p.part.group), (p.part.group, []))[1].append(p)
    terms = [fns.linalg_vector_norm(grad, norm_type) for grad in others]
    for group, parameters in groups.values():
        norms = [fns.linalg_vector_norm(p.grad, norm_type) for p in parameters if p.grad is not None and p.grad.numel()]
        norm = fns.linalg_vector_norm(fns.stack(norms), norm_type) if norms else fns.zeros((), dtype=parameters[0].dtype)
        term = norm if largest else norm ** norm_type
        collectives.all_reduce(term, ReduceOp.MAX if largest else ReduceOp.SUM, group)
        terms.append(term if largest else term ** (1 / norm_type))
    return fns.linalg_vector_norm(fns.stack(terms), norm_type)
