"""What the arguments mean that several functions around modules share: filled into docstrings where these say ``{name}``."""
from leafward.utils.docstrings import explain_shared_arguments

SHARED = {
    "module": "whose tensor",
    "name": "its name, as an attribute of the module",
    "dim": "which dimension counts the slices",
    "n_power_iterations": "power iterations in each forward while training",
    "eps": "keeps vectors of norm zero from being divided by it",
    "parameters": "a tensor or an iterable of them; those without a gradient are passed over",
    "max_norm": "the largest norm that stays",
    "norm_type": "p of the norm; infinity: the largest absolute value",
    "error_if_nonfinite": "whether to raise where the norm is NaN or infinite, rather than to go on",
    "foreach": "how PyTorch loops over tensors; here the result is the same for None, True and False",
    "bn_rm": "the batch norm's running mean",
    "bn_rv": "its running variance",
    "bn_eps": "its ``eps``",
    "bn_w": "its weight; None: ones",
    "bn_b": "its bias; None: zeros",
    "amount": "how many, an int, or which share of them, a float from 0 to 1",
    "importance_scores": "what to rank by, of the shape of the tensor; None: its values",
    "batch_first": "whether the padded tensor is (n, time, *) rather than (time, n, *)",
    "enforce_sorted": "whether the longest come first already; False: they are sorted here",
    "padding_value": "what the padding holds",
}


def explain_arguments(*modules):
    for module in modules:
        explain_shared_arguments(SHARED, (value for value in vars(module).values()
                                          if callable(value) and value.__module__.startswith(__package__)))
