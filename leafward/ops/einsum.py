"""Einstein's summation: indices that do not reach the output are summed over."""
from leafward.core.op import composite

from leafward.ops.dims import count

LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def parse_side(text, start):
    """The subscripts of one operand: letters, and ``...`` as one item."""
    found, i = [], 0
    while i < len(text):
        if text[i] == " ":
            i += 1
        elif text.startswith("...", i):
            if "..." in found:
                raise RuntimeError(f"einsum(): found \'.\' for operand {start} for which an ellipsis was already found")
            found.append("...")
            i += 3
        elif text[i] in LETTERS:
            found.append(text[i])
            i += 1
        else:
            if text[i] == ".":
                raise RuntimeError(f"einsum(): found \'.\' for operand {start} that is not part of any ellipsis")
            raise RuntimeError(f"einsum(): invalid subscript given at index {i} in the equation string, subscripts must be "
                               "in [a-zA-Z]")
    return found


def from_lists(arguments):
    """``einsum(x, [0, 1], y, [1, 2], [0, 2])`` as an equation and its operands."""
    def text(sublist):
        if any(i is not Ellipsis and not 0 <= i < len(LETTERS) for i in sublist):
            raise ValueError("einsum(): subscript in subscript list is not within the valid range [0, 52)")
        return "".join("..." if i is Ellipsis else LETTERS[i] for i in sublist)
    operands = list(arguments[0:len(arguments) - len(arguments) % 2:2])
    left = ",".join(text(s) for s in arguments[1:len(arguments):2])
    return (left + "->" + text(arguments[-1]) if len(arguments) % 2 else left), operands


def subscripts(equation, operands):
    """One list of names per operand, and the output's; the dimensions of ``...`` are named by their place from the end."""
    left, arrow, right = equation.partition("->")
    sides = left.split(",")
    if len(sides) != len(operands):
        few = "fewer" if len(operands) < len(sides) else "more"
        raise RuntimeError(f"einsum(): {few} operands were provided than specified in the equation")
    named, widest = [], 0
    for number, (text, operand) in enumerate(zip(sides, operands)):
        side = parse_side(text, number)
        spare = operand.ndim - len(side) + ("..." in side)
        if spare < 0 or (spare and "..." not in side):
            ellipsis = "" if "..." in side else " and no ellipsis was given"
            raise RuntimeError(f"einsum(): the number of subscripts in the equation ({len(side) - ('...' in side)}) "
                               f"{'is more than' if '...' in side else 'does not match'} the number of dimensions "
                               f"({operand.ndim}) for operand {number}{ellipsis}")
        widest = max(widest, spare) if "..." in side else widest
        names = []
        for s in side:
            names += [-d for d in range(spare, 0, -1)] if s == "..." else [s]
        named.append(names)
    return named, output_names(named, arrow, right, widest)


def output_names(named, arrow, right, widest):
    seen = [s for names in named for s in names if isinstance(s, str)]
    ellipsis = [-d for d in range(widest, 0, -1)]
    if not arrow:
        return ellipsis + sorted(s for s in set(seen) if seen.count(s) == 1)
    output = []
    for s in parse_side(right, "output"):
        if s == "...":
            output += ellipsis
            continue
        if s in output:
            raise RuntimeError(f"einsum(): output subscript {s} appears more than once in the output")
        if s not in seen:
            raise RuntimeError(f"einsum(): output subscript {s} does not appear in the equation for any input operand")
        output.append(s)
    return output


def check_sizes(named, operands):
    """The size of each name, after broadcasting."""
    sizes = {}
    for number, (names, operand) in enumerate(zip(named, operands)):
        own = {}
        for s, n in zip(names, operand.shape):
            if own.setdefault(s, n) != n:
                raise RuntimeError(f"einsum(): subscript {s} is repeated for operand {number} but the sizes don't match, "
                                   f"{n} != {own[s]}")
        for s, n in own.items():
            if sizes.setdefault(s, n) == 1:
                sizes[s] = n
            if n not in (1, sizes[s]):
                raise RuntimeError(f"einsum(): subscript {s} has size {n} for operand {number} which does not broadcast "
                                   f"with previously seen size {sizes[s]}")
    return sizes


def take_diagonals(operand, names):
    """An operand without repeated names: a diagonal for each."""
    names = list(names)
    for s in [s for i, s in enumerate(names) if s in names[:i]]:
        i = names.index(s)
        j = names.index(s, i + 1)
        operand = operand.diagonal(0, i, j)                    # the diagonal comes last
        names = [n for k, n in enumerate(names) if k not in (i, j)] + [s]
    return operand, names


def drop_broadcast(operand, names, sizes):
    """An operand without the dimensions of size one that broadcast against a larger one."""
    axes = tuple([i for i, s in enumerate(names) if operand.shape[i] != sizes[s]])
    return (operand.squeeze(axes), [s for i, s in enumerate(names) if i not in axes]) if axes else (operand, names)


