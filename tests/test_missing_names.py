"""Names of PyTorch's that leafward lacks: PyTorch's words, and what to use instead; parts that are there to be asked."""
import pickle
import subprocess
import sys

import pytest

import leafward as lw
from leafward.tensor.missing import INSTEAD

LAYOUTS, NO_COMPILER, NO_QUANTIZED = "COO or CSR", "no graph compiler", "no quantized tensors"

#: What is asked for -> what the error says besides PyTorch's words.
MISSING = {
    "torch.nn.functional.softmx": "leafward has torch.nn.functional.softmax",
    "torch.nn.Conv4d": "leafward has torch.nn.Conv3d",
    "torch.nn.init.xavier_unform_": "leafward has torch.nn.init.xavier_uniform_",
    "torch.nn.quantized": NO_QUANTIZED,
    "torch.optim.Adamm": "leafward has torch.optim.Adam", "torch.optim.lr_scheduler.StepLRR": "torch.optim.lr_scheduler.StepLR",
    "torch.linalg.choleskyy": "leafward has torch.linalg.cholesky", "torch.fft.ffft": "leafward has torch.fft.fft",
    "torch.special.errf": "leafward has torch.special.erf", "torch.distributions.Norml": "torch.distributions.Normal",
    "torch.func.vmapp": "leafward has torch.func.vmap", "torch.utils.data.DataLoadr": "torch.utils.data.DataLoader",
    "torch.utils.cpp_extension": "torch.autograd.Function",
    "torch.autograd.gradd": "leafward has torch.autograd.grad", "torch.cuda.jiterator": "leafward computes on the CPU",
    "torch.sparse_bsr_tensor": LAYOUTS, "torch.nested": "lists of tensors", "torch.Tensor.to_sparse_bsr": LAYOUTS,
    "torch.fx.replace_pattern": "tensor.grad_fn", "torch.export.save": NO_COMPILER, "torch._dynamo.explain": NO_COMPILER,
    "torch._inductor": NO_COMPILER, "torch.library.Library": "torch.library.custom_op", "torch.jit.freeze": NO_COMPILER,
    "torch.jit.load": "torch.save(model.state_dict(), path)",
    "torch.utils.swap_tensors": "a.data, b.data = b.data, a.data",
    "torch.ao.quantization.prepare": NO_QUANTIZED, "torch.cond": "ordinary if", "torch.SymInt": "integers",
    "torch.distributed.rpc": "send_object_list", "torch.xpu": "leafward computes on the CPU",
    "torch.Tensor.q_scale": NO_QUANTIZED, "torch.Tensor.dequantize": NO_QUANTIZED, "torch.Tensor.to_mkldnn": "no other layout",
    "torch.Tensor.symeig": "use linalg.eigh", "torch.Tensor.solve": "use linalg.solve", "torch.solve": "use linalg.solve",
    "torch.Tensor.index": "x[i, j]", "torch.Tensor.record_stream": "leafward computes on the CPU",
}


@pytest.mark.parametrize("path", MISSING)
def test_a_missing_name_says_what_to_use(path):
    *places, name = path.removeprefix("torch.").split(".")
    place = lw.ones(2) if places == ["Tensor"] else lw
    for part in places if place is lw else ():
        place = getattr(place, part)
    assert not hasattr(place, name)
    with pytest.raises(AttributeError) as raised:
        getattr(place, name)
    first, advice = str(raised.value).split("\n")
    what = "'Tensor' object" if places == ["Tensor"] else f"module '{path.rpartition('.')[0]}'"
    assert first == f"{what} has no attribute '{name}'" and MISSING[path] in advice


def test_a_tensor_without_memory_is_refused():
    with pytest.raises(NotImplementedError, match=r"data.as_subclass\(cls\)"):
        lw.Tensor._make_wrapper_subclass(lw.Tensor, (2, 3), dtype=lw.float32)


def test_advice_is_given_for_what_is_missing_alone():
    def there(path):
        *places, name = path.split(".")
        place = lw.ones(2) if places == ["Tensor"] else lw
        for part in places if place is lw else ():
            place = getattr(place, part)
        return hasattr(place, name)
    assert not [path for path in INSTEAD if not path.endswith("*") and there(path)]


