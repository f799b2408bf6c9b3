"""Connectionist temporal classification: the loss of labels whose places in time are not known (Graves et al.)."""
from leafward import dtypes
from leafward.core.op import composite, op

from leafward.ops.kinds import refuse_kinds
from leafward.ops.loss_reductions import reduced, reduction_of

# A path visits the states  blank l1 blank l2 ... blank  in order, state s at least once if it is a label, blanks if it
# likes. The gradient finds the ways anew: kept from forward they would be constants to a second gradient.


def states_of(xp, targets, target_lengths, blank):
    """The label of every state, and into which states one may come over the blank before: (n, 2 s + 1) each."""
    n, longest = len(target_lengths), max(target_lengths, default=0)
    lengths = xp.asarray(target_lengths, dtype=dtypes.int64)
    labels = xp.astype(targets[:, :longest], dtypes.int64)
    labels = xp.where(xp.arange(longest) < lengths[:, None], labels, blank)
    labels = xp.stack([xp.full_like(labels, blank), labels], axis=2).reshape((n, 2 * longest))
    labels = xp.concat([labels, xp.full((n, 1), blank, dtype=dtypes.int64)], axis=1)
    never = xp.zeros_like(labels[:, :2], dtype=dtypes.bool)
    return labels, xp.concat([never, labels[:, 2:] != labels[:, :-2]], axis=1)


def of_states(xp, x, labels):
    """The log-probability of every state's label at every time: (t, n, states)."""
    return xp.take_along_axis(x, xp.broadcast_to(labels, (x.shape[0], *labels.shape)), axis=2)


def log_add(xp, *terms):
    """``log(sum(exp(term)))``; -inf where all are, with a derivative of 0 there."""
    highest = terms[0]
    for term in terms[1:]:
        highest = xp.maximum(highest, term)
    reached = highest != -xp.inf
    highest = xp.where(reached, highest, 0)
    total = xp.exp(terms[0] - highest)
    for term in terms[1:]:
        total = total + xp.exp(term - highest)
    return xp.where(reached, xp.log(xp.where(reached, total, 1)) + highest, -xp.inf)


def shifted(xp, x, by):
    """The columns moved ``by`` places up (or down), -inf where none came from."""
    gap = xp.full_like(x[:, :abs(by)], -xp.inf)
    return xp.concat([gap, x[:, :-by]] if by > 0 else [x[:, -by:], gap], axis=1)


def ways_here(xp, given, skips):
    """The log-probability of all ways to be in each state at each time: (t, n, states)."""
    times = []
    for t in range(given.shape[0]):
        if t == 0:
            ways = xp.where(xp.arange(given.shape[2]) < 2, given[0], -xp.inf)
        else:
            over_blank = xp.where(skips, shifted(xp, ways, 2), -xp.inf)
            ways = log_add(xp, ways, shifted(xp, ways, 1), over_blank) + given[t]
        times.append(ways)
    return xp.stack(times, axis=0) if times else given


def ways_on(xp, given, skips, input_lengths, target_lengths):
    """The log-probability of all ways to go on from each state after each time, to the end: (t, n, states)."""
    steps, states = xp.asarray(input_lengths, dtype=dtypes.int64)[:, None], xp.arange(given.shape[2])
    ends = 2 * xp.asarray(target_lengths, dtype=dtypes.int64)[:, None]
    at_end = xp.astype(xp.where((states == ends) | (states == ends - 1), 0.0, -xp.inf), xp.dtype_of(given))
    onto_blank = xp.concat([skips[:, 2:], xp.zeros_like(skips[:, :2])], axis=1)
    times, ways = [], at_end
    for t in range(given.shape[0] - 1, -1, -1):
        if times:
            ahead = xp.where(steps > t + 1, ways + given[t + 1], -xp.inf)
            over_blank = xp.where(onto_blank, shifted(xp, ahead, -2), -xp.inf)
            ways = xp.where(steps == t + 1, at_end, log_add(xp, ahead, shifted(xp, ahead, -1), over_blank))
        times.append(ways)
    return xp.stack(times[::-1], axis=0)


@op("torch._ctc", kernel="ctc_losses", nondifferentiable="targets", node="CtcLossBackward0",
    samples=["5 2 4 | int2: 2 2 ; input_lengths=(5, 4), target_lengths=(2, 1), blank=3, zero_infinity=False",
             "3 2 4 | int2: 2 3 ; input_lengths=(2, 3), target_lengths=(3, 0), blank=3, zero_infinity=True"])
