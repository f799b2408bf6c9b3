"""More of what every rank does under leafward and under PyTorch's gloo: what is waited for later, what has gradients."""
import sys
from importlib import import_module

from tests.distributed import collective_cases
from tests.distributed.collective_cases import LAYOUTS, registering

CASES = {}
case = registering(CASES)


@case(over=[["float32", "bfloat16", "int64"], LAYOUTS[1:]])
def reductions_of_layouts(r, dtype, layout):
    x, out = r.tensor(dtype, layout), r.tensor(dtype, layout)
    r.dist.reduce(x, 1)
    r.dist.reduce_scatter(out, [r.tensor(dtype, layout, shift=k) for k in range(r.size)])
    return x if r.rank == 1 else None, out


def started(r, name, dtype):
    """``(work, what it writes)`` of a collective that is on its way."""
    dist, x, zeros = r.dist, r.tensor(dtype), r.torch.zeros_like(r.tensor(dtype))
    each = [zeros.clone() for _ in range(r.size)]
    all_of_them = r.torch.cat([r.tensor(dtype, shift=k) for k in range(r.size)])
    parts = [r.tensor(dtype, shift=k) for k in range(r.size)]
    here = r.rank == 1
    later = {"async_op": True}
    return {
        "all_reduce": lambda: (dist.all_reduce(x, **later), x),
        "reduce": lambda: (dist.reduce(x, 1, **later), x if here else None),
        "broadcast": lambda: (dist.broadcast(x, 1, **later), x),
        "all_gather": lambda: (dist.all_gather(each, x, **later), each),
        "all_gather_single": lambda: (dist.all_gather_single(r.torch.cat(each), x, **later), None),
        "gather": lambda: (dist.gather(x, each if here else None, dst=1, **later), each if here else None),
        "scatter": lambda: (dist.scatter(zeros, parts if here else None, src=1, **later), zeros),
        "reduce_scatter": lambda: (dist.reduce_scatter(zeros, parts, **later), zeros),
        "reduce_scatter_single": lambda: (dist.reduce_scatter_single(zeros, all_of_them, **later), zeros),
        "all_to_all": lambda: (dist.all_to_all(each, parts, **later), each),
        "all_to_all_single": lambda: (dist.all_to_all_single(all_of_them, all_of_them.clone(), **later), all_of_them),
        "all_reduce_coalesced": lambda: (dist.all_reduce_coalesced([x, zeros], **later), [x, zeros]),
        "barrier": lambda: (dist.barrier(**later), None),
    }[name]()


@case(over=["all_reduce reduce broadcast all_gather all_gather_single gather scatter reduce_scatter reduce_scatter_single "
            "all_to_all all_to_all_single all_reduce_coalesced barrier".split(), ["float32", "float16", "int64", "bool"]])
def later(r, name, dtype):
    work, written = started(r, name, dtype)
    work.wait()
    return written


@case
def all_later_at_once(r):
    names = "all_reduce broadcast all_gather scatter reduce_scatter all_to_all reduce gather".split()
    works = [started(r, name, "float32") for name in names]
    for work, _ in works[::-1]:
        work.wait()
    return [written for _, written in works]


@case
def functional(r):
    """Collectives that write to none of their tensors."""
    funcol = import_module(f"{r.torch.__name__}.distributed._functional_collectives")
    group, x = r.dist.group.WORLD, r.tensor()
    parts = r.torch.cat([r.tensor(shift=k) for k in range(r.size)])
    found = [funcol.all_reduce(x, "sum", group), funcol.all_reduce(x, "avg", group), funcol.broadcast(x, 1, group),
             funcol.all_gather_tensor(x, 0, group), funcol.all_gather_tensor(x, 1, group),
             funcol.reduce_scatter_tensor(parts, "sum", 0, group), funcol.all_to_all_single(parts, None, None, group),
             *funcol.all_reduce_coalesced([x, x * 2], "max", group)]
    return [r.torch.clone(funcol.wait_tensor(value)) for value in found], x


@case(over=["all_reduce broadcast reduce all_gather gather scatter reduce_scatter all_to_all all_to_all_single".split()])
def with_gradients(r, name):
    nn = import_module(f"{r.torch.__name__}.distributed.nn.functional")
    x = (r.tensor() / 4).requires_grad_(True)
    parts = [(x * (k + 1)) for k in range(r.size)]
    like = [r.torch.empty(2, 3) for _ in range(r.size)]
    y = {"all_reduce": lambda: nn.all_reduce(x * x), "broadcast": lambda: nn.broadcast(x * x, 1),
         "reduce": lambda: nn.reduce(x * x, 1) * (r.rank == 1), "all_gather": lambda: r.torch.stack(list(nn.all_gather(x * x))),
         "gather": lambda: r.torch.stack(list(nn.gather(x * x, 1))) * (r.rank == 1), "scatter": lambda: nn.scatter(parts, 1),
         "reduce_scatter": lambda: nn.reduce_scatter(like[0], parts),
         "all_to_all": lambda: r.torch.stack(list(nn.all_to_all(like, parts))),
         "all_to_all_single": lambda: nn.all_to_all_single(r.torch.empty(2 * r.size, 3), r.torch.cat(parts))}[name]()
    (y * (r.rank + 1)).sum().backward()
    return y.detach(), x.grad


def run(torch, rank, size):
    return collective_cases.run(torch, rank, size, CASES)


if __name__ == "__main__":
    from tests.distributed import gloo
    gloo.main(run, sys.argv)