def contract(fns, x, x_names, y, y_names, kept, wanted):
    """Multiply two operands and sum over what is not ``kept``: one batched product. ``wanted`` is the last result's order."""
    x, x_names = sum_out(x, x_names, [*y_names, *kept])
    y, y_names = sum_out(y, y_names, [*x_names, *kept])
    shared = [s for s in x_names if s in y_names]
    summed = [s for s in shared if s not in kept]
    if not summed:
        names = wanted or x_names + [s for s in y_names if s not in x_names]
        return spread(x, x_names, names) * spread(y, y_names, names), names
    batch = [s for s in shared if s in kept]
    rows, columns = ([s for s in names if s not in shared] for names in (x_names, y_names))
    left = x.permute([x_names.index(s) for s in batch + rows + summed])
    right = y.permute([y_names.index(s) for s in batch + summed + columns])

    def size(operand, names, some):
        return count([operand.shape[names.index(s)] for s in some])
    inner = size(x, x_names, summed)
    b, n, m = size(x, x_names, batch), size(x, x_names, rows), size(y, y_names, columns)
    out = fns.bmm(left.reshape(b, n, inner), right.reshape(b, inner, m))
    names = batch + rows + columns
    out = out.view([x.shape[x_names.index(s)] for s in batch + rows] + [y.shape[y_names.index(s)] for s in columns])
    if wanted is None or wanted == names:
        return out, names
    out = out.permute([names.index(s) for s in wanted])
    return out.view(out.shape), wanted                         # PyTorch's last step is a view, which ``grad_fn`` shows


def sum_out(operand, names, kept):
    axes = tuple(i for i, s in enumerate(names) if s not in kept)
    return (operand.sum(axes), [s for s in names if s in kept]) if axes else (operand, names)


def spread(operand, names, wanted):
    """The operand with its dimensions in the order of ``wanted``, and size one for those that it lacks."""
    present = [s for s in wanted if s in names]
    operand = operand.permute([names.index(s) for s in present])
    return operand.reshape([operand.shape[present.index(s)] if s in names else 1 for s in wanted])


@composite("torch.einsum",
           samples=["[3 4, 4 5] ; equation='ij,jk->ik'", "[3 4] ; equation='ij->ji'", "[3 3] ; equation='ii->i'",
                    "[3 3] ; equation='ii'", "[3 4] ; equation='ij->'", "[2 3 4, 2 4 5] ; equation='bij,bjk->bik'",
                    "[3, 4] ; equation='i,j->ij'", "[2 3 4, 4 5] ; equation='...j,jk->...k'",
                    "[2 3, 3 4, 4 2] ; equation='ij,jk,kl->il'", "[2 3, 2 3] ; equation='ij,ij->i'",
                    "[2 3 4, 2 5 4] ; equation='bqd,bkd->bqk'", "[1 3, 2 3] ; equation='ij,ij'",
                    "[3 4, 4 5] ; equation='ij,jk'",
                    "[2 3 3, 3] ; equation='bii,i->b'", "[2 3 4] ; equation='ijk->ki'", "[1 3, 2 1] ; equation='ij,ij->ji'",
                    "[2 3, 3 4] ; equation='ij,jk->ki'", "[2 1, 2 3, 1 3] ; equation='ij,ij,ij->i'"],
           errors=[("[3 4, 5 4] ; equation='ij,jk'", RuntimeError, "einsum(): subscript j has size 5 for operand 1 which "
                    "does not broadcast with previously seen size 4"),
                   ("[3 4, 4 4] ; equation='ij,jk->il'", RuntimeError, "einsum(): output subscript l does not appear"),
                   ("[3 4] ; equation='ij,j'", RuntimeError, "einsum(): fewer operands were provided"),
                   ("[3 4] ; equation='ijk'", RuntimeError, "does not match the number of dimensions (2) for operand 0"),
                   ("[3 4] ; equation='ii->i'", RuntimeError, "einsum(): subscript i is repeated for operand 0"),
                   ("[3 4] ; equation='i1'", RuntimeError, "einsum(): invalid subscript given at index 1"),
                   ("[3 4] ; equation='ij->ii'", RuntimeError, "einsum(): output subscript i appears more than once")])
def einsum(fns, equation, *operands):
    """Sums of products by named dimensions: ``einsum("ij,jk->ik", x, y)`` is the matrix product.

    Letters name dimensions; those missing from the output are summed over; ``...`` stands for any further dimensions.

    Args:
        equation: letters for the dims of each operand, and after `->` those of the result
        operands: the tensors

    >>> lw.einsum("ij,kj->ik", lw.ones(2, 3), lw.ones(2, 3))
    tensor([[3., 3.],
            [3., 3.]])
    """
    if not isinstance(equation, str):
        equation, operands = from_lists((equation, *operands))
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        operands = operands[0]
    if not operands:
        raise ValueError("einsum(): must specify the equation string and at least one operand, or at least one operand "
                         "and its subscripts list")
    for number, operand in enumerate(operands):
        if not hasattr(type(operand), "requires_grad"):
            raise TypeError(f"expected Tensor as element {number} in argument 1, but got {type(operand).__name__}")
    named, output = subscripts(equation, operands)
    sizes = check_sizes(named, operands)
    pairs = [take_diagonals(x, names) for x, names in zip(operands, named)]
    if len(pairs) == 1:
        operand, names = pairs[0]
        rest = [s for s in names if s not in output]
        operand = operand.permute([names.index(s) for s in [*output, *rest]])
        return operand.sum(tuple(range(-len(rest), 0))) if rest else operand
    pairs = [drop_broadcast(x, names, sizes) for x, names in pairs]
    result, names = pairs[0]
    for i, (operand, others) in enumerate(pairs[1:], 2):
        later = [s for _, rest in pairs[i:] for s in rest]
        wanted = list(output) if i == len(pairs) else None
        result, names = contract(fns, result, names, operand, others, [*output, *later], wanted)
    return result