def ctc(xp, x, targets, input_lengths, target_lengths, blank, zero_infinity):
    """``-log`` of the probability of all paths that read as the targets: (t, n, classes), (n, s) -> (n)."""
    refuse_kinds(x, "biuc", "ctc_loss_cpu")
    labels, skips = states_of(xp, targets, target_lengths, blank)
    ways = ways_here(xp, of_states(xp, x, labels), skips)
    out = xp.empty((x.shape[1],), xp.dtype_of(x))
    for n, (steps, length) in enumerate(zip(input_lengths, target_lengths)):
        if steps == 0:
            out[n] = xp.inf if length else 0
        elif length == 0:
            out[n] = -ways[steps - 1, n, 0]
        else:
            out[n] = -xp.logaddexp(ways[steps - 1, n, 2 * length - 1], ways[steps - 1, n, 2 * length])
    return out


@ctc.vjp("x", kernel="ctc_losses_grad")
def ctc_dx(xp, g, x, targets, input_lengths, target_lengths, blank, zero_infinity):
    # PyTorch's convention: the gradient of what log_softmax was given, so exp(x) stands beside the paths' shares.
    steps = x.shape[0]
    if steps == 0:
        return xp.zeros_like(x)
    labels, skips = states_of(xp, targets, target_lengths, blank)
    given = of_states(xp, x, labels)
    ways = ways_here(xp, given, skips) + ways_on(xp, given, skips, input_lengths, target_lengths)
    total = log_add(xp, *[ways[0, :, k] for k in range(min(2, ways.shape[2]))])[:, None]      # every path begins there
    impossible = total == -xp.inf
    if zero_infinity:
        total = xp.where(impossible, 0, total)
    shares = xp.exp(ways - total)                                                                     # t n states
    classes = xp.astype(labels[:, :, None] == xp.arange(x.shape[2]), xp.dtype_of(x))                  # n states classes
    shares = xp.permute_dims(xp.matmul(xp.permute_dims(shares, (1, 0, 2)), classes), (1, 0, 2))       # t n classes
    dx = g[:, None] * (xp.exp(x) - shares)
    dx = xp.where((x == -xp.inf) | (total != total), xp.nan, dx)         # as PyTorch, which divides by exp(x)
    if zero_infinity:
        dx = xp.where(impossible, 0, dx)
    inside = xp.arange(steps)[:, None] < xp.asarray(input_lengths, dtype=dtypes.int64)
    return xp.where(inside[:, :, None], dx, 0)


# --- the loss --------------------------------------------------------------------------------------------------------

def as_lengths(lengths):
    if hasattr(lengths, "tolist"):
        if not lengths.dtype.name.startswith("int"):
            raise RuntimeError("input_lengths must be integral")
        lengths = lengths.tolist()
    return tuple(lengths) if isinstance(lengths, (list, tuple)) else (lengths,)


def in_rows(fns, targets, target_lengths):
    """Targets (n, s), from rows or from one sequence after another."""
    if targets.ndim == 2:
        return targets
    longest = max(target_lengths, default=0)
    rows, start = [], 0
    for length in target_lengths:
        rows.append(fns.pad(targets[start:start + length], (0, longest - length)))
        start += length
    return fns.stack(rows)


