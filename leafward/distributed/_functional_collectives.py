"""Collectives that give a new tensor and write to none, some with gradients. All of them wait: the tensor is there."""
from leafward.derive.functions import fns
from leafward.distributed import collectives
from leafward.distributed.device_mesh import DeviceMesh
from leafward.distributed.nn import functional
from leafward.distributed.reduce_op import ReduceOp
from leafward.distributed.world import get_process_group_ranks, group_or_default, new_group
from leafward.tensor.tensor import Tensor

#: How reductions are called here.
OPS = {"sum": ReduceOp.SUM, "avg": ReduceOp.AVG, "product": ReduceOp.PRODUCT, "min": ReduceOp.MIN, "max": ReduceOp.MAX,
       "band": ReduceOp.BAND, "bor": ReduceOp.BOR, "bxor": ReduceOp.BXOR}


class AsyncCollectiveTensor(Tensor):
    """A name to ask ``isinstance`` about: every tensor is there."""


def group_of(group):
    """A group, given as one, as ranks, as a mesh of one dimension, or as a mesh and the number of a dimension."""
    if isinstance(group, DeviceMesh):
        return group.get_group()
    if isinstance(group, tuple) and isinstance(group[0], DeviceMesh):
        return group[0].get_group(group[1])
    if isinstance(group, list):
        whole = group_or_default(None)
        return whole if group == get_process_group_ranks(whole) else new_group(group, use_local_synchronization=True)
    return group_or_default(group)


def kind(op):
    """A reduction by its name."""
    if str(op).lower() not in OPS:
        raise ValueError(f"{op} is no reduction: one of {', '.join(OPS)}")
    return OPS[str(op).lower()]


def wait_tensor(tensor):
    """The tensor, which is there."""
    return tensor


def broadcast(self, src, group, tag=""):
    """The tensor of rank ``src``, counted among all."""
    out = self.detach().clone().contiguous()
    collectives.broadcast(out, src, group_of(group))
    return out


def all_reduce(self, reduceOp, group, tag=""):
    """The tensors of all ranks, reduced."""
    out = self.detach().clone().contiguous()
    collectives.all_reduce(out, kind(reduceOp), group_of(group))
    return out


def all_gather_tensor(self, gather_dim, group, tag=""):
    """The tensors of all ranks, one behind the other along ``gather_dim``."""
    group = group_of(group)
    out = self.new_empty((group.size() * self.shape[0], *self.shape[1:]))
    collectives.all_gather_single(out, self.detach().contiguous(), group)
    return out if not gather_dim else fns.cat(list(out.chunk(group.size())), gather_dim)


def all_gather_tensor_autograd(self, gather_dim, group, tag=""):
    """:func:`all_gather_tensor` with gradients."""
    return fns.cat(list(functional.all_gather(self, group_of(group))), gather_dim)


def parts_along(tensor, dim, group):
    """As many parts along a dimension as there are ranks."""
    if tensor.shape[dim] % group.size():
        raise AssertionError(f"input dimension 0 ({tensor.shape[dim]}) must be a multiple of group_size ({group.size()})")
    return list(tensor.chunk(group.size(), dim))


def reduce_scatter_tensor(self, reduceOp, scatter_dim, group, tag=""):
    """A part of the reduced tensors for each rank, cut along ``scatter_dim``."""
    group = group_of(group)
    parts = [part.detach().contiguous() for part in parts_along(self, scatter_dim, group)]
    out = fns.zeros_like(parts[0])
    collectives.reduce_scatter(out, parts, kind(reduceOp), group)
    return out


def reduce_scatter_tensor_autograd(self, reduceOp, scatter_dim, group, tag=""):
    """:func:`reduce_scatter_tensor` with gradients."""
    group = group_of(group)
    parts = parts_along(self, scatter_dim, group)
    return functional.reduce_scatter(parts[0], parts, kind(reduceOp), group)


def all_reduce_coalesced(self, reduceOp, group, tag=""):
    """:func:`all_reduce` of several."""
    group = group_of(group)
    return [all_reduce(tensor, reduceOp, group) for tensor in self]


def all_gather_into_tensor_coalesced(self, group, tag=""):
    """:func:`all_gather_tensor` of several, along the first dimension."""
    group = group_of(group)
    return [all_gather_tensor(tensor, 0, group) for tensor in self]


def reduce_scatter_tensor_coalesced(inputs, reduceOp, scatter_dim, group, tag=""):
    """:func:`reduce_scatter_tensor` of several."""
    group = group_of(group)
    return [reduce_scatter_tensor(tensor, reduceOp, dim, group) for tensor, dim in zip(inputs, scatter_dim, strict=True)]


def all_to_all_single(self, output_split_sizes, input_split_sizes, group, tag=""):
    """Some rows to each rank, and some from each."""
    return functional.all_to_all_single(self, self.detach(), output_split_sizes, input_split_sizes, group_of(group))


def all_to_all_single_autograd(self, output_split_sizes, input_split_sizes, group, tag=""):
    """:func:`all_to_all_single` with gradients."""
    return functional.all_to_all_single(self, self, output_split_sizes, input_split_sizes, group_of(group))
