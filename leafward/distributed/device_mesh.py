"""``DeviceMesh``: ranks laid out in rows and columns, with a process group along each dimension."""
import itertools
import math

from leafward import dtypes
from leafward.core.from_array import tensor_from_array
from leafward.arrays import reducing
from leafward.distributed import world
from leafward.distributed.group import is_tensor


def laid_out(ranks, shape):
    """A flat list as nested lists of this shape."""
    for length in reversed(shape[1:]):
        ranks = [ranks[start:start + length] for start in range(0, len(ranks), length)]
    return ranks


class DeviceMesh:
    """Ranks laid out in a grid, and a process group along each of its dimensions.

    Each rank has to make it, since it makes groups. :func:`init_device_mesh` makes one of all ranks.

    device_type: ``"cpu"``
    mesh: the ranks, as nested lists or as a tensor
    mesh_dim_names: a name for each dimension; None: they have none

    >>> def row(rank):
    ...     mesh = DeviceMesh("cpu", [[0, 1], [2, 3]], mesh_dim_names=("replicate", "shard"))
    ...     return lw.distributed.get_process_group_ranks(mesh.get_group("shard"))
    >>> lw.distributed.run_ranks(row, 4)
    [[0, 1], [0, 1], [2, 3], [2, 3]]
    """

    def __init__(self, device_type, mesh, *, mesh_dim_names=None, _groups=None, _root=None):
        if not world.is_initialized():
            world.init_process_group()
        values = mesh if is_tensor(mesh) else tensor_from_array(reducing.numbers(mesh))
        self.mesh = values.to(dtypes.int32)
        self.device_type, self.mesh_dim_names = device_type, mesh_dim_names and tuple(mesh_dim_names)
        self.shape, self.ndim = tuple(values.shape), len(values.shape)
        self.ranks = values.reshape(-1).tolist()
        self.root = _root or self
        self.flattened = {}
        size = world.get_world_size()
        if len(self.ranks) > size or max(self.ranks) >= size:
            raise RuntimeError(f"Mesh should not be bigger than default world size {size}, but found {len(self.ranks)} ranks!")
        if len(set(self.ranks)) != len(self.ranks):
            raise RuntimeError(f"DeviceMesh cannot have two values that are the same, but got {self.ranks}")
        own = world.get_rank()
        self.own_index = self.ranks.index(own) if own in self.ranks else None
        self.groups = self.along_each() if _groups is None else _groups

    def along_each(self):
        """A group of this rank for each dimension; None where it is in none."""
        if self.ndim == 1 and self.ranks == list(range(world.get_world_size())):
            return [world.default_group()]
        return [world.new_subgroups_by_enumeration(self.lines(dim), group_desc=self.called(dim))[0] for dim in range(self.ndim)]

    def lines(self, dim):
        """The ranks of each line along one dimension."""
        step = math.prod(self.shape[dim + 1:])
        starts = [start for start in range(len(self.ranks)) if start // step % self.shape[dim] == 0]
        return [[self.ranks[start + k * step] for k in range(self.shape[dim])] for start in starts]

    def called(self, dim):
        """The name of a dimension; without one, its number."""
        return self.mesh_dim_names[dim] if self.mesh_dim_names else str(dim)

    def dimension(self, given):
        """The number of a dimension, given by name or number."""
        if isinstance(given, str):
            if given not in (self.mesh_dim_names or ()):
                raise KeyError(f"Mesh dimension '{given}' does not exist.",
                               f"Available mesh dimensions are: mesh_dim_names={self.mesh_dim_names}")
            return self.mesh_dim_names.index(given)
        return given

    def only(self, given, advice):
        """The number of a dimension, which may be left out where there is one."""
        if given is None and self.ndim > 1:
            raise RuntimeError(f"Found the DeviceMesh have {self.ndim} dimensions",
                               f"Optional kwarg `mesh_dim` needs to be specified when device_mesh.ndim > 1.{advice}")
        return 0 if given is None else self.dimension(given)

    def size(self, mesh_dim=None):
        """How many ranks there are, in all or along one dimension."""
        return len(self.ranks) if mesh_dim is None else self.shape[self.dimension(mesh_dim)]

    def get_group(self, mesh_dim=None):
        """The process group along a dimension; it may be left out where there is one."""
        return self.groups[self.only(mesh_dim, " If you want all of them, use `get_all_groups()` instead.")]

    def get_all_groups(self):
        """The process groups along all dimensions."""
        return list(self.groups)

    def get_rank(self):
        """This process's rank among all."""
        return world.get_rank()

    def get_local_rank(self, mesh_dim=None):
        """This process's rank along a dimension."""
        dim = self.only(mesh_dim, "")
        return self.get_coordinate()[dim]

    def get_coordinate(self):
        """Where in the grid this process is; None outside it."""
        if self.own_index is None:
            return None
        return tuple([self.own_index // math.prod(self.shape[dim + 1:]) % self.shape[dim] for dim in range(self.ndim)])

    def __getitem__(self, names):
        """The part of the grid along some named dimensions in which this process is."""
        if not self.mesh_dim_names:
            raise RuntimeError("Cannot slice a DeviceMesh without mesh_dim_names!")
        names = (names,) if isinstance(names, str) else tuple(names)
        if names == self.mesh_dim_names:
            return self
        flattened = self.root.flattened
        if len(names) == 1 and names[0] in flattened:
            return flattened[names[0]]
        if any([name not in self.mesh_dim_names for name in names]):
            raise KeyError(f"Invalid mesh_dim_names {names} specified. Valid mesh_dim_names are "
                           f"{[*self.mesh_dim_names, *flattened]}.")
        dims = [self.mesh_dim_names.index(name) for name in names]
        if dims != sorted(dims):
            raise KeyError(f"Invalid mesh_dim_names {names} specified. Mesh dim indices should be in ascending order.")
        here = self.get_coordinate() or (0,) * self.ndim
        part = [self.ranks[index] for index, where in enumerate(itertools.product(*map(range, self.shape)))
                if all([where[dim] == here[dim] for dim in range(self.ndim) if dim not in dims])]
        return DeviceMesh(self.device_type, laid_out(part, [self.shape[dim] for dim in dims]), mesh_dim_names=names,
                          _groups=[self.groups[dim] for dim in dims], _root=self.root)

    def _flatten(self, mesh_dim_name=None):
        """All dimensions as one, under a name."""
        name = mesh_dim_name or "_".join(self.mesh_dim_names)
        if self.ndim == 1:
            return self
        if name not in self.root.flattened:
            # Each part of a sliced grid is flattened by its own ranks, so only they make its group.
            group = world.new_group(self.ranks, use_local_synchronization=True, sort_ranks=False, group_desc=name)
            self.root.flattened[name] = DeviceMesh(self.device_type, self.ranks, mesh_dim_names=(name,), _groups=[group],
                                                   _root=self.root)
        return self.root.flattened[name]

    def _get_root_mesh(self):
        """The grid that this one is a part of."""
        return self.root

    @staticmethod
    def from_group(group, device_type, mesh=None, *, mesh_dim_names=None):
        """A grid over process groups that there are.

        group: a group, or a list with one for each dimension of ``mesh``
        device_type: ``"cpu"``
        mesh: the ranks; with one group they are the group's
        mesh_dim_names: a name for each dimension
        """
        groups = list(group) if isinstance(group, (list, tuple)) else [group]
        if mesh is None:
            if len(groups) > 1:
                raise ValueError("Must pass mesh if passing multiple ProcessGroups")
            mesh = world.get_process_group_ranks(groups[0])
        found = DeviceMesh(device_type, mesh, mesh_dim_names=mesh_dim_names, _groups=groups)
        if found.ndim != len(groups):
            raise ValueError(f"Expects mesh with ndim equal to number of ProcessGroups but got mesh {found.mesh.tolist()} and "
                             f"{len(groups)} ProcessGroups")
        return found

    def facts(self):
        return self.device_type, self.shape, self.mesh_dim_names, tuple(self.ranks)

    def __eq__(self, other):
        return isinstance(other, DeviceMesh) and self.facts() == other.facts()

    def __hash__(self):
        return hash(self.facts())

    def __repr__(self):
        lengths = [f"{name}={n}" for name, n in zip(self.mesh_dim_names, self.shape, strict=True)] \
            if self.mesh_dim_names else list(map(str, self.shape))
        grid = ", ".join(lengths) + "," * (self.ndim == 1 and not self.mesh_dim_names)
        strides = [self.ranks[math.prod(self.shape[dim + 1:])] - self.ranks[0] if self.shape[dim] > 1
                   else math.prod(self.shape[dim + 1:]) for dim in range(self.ndim)]
        return f"DeviceMesh(({grid}), '{self.device_type}', stride={tuple(strides)})"


def init_device_mesh(device_type, mesh_shape, *, mesh_dim_names=None, backend_override=None):
    """All ranks in a grid, row by row, with a process group along each dimension: a :class:`DeviceMesh`.

    device_type: ``"cpu"``
    mesh_shape: how many ranks along each dimension
    mesh_dim_names: a name for each dimension; None: they have none
    backend_override: for PyTorch's programs; there is one backend

    >>> def grid(rank):
    ...     mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=("dp", "tp"))
    ...     return mesh, mesh.get_coordinate(), mesh["tp"].mesh.tolist()
    >>> lw.distributed.run_ranks(grid, 4)[3]
    (DeviceMesh((dp=2, tp=2), 'cpu', stride=(2, 1)), (1, 1), [2, 3])
    """
    mesh_shape = tuple(mesh_shape)
    if not device_type.isalpha():
        raise RuntimeError(f"Device type with index is not supported but got {device_type}. ",
                           "If you maintained a 'torch.device' object, it's recommended to pass in 'device.type'.")
    if mesh_dim_names is not None:
        if len(set(mesh_dim_names)) != len(mesh_dim_names):
            raise RuntimeError("Each mesh_dim_name must be unique. Found repeated mesh_dim_name in mesh_dim_names "
                               f"{mesh_dim_names}")
        if len(mesh_dim_names) != len(mesh_shape):
            raise RuntimeError("mesh_shape and mesh_dim_names should have same length! Found len(mesh_dim_names): "
                               f"{len(mesh_dim_names)} and len(mesh_shape):{len(mesh_shape)}.")
    return DeviceMesh(device_type, laid_out(list(range(math.prod(mesh_shape))), mesh_shape), mesh_dim_names=mesh_dim_names)
