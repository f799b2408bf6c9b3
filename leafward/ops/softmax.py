"""Softmax and its logarithm.

Args:
    _stacklevel: taken and ignored
    logits: the scores, logarithms of shares
    tau: the temperature: the nearer to 0, the harder the choice
    hard: True: one-hot. False: the soft shares
    p: the order of the norm
    dim: the dim whose shares add up to one
    eps: what keeps from dividing by zero
"""

from leafward import dtypes
from leafward.core.op import composite, op
from leafward.errors import warn

from leafward.ops import dims
from leafward.ops.kinds import refuse_dtype, refuse_kinds

#: PyTorch's warning where nn.functional guesses the dimension.
NO_DIM = ("Implicit dimension choice for {} has been deprecated. Change the call to include dim=X as an argument.")


def refuse_softmax(x, axis, name):
    last = axis == max(x.ndim - 1, 0)
    refuse_kinds(x, "biuc", f"{name}_lastdim_kernel_impl" if last else f"{name}_kernel_impl")


@op("softmax", "special.softmax", row_major=True, kernel="softmax", ends_history_as="softmax",
    batch="dims",
    samples=["3 4 ; dim=1", "3 4 ; dim=0", "2 3 4 ; dim=-2", " ; dim=0", "0 3 ; dim=1", "+900. -900. +900. ; dim=0",
             "-inf +0. ; dim=0", "3 ; dim=0, dtype=torch.float64"],
    errors=[("3 ; dim=3", IndexError, "Dimension out of range (expected to be in range of [-1, 0], but got 3)")])
def softmax(xp, x, dim, dtype=None):
    """Exponentials as shares of their sum: ``out = exp(x) / sum(exp(x))`` along ``dim``.

    The shares are positive and add up to one. The largest element is subtracted first, so that nothing overflows.

    >>> lw.softmax(lw.tensor([1., 2., 3.]), dim=0)
    tensor([0.0900, 0.2447, 0.6652])
    """
    axis = dims.normalize(dim, x.ndim)
    if dtype is not None:
        x = xp.astype(x, dtype)
    if x.size == 0:
        return xp.copy(x)
    refuse_softmax(x, axis, "softmax")
    return xp.softmax_along(x, axis)


@softmax.onnx
def softmax_onnx(onnx, x, dim, dtype):
    return onnx.Softmax(x if dtype is None else onnx.astype(x, dtype), axis=dims.normalize(dim, x.ndim)) if x.ndim else None


@softmax.vjp("x", kernel="softmax_grad")
def softmax_dx(xp, g, out, dim):
    pull = g * out
    return pull - out * xp.sum(pull, axis=dim, keepdims=True)


@op("log_softmax", "special.log_softmax", row_major=True, kernel="log_softmax", ends_history_as="log_softmax",
    batch="dims",
    samples=["3 4 ; dim=1", "3 4 ; dim=0", "2 3 4 ; dim=-2", " ; dim=0", "0 3 ; dim=1", "+900. -900. +900. ; dim=0",
             "3 ; dim=0, dtype=torch.float64"],
    errors=[("3 ; dim=3", IndexError, "Dimension out of range (expected to be in range of [-1, 0], but got 3)")])
def log_softmax(xp, x, dim, dtype=None):
    """Logarithm of softmax: ``out = x - log(sum(exp(x)))`` along ``dim``.

    More exact than ``log(softmax(x))``, which is -inf where the share underflows.

    >>> lw.log_softmax(lw.tensor([0., 1000.]), dim=0)
    tensor([-1000.,     0.])
    """
    axis = dims.normalize(dim, x.ndim)
    if dtype is not None:
        x = xp.astype(x, dtype)
    if x.size == 0:
        return xp.copy(x)
    refuse_softmax(x, axis, "log_softmax")
    return xp.log_softmax_along(x, axis)


@log_softmax.onnx
def log_softmax_onnx(onnx, x, dim, dtype):
    return onnx.LogSoftmax(x if dtype is None else onnx.astype(x, dtype), axis=dims.normalize(dim, x.ndim)) if x.ndim else None


@log_softmax.vjp("x", kernel="log_softmax_grad")
def log_softmax_dx(xp, g, out, dim):
    return g - xp.exp(out) * xp.sum(g, axis=dim, keepdims=True)


# --- by the names that PyTorch's own backward has --------------------------------------------------------------------

def wide_shares(name, grad_output, output, dim, input_dtype):
    """The gradient and the shares, or their logarithms, in float32 at least."""
    if grad_output.shape != output.shape:
        raise RuntimeError(f"Expected tensor for argument #1 'grad' to have same size as tensor for argument #2 'output'; but "
                           f"{list(grad_output.shape)} does not equal {list(output.shape)} (while checking arguments for "
                           f"{name}_backward)")
    axis = dims.normalize(dim, output.ndim)
    given = grad_output.dtype
    # Half of float32 is what a GPU makes of float32 shares.
    other = dtypes.float16 if given is dtypes.float32 and input_dtype is dtypes.float16 else output.dtype
    if other is not given:
        raise RuntimeError(f"expected scalar type {dtypes.scalar_name(given)} but found {dtypes.scalar_name(other)}")
    last = "_lastdim" if axis == max(output.ndim - 1, 0) else ""
    refuse_dtype(output.dtype, ("bool", "int", "complex"), f"{name}_backward{last}_kernel_impl")
    return (grad_output.float(), output.float()) if output.dtype.itemsize == 2 else (grad_output, output)


