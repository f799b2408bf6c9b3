"""What every rank does in the tests of collectives: the same calls under leafward and under PyTorch's gloo.

Each case is a function of a :class:`Rank`; what it returns is made comparable by :func:`plain`, what it raises by the
exception's type and its first line.
"""
import sys
from itertools import product

DTYPES = ("float32 float64 float16 bfloat16 int8 uint8 int16 uint16 int32 uint32 int64 uint64 bool complex64 "
          "complex128").split()
OPS = "SUM AVG PRODUCT MIN MAX BAND BOR BXOR".split()
LAYOUTS = "contiguous transposed strided empty zero_dim".split()
CASES = {}


class Rank:
    """A rank of the job: the library under test, and where in the job it stands."""

    def __init__(self, torch, rank, size):
        self.torch, self.dist, self.rank, self.size = torch, torch.distributed, rank, size

    def tensor(self, dtype="float32", layout="contiguous", shift=0):
        """Values that differ from rank to rank; small, so that sums and products are exact in every dtype."""
        torch = self.torch
        start = torch.arange(6, dtype=torch.int64) * 2 + self.rank * 3 + shift
        values = (start % 5 + 1).to(getattr(torch, dtype)) if dtype != "bool" else (start % 4 > 1)
        if layout == "transposed":
            return values.reshape(2, 3).t()
        if layout == "strided":
            return values[::2]
        if layout == "empty":
            return values[:0]
        if layout == "zero_dim":
            return values[1].clone()
        return values.reshape(2, 3)

    def reduction(self, op):
        return getattr(self.dist.ReduceOp, op)


def registering(cases):
    """A decorator that adds cases; ``over``: lists of arguments, each combination a case of its own."""
    def case(function=None, *, over=None):
        if function is None:
            return lambda f: case(f, over=over)
        for arguments in product(*(over or [])):
            cases["-".join([function.__name__, *map(str, arguments)])] = lambda r, a=arguments: function(r, *a)
        return function
    return case


case = registering(CASES)


def plain(value):
    """A result as nested lists and strings, which pickle and compare."""
    if hasattr(value, "tolist"):
        return str(value.dtype).split(".")[-1], tuple(value.shape), value.tolist()
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    return value if isinstance(value, (int, float, str, bytes, bool, type(None))) else repr(value)


def outcome(function, rank):
    """What a case gives, or how it ends."""
    try:
        return "gives", plain(function(rank))
    except Exception as error:
        return "raises", type(error).__name__, str(error).split("\n")[0]


# ---- reductions

@case(over=[DTYPES, OPS])
def all_reduce(r, dtype, op):
    x = r.tensor(dtype)
    result = r.dist.all_reduce(x, r.reduction(op))
    return x, result, x._version


@case(over=[["float32", "bfloat16", "int64", "bool"], LAYOUTS])
def all_reduce_layout(r, dtype, layout):
    x = r.tensor(dtype, layout)
    r.dist.all_reduce(x)
    return x, list(x.stride())


@case(over=[DTYPES, OPS])
def reduce(r, dtype, op):
    x = r.tensor(dtype)
    r.dist.reduce(x, 1, r.reduction(op))
    return x if r.rank == 1 else None


@case(over=[DTYPES, OPS])
def reduce_scatter(r, dtype, op):
    out = r.tensor(dtype)
    r.dist.reduce_scatter(out, [r.tensor(dtype, shift=k) for k in range(r.size)], r.reduction(op))
    return out


@case(over=[DTYPES, OPS])
def reduce_scatter_tensor(r, dtype, op):
    whole = r.torch.cat([r.tensor(dtype, shift=k) for k in range(r.size)])
    out = r.tensor(dtype)
    r.dist.reduce_scatter_single(out, whole, r.reduction(op))
    return out, whole


# ---- moves

@case(over=[DTYPES, ["contiguous"]])
@case(over=[["float32", "bool"], LAYOUTS[1:]])
def broadcast(r, dtype, layout):
    x = r.tensor(dtype, layout)
    r.dist.broadcast(x, 1)
    return x, x._version


@case(over=[DTYPES, ["contiguous"]])
@case(over=[["float32", "bool"], LAYOUTS[1:]])
def all_gather(r, dtype, layout):
    outs = [r.tensor(dtype, layout, shift=1) for _ in range(r.size)]
    r.dist.all_gather(outs, r.tensor(dtype, layout))
    return outs


@case
def all_gather_of_other_sizes(r):
    outs = [r.torch.zeros(k + 1) for k in range(r.size)]
    r.dist.all_gather(outs, r.torch.full((r.rank + 1,), float(r.rank)))
    return outs


@case(over=[DTYPES])
def all_gather_single(r, dtype):
    out = r.torch.cat([r.tensor(dtype)] * r.size)
    r.dist.all_gather_single(out, r.tensor(dtype))
    return out


