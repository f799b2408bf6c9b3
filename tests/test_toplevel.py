"""``leafward`` itself: questions, settings, and what is said of a name that does not exist."""
import itertools

import pytest

import leafward as lw
from tests.oracle import torch

DTYPES = ("bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex64",
          "complex128")


def both(ask):
    """What ``ask(t)`` gives here and in PyTorch, exceptions included, as text."""
    answers = []
    for t in (lw, torch):
        try:
            answers.append(str(ask(t)))
        except Exception as error:  # noqa: BLE001  it is the observation
            answers.append(f"{type(error).__name__}: {error}")
    return answers


@pytest.mark.parametrize("ask", [
    "t.is_complex(t.ones(2))", "t.is_floating_point(t.ones(2))", "t.is_signed(t.ones(2, dtype=t.uint8))",
    "t.numel(t.ones(2, 3))",
    "t.is_nonzero(t.zeros(1))", "t.is_inference(t.ones(2))", "t.is_neg(t.ones(2))", "t.is_complex(3)", "t.numel(None)",
    "t.is_tensor(3)", "t.is_tensor(t.ones(1))", "t.is_storage(t.ones(2).untyped_storage())", "t.is_storage(t.ones(2))",
    "t.is_same_size(t.ones(2), t.ones(3))", "t.detach(t.ones(2, requires_grad=True))",
    "t.broadcast_shapes((2, 1), (4,), 1)", "t.broadcast_shapes()", "t.broadcast_shapes((2, 3), (4,))",
    "t.broadcast_shapes((2, -1), (4,))", "t.broadcast_shapes((5, 1, 1), (2, 1), (3,))",
    "t.typename(t.ones(2))", "t.typename(3)", "t.typename(t.nn.Linear(1, 1))", "t.typename(t.Tensor)", "t.typename(len)",
    "t.typename(t.float32)", "t.typename('a')", "t.can_cast(1, 2)", "t.result_type(1, 2.0)",
    "t.result_type(t.ones((), dtype=t.float64), t.ones(1))", "t.result_type(t.ones(2, dtype=t.int32), 1.5)",
    "t.result_type(tensor=t.ones(1, dtype=t.int8), other=t.ones(1, dtype=t.uint8))",
    "t.get_default_device()", "t.set_default_tensor_type(t.int32)",
    "t.get_float32_matmul_precision()", "t.get_deterministic_debug_mode()", "t.set_deterministic_debug_mode('x')",
    "t.set_deterministic_debug_mode(5)", "t.set_deterministic_debug_mode(None)", "t.set_num_interop_threads(0)",
    "t.set_num_interop_threads('a')", "t.is_warn_always_enabled()", "t.exp_(t.zeros(2))", "t.relu_(-t.ones(2))",
    "t.clamp_(t.ones(2), max=0.5)",
])
def test_answers_are_pytorchs(ask):
    ours, theirs = both(lambda t: eval(ask, {"t": t}))
    assert ours == theirs


@pytest.mark.parametrize("ask", [
    "cuda.is_available()", "cuda.device_count()", "cuda.manual_seed(1)", "cuda.manual_seed_all(1)", "cuda.empty_cache()",
    "cuda.is_initialized()", "cuda.is_bf16_supported()", "cuda.memory_allocated()", "cuda.max_memory_allocated()",
    "cuda.get_rng_state_all()", "cuda.synchronize()", "cuda.current_device()", "cuda.get_device_name()",
    "cuda.get_device_properties(0)", "cuda.current_stream()", "accelerator.is_available()", "accelerator.device_count()",
    "accelerator.current_accelerator()", "accelerator.synchronize()", "accelerator.set_device_index(0)",
    "backends.cudnn.benchmark", "backends.cudnn.deterministic", "backends.cudnn.enabled", "backends.cudnn.allow_tf32",
    "backends.cudnn.is_available()", "backends.cudnn.version()", "backends.cuda.matmul.allow_tf32",
    "backends.cuda.is_built()", "backends.mps.is_available()", "backends.mps.is_built()",
])
def test_devices_that_are_not_there(ask):
    ours, theirs = both(lambda t: eval(f"t.{ask}", {"t": t}))
    assert ours.split("\n")[0] == theirs


def test_switches_of_backends_can_be_set():
    import leafward.backends.cudnn as cudnn
    cudnn.benchmark = True
    assert lw.backends.cudnn.benchmark is True
    cudnn.benchmark = False


@pytest.mark.parametrize("name", DTYPES)
def test_casts(name):
    for other in DTYPES:
        ours, theirs = both(lambda t, other=other: t.can_cast(getattr(t, name), getattr(t, other)))
        assert ours == theirs, (name, other)


def test_result_types():
    operands = [(name, shape) for name in DTYPES for shape in ((), (1,))]
    for pair in itertools.product(operands, operands):
        ours, theirs = both(lambda t, pair=pair: t.result_type(
            *[t.ones(shape, dtype=getattr(t, name)) for name, shape in pair]))
        assert ours == theirs, pair


@pytest.fixture
def settings():
    yield
    lw.set_default_dtype(lw.float32)
    lw.use_deterministic_algorithms(False)
    lw.set_float32_matmul_precision("highest")


@pytest.mark.filterwarnings("ignore:torch.set_default_tensor_type")
def test_settings(settings):
    lw.set_default_tensor_type("torch.DoubleTensor")
    assert lw.ones(1).dtype is lw.float64
    lw.set_default_tensor_type(lw.FloatTensor)
    assert lw.ones(1).dtype is lw.float32
    lw.use_deterministic_algorithms(True, warn_only=True)
    assert lw.get_deterministic_debug_mode() == 1 and lw.is_deterministic_algorithms_warn_only_enabled()
    lw.set_deterministic_debug_mode("error")
    assert lw.are_deterministic_algorithms_enabled() and not lw.is_deterministic_algorithms_warn_only_enabled()
    lw.set_float32_matmul_precision("medium")
    assert lw.get_float32_matmul_precision() == "medium"
    assert lw.set_flush_denormal(True) is False


@pytest.mark.parametrize(("name", "text"), [
    ("sparse_bsr_tensor", "module 'torch' has no attribute 'sparse_bsr_tensor'\n"
                          "leafward does not have torch.sparse_bsr_tensor: sparse tensors are COO or CSR here"),
    ("symeig", "use linalg.eigh"),
    ("randnn", "module 'torch' has no attribute 'randnn'\nleafward has torch.randn"),
])
def test_a_missing_name(name, text):
    assert not hasattr(lw, name)
    with pytest.raises(AttributeError) as raised:
        getattr(lw, name)
    assert text in str(raised.value)


def test_a_name_like_no_other():
    with pytest.raises(AttributeError) as raised:
        lw.qqqq  # noqa: B018
    assert str(raised.value) == "module 'torch' has no attribute 'qqqq'"
    with pytest.raises(ImportError):
        from leafward import qqqq  # noqa: F401


def test_advice_is_only_given_for_what_is_missing():
    from leafward.tensor.missing import INSTEAD
    assert not [name for name in INSTEAD if hasattr(lw, name)]
