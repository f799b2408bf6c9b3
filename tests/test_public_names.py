"""Every public name of PyTorch's packages for networks, training, data and distributions is here, or has a reason not to be."""
import importlib
import inspect
import pkgutil
from pathlib import Path

import pytest
import setuptools  # noqa: F401  (PyTorch imports it late, and it refuses where something has imported distutils before it)

import leafward
from leafward.compat import MODULES
from leafward.derive import objects
from tests.oracle import torch

NAMESPACES = (
    "nn nn.functional nn.init nn.modules nn.parameter nn.attention nn.parallel nn.utils nn.utils.rnn nn.utils.prune "
    "nn.utils.parametrize nn.utils.parametrizations nn.utils.stateless optim optim.lr_scheduler optim.swa_utils "
    "optim.optimizer utils.data utils.data.dataset utils.data.sampler utils.data.datapipes.datapipe utils.tensorboard "
    "distributions distributions.constraints distributions.transforms distributions.kl distributions.utils amp "
    "nn.modules.activation nn.modules.adaptive nn.modules.batchnorm nn.modules.channelshuffle nn.modules.container "
    "nn.modules.conv nn.modules.distance nn.modules.dropout nn.modules.flatten nn.modules.fold nn.modules.instancenorm "
    "nn.modules.lazy nn.modules.linear nn.modules.loss nn.modules.module nn.modules.normalization nn.modules.padding "
    "nn.modules.pixelshuffle nn.modules.pooling nn.modules.sparse nn.modules.transformer nn.modules.upsampling "
    "nn.modules.utils nn.parallel.data_parallel signal.windows.windows optim.adadelta optim.adagrad optim.adam "
    "optim.adamax optim.adamw optim.asgd optim.nadam optim.radam optim.rmsprop optim.rprop optim.sgd").split()
#: What is not there; docs/differences.md names each, with the reason.
ABSENT = {
    "nn": {"intrinsic", "qat", "quantizable", "quantized"},
    "nn.functional": {"ScalingType", "SwizzleType", "grouped_mm", "scaled_grouped_mm", "scaled_mm"},
    "nn.modules": {"linear_cross_entropy_options"},
    "nn.attention": {"activate_flash_attention_impl", "current_flash_attention_impl", "list_flash_attention_impls",
                     "register_flash_attention_impl", "restore_flash_attention_impl"},
    "nn.parallel": {"DistributedDataParallelCPU", "comm", "gather", "parallel_apply", "replicate", "scatter",
                    "scatter_gather"},
    "optim": {"swap_in_optimizer_params_and_state"},
    "utils.data": {"DFIterDataPipe", "argument_validation", "graph", "graph_settings", "guaranteed_datapipes_determinism",
                   "non_deterministic", "runtime_validation", "runtime_validation_disabled"},
    "utils.data.datapipes.datapipe": {"DFIterDataPipe"},
    "nn.utils.rnn": {"bind"},
    **{f"optim.{name}": {name} for name in "adadelta adagrad adam adamax adamw asgd nadam radam rmsprop rprop sgd".split()},
    "utils.tensorboard": {"FileWriter"},
}
#: Private names that programs import all the same.
PRIVATE = {
    "nn": "_reduction common_types",
    "nn.functional": "_Reduction _canonical_mask _check_key_padding_mask _get_softmax_dim _in_projection _in_projection_packed "
                     "_list_with_default _mha_shape_check _no_grad_embedding_renorm_ _none_or_dtype _pair _single _triple "
                     "_unpool_output_size _verify_batch_size _verify_spatial_size assert_int_or_pair boolean_dispatch",
    "nn.init": "_calculate_correct_fan _calculate_fan_in_and_fan_out _no_grad_fill_ _no_grad_normal_ _no_grad_trunc_normal_ "
               "_no_grad_uniform_",
    "nn.modules.utils": "_list_with_default _ntuple _pair _quadruple _reverse_repeat_tuple _single _triple",
    "nn.modules.batchnorm": "_BatchNorm _NormBase", "nn.modules.conv": "_ConvNd _ConvTransposeNd",
    "nn.modules.loss": "_Loss _Reduction _WeightedLoss", "nn.modules.instancenorm": "_InstanceNorm",
    "nn.modules.pooling": "_AdaptiveAvgPoolNd _AdaptiveMaxPoolNd _AvgPoolNd _LPPoolNd _MaxPoolNd _MaxUnpoolNd",
    "nn.modules.padding": "_ConstantPadNd _ReflectionPadNd _ReplicationPadNd", "nn.modules.dropout": "_DropoutNd",
    "nn.modules.module": "_EXTRA_STATE_KEY_SUFFIX _IncompatibleKeys _addindent",
    "nn.modules.transformer": "_generate_square_subsequent_mask _get_activation_fn _get_clones",
    "nn.utils.clip_grad": "_clip_grads_with_norm_ _get_total_norm",
    "optim.optimizer": "_RequiredParameter _default_to_fused_or_foreach _get_scalar_dtype _get_value _params_doc "
                       "_stack_if_compiling _to_scalar _use_grad_for_differentiable _view_as_real required",
    "optim.lr_scheduler": "LRScheduler _LRScheduler EPOCH_DEPRECATION_WARNING",
    "utils.data.dataloader": "_BaseDataLoaderIter _DatasetKind _InfiniteConstantSampler _MultiProcessingDataLoaderIter "
                             "_SingleProcessDataLoaderIter default_collate",
    "distributions.utils": "_standard_normal _sum_rightmost euler_constant",
}