@case
def all_gather_single_stacked(r):
    stacked = r.torch.stack([r.tensor()] * r.size)
    r.dist.all_gather_single(stacked, r.tensor())


@case
def all_gather_single_layouts(r):
    found = []
    for layout in LAYOUTS:
        mine = r.tensor("float32", layout)
        out = r.torch.zeros(r.size * mine.numel())
        r.dist.all_gather_single(out, mine)
        found.append(out)
    return found


@case(over=[DTYPES, ["contiguous"]])
@case(over=[["float32", "bool"], LAYOUTS[1:]])
def gather(r, dtype, layout):
    outs = [r.tensor(dtype, layout, shift=1) for _ in range(r.size)] if r.rank == 1 else None
    r.dist.gather(r.tensor(dtype, layout), outs, dst=1)
    return outs


@case(over=[DTYPES, ["contiguous"]])
@case(over=[["float32", "bool"], LAYOUTS[1:]])
def scatter(r, dtype, layout):
    parts = [r.tensor(dtype, layout, shift=k + 1) for k in range(r.size)] if r.rank == 1 else None
    out = r.tensor(dtype, layout)
    r.dist.scatter(out, parts, src=1)
    return out


@case(over=[DTYPES, ["contiguous"]])
@case(over=[["float32", "bool"], LAYOUTS[1:]])
def all_to_all(r, dtype, layout):
    outs = [r.tensor(dtype, layout) for _ in range(r.size)]
    r.dist.all_to_all(outs, [r.tensor(dtype, layout, shift=2 * k) for k in range(r.size)])
    return outs


@case
def all_to_all_of_other_sizes(r):
    outs = [r.torch.zeros(k + r.rank) for k in range(r.size)]
    r.dist.all_to_all(outs, [r.torch.full((k + r.rank,), float(r.rank * 10 + k)) for k in range(r.size)])
    return outs


@case(over=[DTYPES])
def all_to_all_single(r, dtype):
    x = r.torch.cat([r.tensor(dtype, shift=k) for k in range(r.size)])
    out = r.torch.zeros_like(x)
    r.dist.all_to_all_single(out, x)
    return out


