"""Gradients as products of two thin matrices (Vogels, Karimireddy and Jaggi, 2019, arXiv:1905.13727)."""
import math

from leafward.autograd.grad_mode import no_grad
from leafward.derive.functions import fns
from leafward.distributed import collectives
from leafward.distributed.algorithms.ddp_comm_hooks.default_hooks import reduced, there
from leafward.distributed.world import group_or_default
from leafward.tensor.random import Generator


class PowerSGDState:
    """What :func:`powerSGD_hook` remembers: how far it has come, and what its products left out.

    process_group: which ranks; None: all
    matrix_approximation_rank: how thin the matrices are
    start_powerSGD_iter: so many steps reduce whole gradients first
    min_compression_rate: matrices whose products would save less are reduced whole
    use_error_feedback: whether what was left out is added next time
    warm_start: whether the next step begins with this one's matrix
    orthogonalization_epsilon, compression_stats_logging_frequency, batch_tensors_with_same_shape: for PyTorch's programs
    random_seed: of the first matrices; the same on all ranks
    """

    def __init__(self, process_group, matrix_approximation_rank=1, start_powerSGD_iter=1000, min_compression_rate=2,
                 use_error_feedback=True, warm_start=True, orthogonalization_epsilon=0, random_seed=0,
                 compression_stats_logging_frequency=10_000, batch_tensors_with_same_shape=False):
        if (use_error_feedback or warm_start) and start_powerSGD_iter <= 1:
            raise ValueError("Expect `start_powerSGD_iter` > 1 if `use_error_feedback` or `warm_start` is enabled, because "
                             "PowerSGD can only be applied after the first two iterations in DDP.")
        self.process_group, self.matrix_approximation_rank = process_group, matrix_approximation_rank
        self.start_powerSGD_iter, self.min_compression_rate = start_powerSGD_iter, min_compression_rate
        self.use_error_feedback, self.warm_start, self.random_seed = use_error_feedback, warm_start, random_seed
        self.errors, self.thin = {}, {}                     # by number of the bucket, and by that and of the parameter in it
        self.iter = 0

    def matrix(self, key, columns, rank, like):
        """The thin matrix to begin with."""
        found = self.thin.get(key) if self.warm_start else None
        if found is None:
            generator = Generator()
            generator.manual_seed(self.random_seed + self.iter * (not self.warm_start) + 7919 * key[0] + key[1])
            found = fns.randn((columns, rank), generator=generator, dtype=like.dtype)
        return orthonormal(found)


def orthonormal(matrix):
    """Columns of length one, at right angles."""
    return fns.linalg_qr(matrix)[0]


def thin_mean(state, key, matrix, rank, group):
    """The mean of a matrix over all ranks, as far as two matrices of ``rank`` columns can tell it."""
    left = matrix @ state.matrix(key, matrix.shape[1], rank, matrix)
    collectives.all_reduce(left, group=group)
    left = orthonormal(left)
    right = matrix.T @ left
    collectives.all_reduce(right, group=group)
    right = right / group.size()
    state.thin[key] = right
    return left @ right.T


def powerSGD_hook(state, bucket):
    """The mean of a bucket, whose matrices travel as products of two thin ones.

    state: a :class:`PowerSGDState`
    bucket: a ``GradBucket``
    """
    buffer = bucket.buffer()
    group = group_or_default(state.process_group)
    late = state.iter < state.start_powerSGD_iter
    if bucket.is_last():
        state.iter += 1
    if late:
        return reduced(group, buffer)
    with no_grad():
        given = buffer.clone()
        if state.use_error_feedback and bucket.index() in state.errors:
            given += state.errors[bucket.index()]
        out, whole = given.clone(), []
        start = 0
        for number, p in enumerate(bucket.parameters()):
            part, target = given[start:start + p.numel()], out[start:start + p.numel()]
            start += p.numel()
            rows = p.shape[0] if p.dim() else 1
            columns = p.numel() // max(rows, 1)
            rank = min(rows, columns, state.matrix_approximation_rank)
            if p.dim() < 2 or (rows + columns) * rank * state.min_compression_rate >= rows * columns:
                whole.append((part, target))
                continue
            matrix, key = part.view(rows, columns), (bucket.index(), number)
            target.copy_(thin_mean(state, key, matrix, rank, group).reshape(-1))
        if state.use_error_feedback:
            # What was left out of this rank's own gradient; whole parts leave nothing.
            state.errors[bucket.index()] = given - out
        if whole:
            together = fns.cat([part for part, _ in whole]) / group.size()
            collectives.all_reduce(together, group=group)
            for (_, target), mean in zip(whole, together.split([part.numel() for part, _ in whole]), strict=True):
                target.copy_(mean)
    return there(out)


def batched_powerSGD_hook(state, bucket):
    """The mean of a bucket that travels as one product: its gradients fill a square, whatever their shapes: faster, rougher.

    (PyTorch 2.13 has it, and refuses its own matrices there: nothing to compare with.)

    state: a :class:`PowerSGDState`
    bucket: a ``GradBucket``
    """
    buffer = bucket.buffer()
    group, number = group_or_default(state.process_group), bucket.index()
    late = state.iter < state.start_powerSGD_iter
    if bucket.is_last():
        state.iter += 1
    if late:
        return reduced(group, buffer)
    with no_grad():
        side = math.isqrt(max(buffer.numel() - 1, 0)) + 1
        square = fns.cat([buffer, fns.zeros((side * side - buffer.numel(),), dtype=buffer.dtype)]).view(side, side)
        if state.use_error_feedback and number in state.errors:
            square = square + state.errors[number]
        mean = thin_mean(state, (number, 0), square, min(side, state.matrix_approximation_rank), group)
        if state.use_error_feedback:
            state.errors[number] = square - mean
        return there(mean.reshape(-1)[:buffer.numel()])
