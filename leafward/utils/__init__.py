"""Helpers beside the tensors: hooks, data loading, summaries, progress."""
from typing import TYPE_CHECKING

from leafward.tensor.missing import MissingNameError

if TYPE_CHECKING:                       # what __getattr__ gives
    from leafward.utils import benchmark as benchmark, checkpoint as checkpoint, data as data, dlpack as dlpack, hooks as hooks
    from leafward.utils import tensorboard as tensorboard
    from leafward.utils.model_summary import summary as summary
    from leafward.utils.progress_bar import progress as progress

#: Modules that load when first asked for.
LAZY = ("_foreach_utils", "_python_dispatch", "_pytree", "benchmark", "checkpoint", "collect_env", "data", "deterministic",
        "dlpack", "flop_counter", "model_zoo", "tensorboard")
#: Functions that come with such a module.
FUNCTIONS = {"summary": "model_summary", "progress": "progress_bar"}


def __getattr__(name):
    if name in LAZY:
        from importlib import import_module
        return import_module(f"leafward.utils.{name}")
    if name in FUNCTIONS:
        from importlib import import_module
        return getattr(import_module(f"leafward.utils.{FUNCTIONS[name]}"), name)
    raise MissingNameError(name, {*globals(), *LAZY, *FUNCTIONS}, "torch.utils")