def test_names_that_are_only_there_to_be_asked_for():
    from leafward.distributed import pipelining
    from leafward.distributed.launcher.api import LaunchConfig
    from leafward.fx.proxy import TraceError
    from leafward.onnx import symbolic_opset11
    for absent in (pipelining.ScheduleGPipe, LaunchConfig, TraceError, symbolic_opset11.squeeze):
        assert not isinstance(lw.nn.Linear(1, 1), absent)
        with pytest.raises(NotImplementedError, match=f"leafward does not have {absent.__module__}.{absent.__name__}: "):
            absent(1)
    assert lw.distributed.pipelining is pipelining and pipelining.SplitPoint is pipelining.SplitPoint
    with pytest.raises(AttributeError, match=r"torch\.distributed\.pipelining\.SplitPoint\.BEGINNING"):
        pipelining.SplitPoint.BEGINNING  # noqa: B018
    with pytest.raises(AttributeError, match=r"module 'torch\.distributed\.pipelining' has no attribute 'SplitPiont'"):
        pipelining.SplitPiont  # noqa: B018
    with pytest.raises(ImportError):
        from leafward.distributed import pipelining_of_old  # noqa: F401
    with pytest.raises(ModuleNotFoundError, match=r"leafward\.distributed\.pipelining\.old"):
        import leafward.distributed.pipelining.old  # noqa: F401


def test_the_table_of_such_names_has_none_that_is_there():
    from importlib import import_module

    from leafward.tensor.absent import Absent, NAMES, stand_in
    for module, names in NAMES.items():
        found = import_module(f"leafward.{module}")
        for name in names:
            assert hasattr(found, name), (module, name)
    assert isinstance(stand_in("distributed.optim", "DistributedOptimizer"), Absent) and stand_in("fft", "fft") is None


def test_a_missing_attribute_of_a_tensor():
    with pytest.raises(AttributeError) as raised:
        lw.ones(2).softmx  # noqa: B018
    assert str(raised.value) == "'Tensor' object has no attribute 'softmx'"
    assert raised.value.name == "softmx" and type(raised.value.obj) is lw.Tensor      # for Python's "Did you mean"
    assert getattr(lw.ones(2), "softmx", None) is None


PROGRAM = """
import importlib, torch
for name in ("torch.package", "torch.fx.passes", "torch.nested", "torch.utils.cpp_extension", "torch.nn.quantized",
             "torch.qqq"):
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:
        print(error)
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.distributed import init_process_group, destroy_process_group
from torch.types import Number, Device
from torch.optim.optimizer import ParamsT
from torch._C import _log_api_usage_once, Generator
import torch.cpu, torch.compiler, torch.return_types, torch.backends.mkldnn
assert torch._C.Generator is torch.Generator and torch.Tensor is not torch._C.TensorBase
print(type(torch.max(torch.ones(2, 2), 1)))
"""