def public(theirs, namespace):
    """The functions, classes and modules that PyTorch defines there, not those that it happens to import."""
    for name in dir(theirs):
        value = getattr(theirs, name)
        listed = name in getattr(theirs, "__all__", ())
        if name.startswith("_") or type(value).__name__ in ("TypeVar", "ParamSpec"):
            continue
        if inspect.ismodule(value):
            if value.__name__.startswith(f"torch.{namespace}"):
                yield name
        elif callable(value) and (listed or (getattr(value, "__module__", None) or "").startswith(f"torch.{namespace}")):
            yield name


@pytest.mark.parametrize("namespace", NAMESPACES)
def test_what_is_absent(namespace):
    theirs, ours = (importlib.import_module(f"{root}.{namespace}") for root in ("torch", "leafward"))
    assert {name for name in public(theirs, namespace) if not hasattr(ours, name)} == ABSENT.get(namespace, set())


@pytest.mark.parametrize("namespace", PRIVATE)
def test_private_names_that_programs_import(namespace):
    theirs, ours = (importlib.import_module(f"{root}.{namespace}") for root in ("torch", "leafward"))
    for name in PRIVATE[namespace].split():
        assert hasattr(ours, name), name
        assert hasattr(theirs, name) or name in ("required", "_LRScheduler", "_RequiredParameter", "common_types"), name


#: Where a name that is missing says what to use instead, or why there is nothing.
ADVISED = (
    "Tensor linalg special fft autograd autograd.graph autograd.functional autograd.forward_ad autograd.profiler sparse random "
    "func signal.windows masked utils utils.checkpoint utils.hooks cuda mps cpu accelerator backends jit overrides "
    "serialization storage testing types hub onnx profiler compiler library quasirandom multiprocessing futures export fx "
    "return_types").split()


def own_and_listed(theirs, namespace):
    """What PyTorch lists there, or has written there; of tensors, and of ``torch`` itself, everything but classes of C++."""
    for name in dir(theirs):
        value = getattr(theirs, name, None)
        if name.startswith("_") or inspect.ismodule(value) or type(value).__name__ in ("TypeVar", "ParamSpec"):
            continue
        home = getattr(value, "__module__", None) or ""
        if name in getattr(theirs, "__all__", ()) or namespace == "Tensor" or (
                callable(value) and not inspect.isclass(value) if not namespace else home.startswith(f"torch.{namespace}")):
            yield name