def check_ctc(log_probs, targets, input_lengths, target_lengths, blank):
    def refuse_size(expected, dim):
        raise RuntimeError(f"Expected tensor to have size {expected} at dimension {dim}, but got size {targets.shape[dim]} for "
                           "argument #2 'targets' (while checking arguments for ctc_loss_allocate_outputs)")
    if log_probs.ndim != 3:
        raise RuntimeError(f"Expected 3-dimensional tensor, but got {log_probs.ndim}-dimensional tensor for argument #1 "
                           "'log_probs' (while checking arguments for ctc_loss_allocate_outputs)")
    steps, n, classes = log_probs.shape
    if not 0 <= blank < classes:
        raise RuntimeError("blank must be in label range")
    if len(input_lengths) != n:
        raise RuntimeError("input_lengths must be of size batch_size")
    if len(target_lengths) != n:
        raise RuntimeError("target_lengths must be of size batch_size")
    if targets.ndim not in (1, 2):
        raise RuntimeError(f"Expected 1 to 2 dimensions, but got {targets.ndim}-dimensional tensor for argument #2 'targets' "
                           "(while checking arguments for ctc_loss_allocate_outputs)")
    for length in input_lengths:
        if length < 0:
            raise RuntimeError(f"Expected input_lengths to have value at least 0, but got value {length} "
                               f"(while checking arguments for ctc_loss_cpu)")
        if length > steps:
            raise RuntimeError(f"Expected input_lengths to have value at most {steps}, but got value {length} "
                               "(while checking arguments for ctc_loss_cpu)")
    for length in target_lengths:
        if length < 0:
            raise RuntimeError(f"Expected target_lengths to have value at least 0, but got value {length} "
                               f"(while checking arguments for ctc_loss_cpu)")
    if targets.ndim == 1:
        if targets.shape[0] != sum(target_lengths):
            refuse_size(sum(target_lengths), 0)
    elif targets.shape[0] != n:
        refuse_size(n, 0)
    elif targets.shape[1] < (longest := max(target_lengths, default=0)):
        refuse_size(f"at least {longest}", 1)


@composite("nn.functional.ctc_loss",
           autocast="float32",
           samples=["5 2 4 | int2: 2 2 ; input_lengths=(5, 4), target_lengths=(2, 1), blank=3, zero_infinity=False",
                    "5 1 4 | int2: 2 ; input_lengths=(5,), target_lengths=(2,), blank=2, reduction='none', "
                    "zero_infinity=False",
                    "5 4 | int2: 2 ; input_lengths=(5,), target_lengths=(2,), blank=3, reduction='sum', "
                    "zero_infinity=True",
                    "3 2 4 | int2: 2 3 ; input_lengths=(2, 3), target_lengths=(3, 2), blank=3, zero_infinity=True"],
           errors=[("5 2 4 | int2: 2 2 ; input_lengths=(5, 5), target_lengths=(2, 1), reduction='x'", ValueError,
                    "x is not a valid value for reduction"),
                   ("5 2 4 | int2: 2 2 ; input_lengths=(5, 6), target_lengths=(2, 1)", RuntimeError,
                    "Expected input_lengths to have value at most 5, but got value 6"),
                   ("5 2 4 | int2: 2 2 ; input_lengths=(5, 5), target_lengths=(2, 1), blank=4", RuntimeError,
                    "blank must be in label range"),
                   ("5 2 4 | int2: 2 1 ; input_lengths=(5, 4), target_lengths=(2, 1), blank=3", RuntimeError,
                    "Expected tensor to have size at least 2 at dimension 1, but got size 1 for argument #2 'targets'"),
                   ("5 2 4 | int2: 4 ; input_lengths=(5, 4), target_lengths=(2, 1), blank=3", RuntimeError,
                    "Expected tensor to have size 3 at dimension 0, but got size 4 for argument #2 'targets'")])
def ctc_loss(fns, log_probs, targets, input_lengths, target_lengths, blank: int = 0, reduction="mean", zero_infinity=False):
    """``-log`` of the probability that a sequence reads as its target, its places summed out.

    log_probs (t, n, classes) from ``log_softmax``, targets (n, s) or one after another, lengths (n) -> scalar, or (n)
    with ``reduction="none"``. A mean divides each loss by its target's length first.

    Args:
        log_probs: the logarithms of the probabilities
        targets: the labels that are to be read
        input_lengths: the length of each sequence
        target_lengths: the length of each target
        blank: the label that is not read
        zero_infinity: True: infinite losses, and their gradients, are zero
    Source: Graves et al., 2006, ICML
    """
    reduction = reduction_of(None, None, reduction)
    input_lengths, target_lengths = as_lengths(input_lengths), as_lengths(target_lengths)
    batched = log_probs.ndim == 3
    if not batched:
        log_probs = log_probs.unsqueeze(1)
    check_ctc(log_probs, targets, input_lengths, target_lengths, blank)
    losses = fns._ctc(log_probs, in_rows(fns, targets, target_lengths), input_lengths, target_lengths, blank,
                      zero_infinity)
    if zero_infinity:
        losses = losses.masked_fill(losses == float("inf"), 0.0)
    if reduction == "mean":
        losses = losses / fns.cat([fns.full((1,), max(length, 1), dtype=losses.dtype) for length in target_lengths])
    if reduction == "none" and not batched:
        return losses.squeeze(0)
    return reduced(losses, reduction)