def test_imports(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    done = subprocess.run([sys.executable, "-m", "leafward", "run", "program.py"], cwd=tmp_path, capture_output=True,
                          text=True, env={"PYTHONPATH": ":".join(filter(None, sys.path))})
    *said, last = done.stdout.splitlines()
    assert done.returncode == 0 and last == "<class 'torch.return_types.max'>", done.stderr
    expected = ("safetensors", "tensor.grad_fn", "lists of tensors", "torch.autograd.Function", NO_QUANTIZED,
                "no such part of PyTorch")
    assert len(said) == len(expected)
    assert all(line.startswith("No module named 'torch.") and advice in line for line, advice in zip(said, expected))


def test_no_group_yet():
    dist = lw.distributed
    assert dist.is_available() and not dist.is_initialized() and not dist.is_nccl_available()
    for ask in (dist.get_rank, dist.get_world_size, dist.barrier, lambda: dist.all_reduce(lw.ones(2), op=dist.ReduceOp.SUM),
                lambda: lw.nn.parallel.DistributedDataParallel(lw.nn.Linear(2, 2))):
        with pytest.raises(ValueError, match="Default process group has not been initialized, please make sure to call init"):
            ask()
    with pytest.raises(RuntimeError, match="Distributed package doesn't have NCCL built in"):
        dist.init_process_group("nccl")


def test_compilers_that_leave_everything_as_it_is():
    compiler = lw.compiler
    assert compiler.disable(len) is len and compiler.disable(recursive=False)(len) is len
    assert compiler.allow_in_graph(len) is len and compiler.list_backends() == []
    assert not compiler.is_compiling() and not compiler.is_dynamo_compiling() and compiler.reset() is None
    assert not isinstance(lw.nn.Linear(2, 2), lw.jit.ScriptModule)


def test_what_is_asked_about_gpus():
    x = lw.ones(2)
    assert x.get_device() == lw.get_device(x) == -1 and not x.is_sparse_csr and x.name is None
    assert x.to_dense() is x and x.to_dense(lw.float64).dtype is lw.float64 and (x.sparse_dim(), x.dense_dim()) == (0, 1)
    assert not isinstance(x, lw.cuda.FloatTensor) and lw.cuda.get_arch_list() == [] and lw.cuda.memory_stats() == {}
    with lw.cuda.device(-1), lw.cuda.device_of(x), lw.cuda.stream(None), lw.cpu.stream(None):
        pass
    for ask, error, text in ((lambda: lw.cuda.FloatTensor(2), TypeError, "type torch.cuda.FloatTensor not available."),
                             (lambda: lw.cuda.device(0).__enter__(), RuntimeError, "PyTorch was compiled without CUDA support"),
                             (lw.cuda.Stream, RuntimeError, "torch.cuda.Stream requires CUDA support")):
        with pytest.raises(error, match=text):
            ask()
    assert issubclass(lw.OutOfMemoryError, RuntimeError) and lw.cuda.OutOfMemoryError is lw.OutOfMemoryError
    assert lw.cpu.is_available() and lw.cpu.device_count() == 1 and lw.cpu.current_device() == "cpu"
    assert not lw.backends.mkldnn.is_available() and not lw.backends.mkl.is_available()
    assert not lw.backends.openmp.is_available() and not lw.backends.opt_einsum.is_available()
    assert lw.backends.cpu.get_cpu_capability() == "DEFAULT"
    with lw.backends.mkldnn.flags(enabled=False):
        pass


def test_no_torch_function_is_asked_where_it_is_disabled():
    class Refusing(lw.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            raise RuntimeError("asked")
    x = lw.ones(2).as_subclass(Refusing)
    with lw._C.DisableTorchFunctionSubclass():
        assert type(x + 1) is lw.Tensor
    with pytest.raises(RuntimeError, match="asked"):
        x + 1


def test_functions_and_results_with_names_are_pickled():
    F = lw.nn.functional
    for function in (F.gelu, F.relu, F.softmax, F.max_pool2d, F.elu_, lw.relu, lw.exp, lw.linalg.svd, lw.fft.fft,
                     lw.special.erf):
        assert pickle.loads(pickle.dumps(function)) is function
    assert (F.relu.__name__, F.relu.__module__) == ("relu", "leafward.nn.functional")
    values, indices = pickle.loads(pickle.dumps(lw.sort(lw.tensor([2.0, 1.0]))))
    assert values.tolist() == [1, 2] and indices.tolist() == [1, 0]
    assert type(lw.sort(lw.ones(2))) is lw.return_types.sort
    layer = lw.nn.TransformerEncoderLayer(4, 2, 8, activation=F.gelu)
    assert pickle.loads(pickle.dumps(layer)).activation is F.gelu
    assert sys.getsizeof(lw.ones(100).untyped_storage()) > 400


def test_einsum_names_operands_that_are_no_tensors():
    with pytest.raises(TypeError, match="expected Tensor as element 1 in argument 1, but got float"):
        lw.einsum("a,->a", lw.ones(2), 0.5)


def test_trees_memory_and_configuration():
    tree = lw.utils._pytree
    value = {"b": [1, (2, "x")], "a": None}
    leaves, spec = tree.tree_flatten(value)
    assert leaves == tree.tree_leaves(value) == [1, 2, "x", None]
    assert spec == tree.tree_structure(value) and spec.num_leaves == 4
    assert tree.tree_unflatten(leaves, spec) == value and tree.tree_map_(str, value) is value
    assert tree.tree_map_only(int, lambda x: -x, value) == {"b": [-1, (-2, "x")], "a": None}
    assert tree.tree_map_only(lambda x: x == 2, str, [1, 2]) == [1, "2"]
    assert tree.tree_map(lambda a, b: a + b, [1, 2], [3, 4]) == [4, 6]
    assert tree.tree_any(lambda x: x == 2, value) and not tree.tree_all(lambda x: x == 2, value)
    for refused, error in ((lambda: tree.tree_unflatten([1], spec), ValueError),
                           (lambda: tree.tree_map(max, [1], (1,)), ValueError)):
        with pytest.raises(error):
            refused()
    assert lw.utils.dlpack.from_dlpack is lw.from_dlpack
    assert lw.own_version in lw.__config__.show() and "threads" in lw.__config__.parallel_info()