@pytest.mark.filterwarnings("ignore")                   # of what PyTorch says of its own names
@pytest.mark.parametrize("namespace", ["", *ADVISED])
def test_a_name_that_is_missing_says_what_to_use(namespace):
    if namespace == "Tensor":
        theirs, ours = torch.Tensor, leafward.ones(1)
    else:
        theirs, ours = (importlib.import_module(f"{root}.{namespace}".rstrip(".")) for root in ("torch", "leafward"))
    silent = []
    for name in own_and_listed(theirs, namespace):
        try:
            getattr(ours, name)
        except AttributeError as error:
            if "leafward does not have torch." not in str(error):
                silent.append(f"{name}: {error}")
        except RuntimeError:
            pass                                        # it is there, and does not hold for this tensor
    assert not silent, silent


def test_every_absence_has_its_reason():
    page = (Path(__file__).parent.parent / "docs" / "differences.md").read_text(encoding="utf-8")
    assert not [f"{namespace}.{name}" for namespace, names in ABSENT.items() for name in names if f"`{name}`" not in page]


def test_classes_live_where_pickles_look_for_them():
    """A module that PyTorch pickled names its classes by PyTorch's files."""
    missing = []
    for name in torch.nn.modules.__all__:
        theirs = getattr(torch.nn, name)
        place = importlib.import_module(theirs.__module__.replace("torch.", "leafward.", 1).replace(
            "linear_cross_entropy_options", "linear_cross_entropy"))
        if not hasattr(place, name):
            missing.append(name)
    assert not missing


def test_absent_names_are_attribute_errors():
    with pytest.raises(AttributeError, match="has no attribute 'scaled_mm'"):
        importlib.import_module("leafward.nn.functional").scaled_mm  # noqa: B018


# --- every public name that is here is in the reference ----------------------------------------------------------------

def modules_under_pytorchs_names():
    """What users import by PyTorch's name of it: files of leafward that PyTorch has, too."""
    found = set()
    for info in pkgutil.walk_packages(leafward.__path__, "leafward."):
        name = info.name
        for public_name, home in MODULES.items():
            if name == home or name.startswith(f"{home}."):
                name = f"leafward.{public_name}{name[len(home):]}"
                break
        inside = name.removeprefix("leafward.")
        if not any(part.startswith("_") for part in inside.split(".")) and there(f"torch.{inside}"):
            found.add(inside)
    return sorted(found)


def there(name):
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError:
        return None


def own_names(theirs):
    """The public names of a module of PyTorch: what it lists, or else what is written in PyTorch."""
    def is_own(name):
        return (getattr(getattr(theirs, name), "__module__", None) or "").startswith("torch")
    listed = getattr(theirs, "__all__", None)
    return [name for name in listed or dir(theirs) if not name.startswith("_") and (listed or is_own(name))]


@pytest.mark.filterwarnings("ignore")                   # of what PyTorch says of its own modules
def test_every_public_name_is_in_the_reference():
    entries = {id(value) for _, values in objects.object_pages().values() for _, value in values}
    entries |= {id(value) for _, value in objects.members()[0]}
    ops, missing, seen = objects.paths_of_ops(), [], 0
    for module in modules_under_pytorchs_names():
        ours, theirs = (importlib.import_module(f"{root}.{module}") for root in ("leafward", "torch"))
        for name in own_names(theirs):
            value = getattr(ours, name, None)
            home = getattr(value, "__module__", None) or ""
            # Not: values, what the standard library has written, and what stands for a name alone and refuses.
            if not (inspect.isclass(value) or inspect.isroutine(value)) or home.partition(".")[0] != "leafward" \
                    and home != "torch.return_types":
                continue
            seen += 1
            if id(value) not in entries and not {f"{module}.{name}", f"torch.{name}"} & ops:
                missing.append(f"{module}.{name}" + ("" if value.__doc__ else " (which has no docstring)"))
    assert not missing, "leafward/derive/objects.py decides which modules have a page"
    assert seen > 1000
