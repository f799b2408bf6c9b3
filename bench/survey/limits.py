"""What the machine could do at most, and which part of it a call at the largest size does."""
import contextlib
import warnings

import leafward
import torch
from bench.survey import SIZES
from bench.survey.cases import flat
from bench.survey.measure import Timed, compare


def measured(threads):
    """``{"bytes": copied in a second, read and written, "flops": of a matrix product in a second}``: the better library's."""
    leafward.set_num_threads(threads)
    torch.set_num_threads(threads)
    rows, columns = list(SIZES.values())[-1]
    copies, products = [], []
    for t in (leafward, torch):
        x, y = t.rand(rows, columns), t.rand(rows, columns)
        copies.append(Timed("x.copy_(y)", {"x": x, "y": y}))
        products.append(Timed("x.mm(y)", {"x": x, "y": y}))
    return {"bytes": 8 * rows * columns / min(compare(copies)), "flops": 2 * rows * columns * columns / min(compare(products))}


def traffic(tensors):
    """The bytes that must be moved at least: each memory once, as far as it is looked at."""
    return sum({x.untyped_storage().data_ptr(): x.numel() * x.element_size() for x in tensors}.values())


def share_of_limit(problem, seconds, limits):
    """Which part of the limit that binds it each library reaches: of copying, or of products where it is made of them."""
    if not hasattr(problem, "make"):
        return {}
    from torch.utils.flop_counter import FlopCounterMode
    args, kwargs = problem.make(torch, False)
    text, names = problem.text(args, kwargs)
    if "f" in names:
        names["f"] = problem.function(torch)
    counter = FlopCounterMode(display=False)
    with warnings.catch_warnings(), torch.no_grad(), contextlib.suppress(NotImplementedError), counter:
        warnings.simplefilter("ignore")
        exec(problem.finished(text), names)                                               # noqa: S102  our own text
    inputs, outputs = flat([*args, *kwargs.values()])[0], flat(names.get("o"))[0]
    memories = {x.untyped_storage().data_ptr() for x in inputs}
    fresh = [x for x in outputs if x.untyped_storage().data_ptr() not in memories]
    if outputs and not fresh and not problem.writes:
        return {}                       # a view
    needed = max(((traffic(inputs) + traffic(fresh if fresh else outputs)) / limits["bytes"], "memory"),
                 (counter.get_total_flops() / limits["flops"], "arithmetic"))
    return {"limit": needed[1], "ours_of_limit": needed[0] / seconds[0], "theirs_of_limit": needed[0] / seconds[1]}
