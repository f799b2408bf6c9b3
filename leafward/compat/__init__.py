"""PyTorch's module names: for what leafward lacks, for what it only renames, and for what lives in another folder.

Files in this folder answer under PyTorch's names: ``leafward.cuda`` is ``compat/cuda``, which says that there is no GPU.
``import leafward.cuda`` and ``leafward.cuda`` both find it, by :data:`MODULES`.
"""
import sys
from importlib.machinery import ModuleSpec

#: PyTorch's name of a module -> where leafward has it.
MODULES = {
    **{name: f"leafward.compat.{name}" for name in (
        "_C", "__config__", "__future__", "_custom_ops", "_dynamo", "_jit_internal", "_lobpcg", "accelerator", "backends",
        "compiler", "cpu", "cuda", "export", "fft", "functional", "fx", "hub", "jit", "library", "linalg",
        "mps", "onnx", "overrides", "profiler", "quasirandom", "return_types", "signal", "special", "torch_version", "types",
        "version")},
    **{name: f"leafward.tensor.{name}" for name in ("masked", "random", "size", "storage")},
    **{name: f"leafward.app.{name}" for name in ("as_torch", "run")},
    "_tensor_str": "leafward.tensor.printing",
    "futures": "leafward.distributed.futures",
    "memory": "leafward.tensor.memory",             # pickles of tensors name it
    "serialization": "leafward.io.serialization",
    "quantization": "leafward.ao.quantization",     # its name before PyTorch 1.13
    "by_position": "leafward.nn.by_position",       # functions of torch that load when first asked for
}


class ModuleFinder:
    """On ``sys.meta_path``: gives a module under a second name. Its own loader."""

    def ours(self, name):
        """Where the module called ``name`` really is; None for a name that is not this finder's business."""
        top, _, rest = name.partition(".")
        first, dot, rest = rest.partition(".")
        home = MODULES.get(first) if top == "leafward" else None
        return home and home + dot + rest

    def find_spec(self, name, path=None, target=None):
        ours = self.ours(name)
        if ours is None:
            return None
        if ours.count(".") > 2:                             # a file that there may not be
            from importlib.util import find_spec
            if find_spec(ours) is None:
                return None
        return ModuleSpec(name, self)

    def create_module(self, spec):
        from importlib import import_module
        module = import_module(self.ours(spec.name))
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module):
        # The import system has just stamped the second name's spec on the module, which would break reload.
        name, module.__spec__ = module.__spec__.name, module.__spec__.loader_state
        # What is in it is loaded under this name as well. Asked for later, it would take the place of a function of its name.
        for inner in [loaded for loaded in sys.modules if loaded.startswith(f"{module.__name__}.")]:
            sys.modules.setdefault(name + inner[len(module.__name__):], sys.modules[inner])

    def get_code(self, name):
        """For ``python -m leafward.run``."""
        from importlib.util import find_spec
        return find_spec(self.ours(name)).loader.get_code(self.ours(name))


class AbsentFinder:
    """At the end of ``sys.meta_path``: modules that are there for their names alone (:mod:`leafward.tensor.absent`)."""

    def find_spec(self, name, path=None, target=None):
        if not name.startswith("leafward."):
            return None
        from leafward.tensor.absent import AbsentFinder
        return AbsentFinder().find_spec(name)


# In front: the ordinary finder would look for leafward.cuda.amp in the folder of leafward.cuda, and load it a second time.
sys.meta_path.insert(0, ModuleFinder())
sys.meta_path.append(AbsentFinder())
