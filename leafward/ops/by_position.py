"""What PyTorch has under ``torch`` beside ``nn.functional``: the same functions, with the arguments in another order.

Programs that call them copied the calls from PyTorch's own ``nn.functional``. A reduction is a number here: 0 for none, 1 for
the mean, 2 for the sum.

Args:
    reduction: how the losses become one: 0 not at all, 1 their mean, 2 their sum
    cudnn_enabled: for a GPU: changes nothing
    training: True: the statistics are the batch's; False: the running ones
    use_input_stats: True: the statistics are the input's; False: the running ones
    train: False: nothing is changed
"""
from leafward.core.op import composite

REDUCTIONS = ("none", "mean", "sum")


def reduction_named(number):
    """What ``nn.functional`` calls the reduction of this number."""
    if number not in (0, 1, 2):
        raise ValueError(f"{number} is not a valid value for reduction: 0 is none, 1 the mean, 2 the sum")
    return REDUCTIONS[number]


@composite("torch._batch_norm_by_position", "torch.batch_norm",
           samples=["4 3 | 3 | 3 | 3 | pos: 3 ; training=True, momentum=0.1, eps=1e-5, cudnn_enabled=False",
                    "4 3 2 | None | None | 3 | pos: 3 ; training=False, momentum=0.1, eps=1e-3, cudnn_enabled=False"],
           tolerance=(1e-5, 1e-5))
def batch_norm(fns, input, weight, bias, running_mean, running_var, training, momentum, eps, cudnn_enabled):
    """``nn.functional.batch_norm``: standardize each channel, then ``* weight + bias``."""
    return fns.batch_norm(input, running_mean, running_var, weight, bias, training, momentum, eps)


@composite("torch._instance_norm_by_position", "torch.instance_norm",
           samples=["2 3 4 | 3 | 3 | None | None ; use_input_stats=True, momentum=0.1, eps=1e-5, cudnn_enabled=False"],
           tolerance=(1e-4, 1e-5))
def instance_norm(fns, input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, cudnn_enabled):
    """``nn.functional.instance_norm``: standardize each channel of each sample, then ``* weight + bias``."""
    return fns.instance_norm(input, running_mean, running_var, weight, bias, use_input_stats, momentum, eps)


@composite("torch._embedding_by_position", "torch.embedding",
           samples=["4 3 | int4: 5", "4 3 | int4: 2 3 ; padding_idx=1", "4 3 | int2: 5 ; scale_grad_by_freq=True"])
def embedding(fns, weight, indices, padding_idx=-1, scale_grad_by_freq=False, sparse=False):
    """``nn.functional.embedding``: the rows of ``weight`` at ``indices``.

    Args:
        weight: the table, a row for each index
        padding_idx: the row that gets no gradient; -1: every row does
        sparse: sparse gradients; refused: tensors are dense
    """
    return fns._embedding(weight, indices, padding_idx, scale_grad_by_freq, sparse)


@composite("torch._kl_div_by_position", "torch.kl_div",
           samples=["3 4 | pos: 3 4 ; reduction=2", "3 4 | pos: 3 4 ; reduction=0", "3 4 | 3 4 ; reduction=2, log_target=True"])
def kl_div(fns, input, target, reduction=0, *, log_target=False):
    """``nn.functional.kl_div``: the divergence of ``target`` from ``exp(input)``."""
    losses = fns.kl_div(input, target, reduction="none", log_target=log_target)
    return losses if reduction == 0 else losses.mean() if reduction_named(reduction) == "mean" else losses.sum()


@composite("torch._binary_cross_entropy_with_logits_by_position", "torch.binary_cross_entropy_with_logits",
           samples=["3 4 | unit: 3 4", "3 4 | unit: 3 4 | pos: 4 | pos: 4 ; reduction=0"])
def binary_cross_entropy_with_logits(fns, input, target, weight=None, pos_weight=None, reduction=0):
    """``nn.functional.binary_cross_entropy_with_logits``: the loss of scores against probabilities."""
    return fns.binary_cross_entropy_with_logits(input, target, weight, reduction=reduction_named(reduction),
                                                pos_weight=pos_weight)


@composite("torch._adaptive_max_pool1d_by_position", "torch.adaptive_max_pool1d", domain="distinct",
           samples=["2 3 7 ; output_size=3", "3 4 ; output_size=2"])
def adaptive_max_pool1d(fns, input, output_size) -> tuple:
    """``nn.functional.adaptive_max_pool1d``: the largest value of each of ``output_size`` bins, and where it stands."""
    return fns.adaptive_max_pool1d(input, output_size, return_indices=True)


@composite("torch._alpha_dropout_by_position", "torch.alpha_dropout", random=True)
def alpha_dropout(fns, input, p, train):
    """``nn.functional.alpha_dropout``: dropout that keeps mean and variance of what SELU gives.

    >>> lw.alpha_dropout(lw.ones(3), 0.5, False)
    tensor([1., 1., 1.])
    """
    return fns.alpha_dropout(input, p, train)


@composite("torch.alpha_dropout_", random=True)
def alpha_dropout_(fns, input, p, train):
    """``nn.functional.alpha_dropout``, in place.

    >>> lw.alpha_dropout_(lw.ones(3), 0.5, False)
    tensor([1., 1., 1.])
    """
    return fns.alpha_dropout(input, p, train, inplace=True)
