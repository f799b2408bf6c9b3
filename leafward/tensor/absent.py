"""Names of PyTorch's that programs import to ask ``isinstance`` or to annotate, and whose things leafward does not have.

Such a name is a class that refuses to be made, so that nothing is an instance of it; called as a function it refuses too. A
module that no file has is made of its names alone. Where a file comes to have the module, or the name, that is what is found.

Some of PyTorch's files have the names of the package they lie in: these are found under both.
"""
from functools import cache
from importlib import import_module
from importlib.machinery import ModuleSpec

WHOLE = "each process holds whole tensors here: use torch.nn.parallel.DistributedDataParallel"
NO_TRACE = "programs are not traced here: call the module as it is"
#: Why, by the beginning of the module's name.
WHY = {"distributed": WHOLE, "fx": NO_TRACE, "onnx": "torch.onnx.export writes a file by itself",
       "ao": "models are quantized with torch.ao.quantization.quantize_dynamic alone"}

SHARDING = ("BackwardPrefetch CPUOffload FullOptimStateDictConfig FullStateDictConfig LocalOptimStateDictConfig "
            "LocalStateDictConfig MixedPrecision OptimStateDictConfig ShardedOptimStateDictConfig ShardedStateDictConfig "
            "ShardingStrategy StateDictConfig StateDictSettings StateDictType")
#: The names by module.
NAMES = {module: names.split() for module, names in {
    "ao.quantization": "DeQuantStub QuantStub",
    "distributed._composable.fsdp": "CPUOffloadPolicy FSDPModule MixedPrecisionPolicy OffloadPolicy fully_shard",
    "distributed.algorithms._checkpoint.checkpoint_wrapper":
        "CheckpointImpl CheckpointWrapper OffloadWrapper apply_activation_checkpointing checkpoint_wrapper offload_wrapper",
    "distributed.algorithms.ddp_comm_hooks.post_localSGD_hook": "PostLocalSGDState post_localSGD_hook",
    "distributed.algorithms.model_averaging.averagers": "ModelAverager PeriodicModelAverager",
    "distributed.checkpoint._consolidate_hf_safetensors": "consolidate_safetensors_files",
    "distributed.checkpoint.hf_storage": "HuggingFaceStorageReader HuggingFaceStorageWriter",
    "distributed.checkpoint.optimizer": "load_sharded_optimizer_state_dict",
    "distributed.elastic.multiprocessing.errors": "ChildFailedError ErrorHandler ProcessFailure",
    "distributed.fsdp": "OptimStateKeyType",
    "distributed.fsdp.api": SHARDING,
    "distributed.fsdp.sharded_grad_scaler": "ShardedGradScaler",
    "distributed.fsdp.wrap":
        "ModuleWrapPolicy _or_policy enable_wrap lambda_auto_wrap_policy size_based_auto_wrap_policy "
        "transformer_auto_wrap_policy wrap",
    "distributed.launcher.api": "LaunchConfig elastic_launch",
    "distributed.optim": "DistributedOptimizer PostLocalSGDOptimizer",
    "distributed.pipelining": "PipelineStage Schedule1F1B ScheduleGPipe SplitPoint pipe_split pipeline",
    "distributed.tensor._utils": "compute_local_shape_and_global_offset",
    "distributed.tensor.experimental": "context_parallel implicit_replication",
    "distributed.tensor.experimental._attention": "set_rotate_method",
    "distributed.tensor.parallel":
        "ColwiseParallel ParallelStyle PrepareModuleInput PrepareModuleOutput RowwiseParallel SequenceParallel loss_parallel "
        "parallelize_module",
    "distributed.utils": "_sync_module_states",
    "fx.graph_module": "GraphModule _CodeOnlyModule _USER_PRESERVED_ATTRIBUTES_KEY _copy_attr",
    "fx.node": "Argument Node Target",
    "fx.proxy": "Proxy TraceError",
    "onnx": "ExportOptions TensorProtoDataType",
    "onnx.operators": "reshape_from_tensor_shape shape_as_tensor",
    "onnx.symbolic_opset11": "select squeeze unsqueeze",
}.items()}

#: Files of PyTorch's whose public names are those of the package that they lie in.
PARTS = frozenset("cuda.amp.autocast_mode cuda.graphs cuda.memory cuda.random "
                  "distributed.tensor.device_mesh profiler.profiler signal.windows.windows".split())


class Absent(type):
    """The class of classes that stand for what leafward does not have."""

    def __call__(cls, *args, **kwargs):
        raise NotImplementedError(reason(cls.__module__, cls.__name__))

    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)                      # Python asks
        raise AttributeError(reason(cls.__module__, f"{cls.__name__}.{name}"))


def reason(module, name):
    """What to say of ``name``, which PyTorch's ``module`` would have."""
    first = module.split(".")[1]
    return f"leafward does not have {module}.{name}: {WHY[first]}"


@cache
def stand_in(module, name):
    """What stands for ``name`` of ``module``, which is without ``torch.``; None where nothing does."""
    if leads_to(f"{module}.{name}"):
        return import_module(f"leafward.{module}.{name}")
    if name not in NAMES.get(module, ()):
        return None
    return Absent(name, (), {"__module__": f"torch.{module}", "__doc__": "Cannot be made: nothing is one."})


def leads_to(path):
    """Whether ``path`` is a module of the tables, or a package of one."""
    return path in PARTS or any(f"{module}.".startswith(f"{path}.") for module in NAMES)


def known(module):
    """What PyTorch calls one of leafward's modules: ``"leafward.compat.onnx"`` -> ``"onnx"``."""
    return module.removeprefix("leafward.").removeprefix("compat.")


class AbsentFinder:
    """Behind all finders on ``sys.meta_path``: a module of the table above that no file has. Its own loader."""

    def find_spec(self, name, path=None, target=None):
        if not name.startswith("leafward.") or not leads_to(known(name)):
            return None
        return ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        path = known(module.__name__)
        if path in PARTS:
            package = import_module(module.__name__.rpartition(".")[0])
            module.__doc__ = f"``torch.{path}``: names of its package."
            module.__getattr__ = lambda name: getattr(package, name)
            return
        module.__doc__ = f"``torch.{path}``: names alone."
        module.__all__ = NAMES.get(path, [])
        names_missing_from = import_module("leafward.tensor.missing").names_missing_from    # which asks this file
        module.__getattr__ = names_missing_from(f"torch.{path}", dict.fromkeys(module.__all__))