@composite("torch._softmax_backward_data", samples=["3 4 | 3 4 ; dim=1, input_dtype=torch.float32"])
def softmax_backward_data(fns, grad_output, output, dim, input_dtype, *, grad_input=None):
    """The gradient of what softmax was given.

    Args:
        grad_output: the gradient of the shares
        output: the shares
        input_dtype: the dtype of what softmax was given
        grad_input: the tensor to write into
    """
    wide, shares = wide_shares("softmax", grad_output, output, dim, input_dtype)
    pull = wide * shares
    found = (pull - shares * pull.sum(dim, keepdim=True)).to(grad_output.dtype)
    return found if grad_input is None else grad_input.resize_(found.shape).copy_(found)


@composite("torch._log_softmax_backward_data", samples=["3 4 | 3 4 ; dim=1, input_dtype=torch.float32"])
def log_softmax_backward_data(fns, grad_output, output, dim, input_dtype):
    """The gradient of what log_softmax was given.

    Args:
        grad_output: the gradient of the logarithms
        output: the logarithms of the shares
        input_dtype: the dtype of what log_softmax was given
    """
    wide, logarithms = wide_shares("log_softmax", grad_output, output, dim, input_dtype)
    return (wide - logarithms.exp() * wide.sum(dim, keepdim=True)).to(grad_output.dtype)


@composite("torch._softmax", samples=["3 4 ; dim=1, half_to_float=False"])
def plain_softmax(fns, input, dim, half_to_float):
    """:func:`softmax` as PyTorch calls it inside.

    Args:
        half_to_float: True is for GPUs alone
    """
    refuse_wider(half_to_float)
    return fns.softmax(input, dim)


@composite("torch._log_softmax", samples=["3 4 ; dim=1, half_to_float=False"])
def plain_log_softmax(fns, input, dim, half_to_float):
    """:func:`log_softmax` as PyTorch calls it inside.

    Args:
        half_to_float: True is for GPUs alone
    """
    refuse_wider(half_to_float)
    return fns.log_softmax(input, dim)


def refuse_wider(half_to_float):
    if half_to_float:
        raise RuntimeError("softmax with half to float conversion is not supported on CPU")


# --- with a dim that is guessed, and their kin -----------------------------------------------------------------------

def with_dim(input, dim, name):
    """``dim``, or the one that old programs expect."""
    if dim is None:
        warn(NO_DIM.format(name))
        return 0 if input.ndim in (0, 1, 3) else 1
    return dim


@composite("torch._functional_softmax", "nn.functional.softmax", reference="nn.functional.softmax",
           samples=["3 4 ; dim=1", "3 ; dim=0, dtype=torch.float64"])
def functional_softmax(fns, input, dim=None, _stacklevel=3, dtype=None):
    """Exponentials as shares of their sum: ``out = exp(x) / sum(exp(x))`` along ``dim``."""
    return fns.softmax(input, with_dim(input, dim, "softmax"), dtype)


@composite("torch._functional_log_softmax", "nn.functional.log_softmax", reference="nn.functional.log_softmax",
           samples=["3 5 ; dim=1", "3 ; dim=0, dtype=torch.float64"])
def functional_log_softmax(fns, input, dim=None, _stacklevel=3, dtype=None):
    """Logarithm of softmax: ``out = x - log(sum(exp(x)))`` along ``dim``."""
    return fns.log_softmax(input, with_dim(input, dim, "log_softmax"), dtype)


@composite("nn.functional.softmin", samples=["3 4 ; dim=1", "3 ; dim=0, dtype=torch.float64"])
def softmin(fns, input, dim=None, _stacklevel: "int" = 3, dtype=None):
    """Softmax of the negative: the smallest gets the largest share.

    Args:
        dim: the dim whose shares add up to one; None: a guess, with a warning
    """
    return fns.softmax(-input, with_dim(input, dim, "softmin"), dtype)


@composite("nn.functional.gumbel_softmax", random=True, samples=["3 4", "3 4 ; hard=True"])
def gumbel_softmax(fns, logits, tau=1, hard: "bool" = False, eps: "float" = 1e-10, dim=-1):
    """A random choice that has a gradient: softmax of logits with Gumbel noise, at temperature ``tau``.

    ``hard``: one-hot, with the gradient of the soft choice.

    Source: Jang, Gu and Poole, 2016, arXiv:1611.01144
    """
    if eps != 1e-10:
        warn("`eps` parameter is deprecated and has no effect.")
    noise = -fns.empty_like(logits, memory_format=dtypes.contiguous_format).exponential_().log()
    soft = fns.softmax((logits + noise) / tau, dim)
    if not hard:
        return soft
    chosen = soft.detach().max(dim, keepdim=True)[1]
    one_hot = fns.zeros_like(logits, requires_grad=False).scatter_(dim, chosen, 1.0)
    return one_hot - soft.detach() + soft


@composite("nn.functional.normalize", samples=["3 4", "3 4 ; p=1., dim=0", "+0. +0. ; dim=0"])
def normalize(fns, input, p: "float" = 2.0, dim=1, eps=1e-12, out=None):
    """Scale to length one along ``dim``: ``out = x / max(norm(x), eps)``.

    ``out = x / max(norm(x), eps)``.

    Args:
        dim: the dim whose slices get norm 1: the second unless given

    >>> lw.nn.functional.normalize(lw.tensor([[3., 4.]]))
    tensor([[0.6000, 0.8000]])
    """
    length = input.norm(p, dim, keepdim=True).clamp_min(eps).expand_as(input)
    return fns.div(input, length, out=out) if out is not None else input / length