@case
def all_to_all_single_in_parts(r):
    x = r.torch.arange(r.size * (r.size + 1) // 2 * 2).reshape(-1, 2) + 100 * r.rank
    out = r.torch.zeros(r.size * (r.rank + 1), 2, dtype=x.dtype)
    r.dist.all_to_all_single(out, x, [r.rank + 1] * r.size, [k + 1 for k in range(r.size)])
    return out


@case(over=[DTYPES, ["contiguous"]])
@case(over=[["float32"], LAYOUTS[1:]])
def send_and_recv(r, dtype, layout):
    x = r.tensor(dtype, layout)
    if r.rank == 0:
        return r.dist.send(x, 1)
    if r.rank == 1:
        return r.dist.recv(x, 0), x
    return None


@case
def recv_from_any(r):
    if r.rank:
        r.dist.send(r.torch.full((2,), float(r.rank)), 0, tag=7)
        return None
    found = {}
    for _ in range(r.size - 1):
        x = r.torch.zeros(2)
        source = r.dist.recv(x, tag=7)
        found[source] = x
    return dict(sorted(found.items()))


@case
def tags_choose(r):
    if r.rank == 0:
        works = [r.dist.isend(r.torch.full((2,), float(tag)), 1, tag=tag) for tag in (1, 2, 3)]
        for work in works:
            work.wait()
    if r.rank == 1:
        outs = {tag: r.torch.zeros(2) for tag in (3, 1, 2)}
        works = [r.dist.irecv(out, 0, tag=tag) for tag, out in outs.items()]
        for work in works:
            work.wait()
        return outs
    return None


@case
def a_ring_in_a_batch(r):
    x, out = r.tensor(), r.torch.zeros(2, 3)
    works = r.dist.batch_isend_irecv([r.dist.P2POp(r.dist.isend, x, (r.rank + 1) % r.size),
                                      r.dist.P2POp(r.dist.irecv, out, (r.rank - 1) % r.size)])
    for work in works:
        work.wait()
    return out


# ---- several at once, later

@case
def all_reduce_coalesced(r):
    xs = [r.tensor("float32"), r.tensor("float32", "transposed"), r.tensor("float32", "zero_dim")]
    r.dist.all_reduce_coalesced(xs)
    return xs


@case
def all_gather_coalesced(r):
    mine = [r.tensor("float32"), r.tensor("float32", "zero_dim")]
    outs = [[r.torch.zeros_like(x) for x in mine] for _ in range(r.size)]
    r.dist.all_gather_coalesced(outs, mine)
    return outs


@case
def works(r):
    x = r.tensor()
    work = r.dist.all_reduce(x, async_op=True)
    waited = work.wait()
    y = r.tensor()
    future = r.dist.broadcast(y, 0, async_op=True).get_future()
    value = future.wait()
    return waited, work.is_completed(), x, value if isinstance(value, list) else [value], y


@case
def many_at_once(r):
    xs = [r.torch.full((100,), float(k + r.rank)) for k in range(20)]
    works = [r.dist.all_reduce(x, async_op=True) for x in xs]
    for work in reversed(works):
        work.wait()
    return xs


@case
def barriers(r):
    return r.dist.barrier(), r.dist.barrier(async_op=True).wait(), r.dist.monitored_barrier()


# ---- objects

@case
def objects(r):
    mine = {"rank": r.rank, "text": "x" * (r.rank + 1)}
    everyone = [None] * r.size
    r.dist.all_gather_object(everyone, mine)
    here = [None] * r.size if r.rank == 1 else None
    r.dist.gather_object(mine, here, dst=1)
    shared = [mine, r.rank, "same"]
    r.dist.broadcast_object_list(shared, src=1)
    part = [None]
    r.dist.scatter_object_list(part, [("for", k) for k in range(r.size)] if r.rank == 0 else None, src=0)
    return repr((everyone, here, shared, part))


@case
def objects_from_one_to_one(r):
    if r.rank == 0:
        return r.dist.send_object_list([{"a": 1}, "b"], dst=1)
    if r.rank == 1:
        found = [None, None]
        return r.dist.recv_object_list(found, src=0), repr(found)
    return None


# ---- groups

@case
def ranks(r):
    dist = r.dist
    return (dist.get_rank(), dist.get_world_size(), dist.is_initialized(),
            dist.get_process_group_ranks(dist.group.WORLD), dist.get_global_rank(dist.group.WORLD, 1))


@case
def groups_by_members(r):
    dist = r.dist
    if r.rank < 2:
        pair = dist.new_group([0, 1], use_local_synchronization=True)
        x = r.tensor()
        dist.all_reduce(x, group=pair)
        return x
    return None


@case
def groups(r):
    dist = r.dist
    pair = dist.new_group([0, 1])
    last = dist.new_group([r.size - 1])
    found = [dist.get_rank(pair), dist.get_world_size(pair), dist.get_rank(last)]
    x = r.tensor()
    if r.rank < 2:
        dist.all_reduce(x, group=pair)
        found.append([dist.get_global_rank(pair, 1), dist.get_group_rank(pair, 0), dist.get_process_group_ranks(pair)])
        dist.destroy_process_group(pair)
    y = r.tensor()
    if r.rank == r.size - 1:
        dist.broadcast(y, r.rank, group=last)
    return found, x, y


@case
def groups_in_opposite_order(r):
    dist = r.dist
    first, second = dist.new_group(list(range(r.size))), dist.new_group(list(range(r.size)))
    x, y = r.tensor(), r.tensor(shift=1)
    if r.rank % 2:
        works = [dist.all_reduce(x, group=first, async_op=True), dist.all_reduce(y, group=second, async_op=True)]
    else:
        works = [dist.all_reduce(y, group=second, async_op=True), dist.all_reduce(x, group=first, async_op=True)]
    for work in works:
        work.wait()
    return x, y


@case
def subgroups(r):
    if r.size % 2:
        return None
    mine, every = r.dist.new_subgroups(2)
    x = r.tensor()
    r.dist.all_reduce(x, group=mine)
    other, _ = r.dist.new_subgroups_by_enumeration([[0, r.size - 1], list(range(1, r.size - 1))] if r.size > 2 else [[0, 1]])
    return x, len(every), r.dist.get_process_group_ranks(other)


@case
def a_rank_outside(r):
    pair = r.dist.new_group([0, 1])
    x = r.tensor()
    result = r.dist.all_reduce(x, group=pair)
    return result, x


# ---- what is refused

def refused(number, call):
    CASES[f"refused-{number:02}"] = call


for position, call in enumerate([
    lambda r: r.dist.all_reduce([1.0]),
    lambda r: r.dist.all_reduce(r.tensor(), op="sum"),
    lambda r: r.dist.all_reduce(r.tensor(), r.dist.ReduceOp.PREMUL_SUM),
    lambda r: r.dist.broadcast(r.tensor()),
    lambda r: r.dist.broadcast(r.tensor(), 99),
    lambda r: r.dist.broadcast(r.tensor(), -1),
    lambda r: r.dist.broadcast(r.tensor(), src=0, group_src=0),
    lambda r: r.dist.reduce(r.tensor()),
    lambda r: r.dist.reduce(r.tensor(), 99),
    lambda r: r.dist.all_gather([r.tensor()], r.tensor()),
    lambda r: r.dist.all_gather([r.tensor("int64")] * r.size, r.tensor()),
    lambda r: r.dist.all_gather([], r.tensor()),
    lambda r: r.dist.all_gather(r.tensor(), r.tensor()),
    lambda r: r.dist.all_gather([r.torch.zeros(3)] * r.size, r.tensor()) and None,
    lambda r: r.dist.all_gather_single(r.torch.zeros(5), r.tensor()),
    lambda r: r.dist.all_gather_single(r.torch.zeros(6 * r.size, dtype=r.torch.float64), r.tensor()),
    lambda r: r.dist.gather(r.tensor(), None, dst=r.rank),
    lambda r: r.dist.gather(r.tensor(), [r.tensor()] * r.size, dst=(r.rank + 1) % r.size),
    lambda r: r.dist.gather(r.tensor(), [r.tensor()], dst=r.rank),
    lambda r: r.dist.scatter(r.tensor(), None, src=r.rank),
    lambda r: r.dist.scatter(r.tensor(), [r.tensor()] * r.size, src=(r.rank + 1) % r.size),
    lambda r: r.dist.scatter(r.tensor(), [r.tensor()], src=r.rank),
    lambda r: r.dist.scatter(r.tensor(), [r.tensor("int64")] * r.size, src=r.rank),
    lambda r: r.dist.scatter(r.tensor(), [r.torch.zeros(3)] * r.size, src=r.rank),
    lambda r: r.dist.reduce_scatter(r.tensor(), [r.tensor()]),
    lambda r: r.dist.reduce_scatter(r.tensor(), [r.tensor("int64")] * r.size),
    lambda r: r.dist.reduce_scatter_single(r.tensor(), r.torch.zeros(5)),
    lambda r: r.dist.reduce_scatter_single(r.tensor(), r.torch.zeros(6 * r.size, dtype=r.torch.float64)),
    lambda r: r.dist.all_to_all([r.tensor()], [r.tensor()]),
    lambda r: r.dist.all_to_all([r.tensor("int64")] * r.size, [r.tensor()] * r.size),
    lambda r: r.dist.all_to_all_single(r.torch.zeros(6), r.torch.zeros(6), [1], [1]),
    lambda r: r.dist.all_to_all_single(r.torch.zeros(6), r.torch.zeros(6), [1] * r.size, [1] * r.size),
    lambda r: r.dist.all_to_all_single(r.torch.zeros(2 * r.size), r.torch.zeros(2 * r.size, dtype=r.torch.int64)),
    lambda r: r.dist.send(r.tensor(), r.rank),
    lambda r: r.dist.send("text", 1),
    lambda r: r.dist.recv(r.tensor(), r.rank),
    lambda r: r.dist.isend(r.tensor(), r.rank),
    lambda r: r.dist.batch_isend_irecv([]),
    lambda r: r.dist.batch_isend_irecv([1]),
    lambda r: r.dist.P2POp(r.dist.send, r.tensor(), 1),
    lambda r: r.dist.P2POp(r.dist.isend, r.tensor()),
    lambda r: r.dist.all_reduce_coalesced([]),
    lambda r: r.dist.all_reduce_coalesced([r.tensor(), r.tensor("int64")]),
    lambda r: r.dist.new_group([0, 99]),
    lambda r: r.dist.new_group(list(range(r.size + 1))),
    lambda r: r.dist.new_subgroups(r.size + 1),
    lambda r: r.dist.new_subgroups_by_enumeration([[0], [0]]),
    lambda r: r.dist.new_subgroups_by_enumeration([]),
    lambda r: r.dist.new_subgroups_by_enumeration(None),
    lambda r: r.dist.get_global_rank(r.dist.group.WORLD, 99),
    lambda r: r.dist.get_group_rank(r.dist.group.WORLD, 99),
    lambda r: r.dist.init_process_group("gloo"),
    lambda r: r.dist.all_gather_object([None] * 0, 1),
    lambda r: r.dist.scatter_object_list([], [1] * r.size, src=0),
    lambda r: r.dist.broadcast_object_list([1]),
    lambda r: r.dist.gather_object(1, None, dst=r.rank),
    lambda r: r.dist.get_backend(3),
    lambda r: r.dist.monitored_barrier(timeout=3),
    lambda r: r.dist.barrier(device_ids=3),
    lambda r: r.dist.destroy_process_group(3),
    lambda r: r.dist.all_reduce(r.torch.zeros(3).to(r.torch.float8_e4m3fn)),
    lambda r: r.dist.all_reduce(r.torch.zeros(3).to(r.torch.float8_e5m2), r.dist.ReduceOp.MAX),
]):
    refused(position, call)


def run(torch, rank, size, cases=CASES):
    """Every case on this rank: ``{name: outcome}``."""
    mine = Rank(torch, rank, size)
    return {name: outcome(function, mine) for name, function in cases.items()}


if __name__ == "__main__":
    from tests.distributed import gloo
    gloo.main(run, sys.argv)
