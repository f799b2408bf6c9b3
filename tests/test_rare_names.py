"""Names that few programs use: diagonals, maps, checks, files, causal masks, switches."""
import warnings

import pytest

import leafward as lw
from tests.oracle import torch
from torch.nn.attention import bias  # noqa: F401, I001  (which PyTorch loads when asked for)

#: ``t``: the library; what is compared is what is printed, or the type of the error and its first sentence.
CALLS = """t.zeros(3, 3).fill_diagonal_(1); t.zeros(7, 3).fill_diagonal_(1, wrap=True)
t.zeros(3, 5).fill_diagonal_(2.5, True); t.zeros(4, 3).fill_diagonal_(2, True)
t.zeros(2, 2, 2).fill_diagonal_(4); t.zeros(3).fill_diagonal_(1); t.zeros(2, 3, 2).fill_diagonal_(1)
t.zeros(9, 2).fill_diagonal_(2, True); t.arange(3.).map_(t.ones(3), lambda a, b: a + b)
t.arange(3.).map_(t.ones(1), lambda a, b: a - b)
t.arange(3.).map2_(t.ones(3), t.full((3,), 2.), lambda a, b, c: a + b * c)
t.ones(2).map_(t.ones(2, dtype=t.int32), max); t.ones(2, requires_grad=True).map_(t.ones(2), max)
t.ones(2).map_(3, max); t.ones(2, 3).dim_order()
t.ones(2, 3, 4, 5).to(memory_format=t.channels_last).dim_order(); t.ones(1, 2).dim_order(ambiguity_check=True)
t.ones(2, 3).is_same_size(t.zeros(2, 3)); t.ones(2, 3).is_same_size(t.zeros(3, 2)); t.is_same_size(t.ones(2), t.zeros(2))
t.ones(2, 3).t().dim_order(); t.functional.norm(t.ones(4)); t.functional.einsum("i,i->", t.ones(3), t.ones(3))
t.linalg.matmul(t.ones(2, 3), t.ones(3)); t._check(True); t._check(False); t._check(False, lambda: "mine")
t._check(1); t._check(t.tensor(True)); t._check_index(False, lambda: "i"); t._check_value(False, lambda: "v")
t._check_type(False, lambda: "t"); t._check_not_implemented(False, lambda: "n")
t._check_tensor_all(t.tensor([True, False]), lambda: "all"); t._check(False, "text")
t._check_with(KeyError, False, lambda: "k"); t.__future__.get_overwrite_module_params_on_conversion()
t.nn.attention.bias.causal_upper_left(2, 4).variant; t.nn.attention.bias.causal_lower_right(3, 2).seq_len_q
t.backends.cuda.flash_sdp_enabled(); t.backends.cuda.enable_math_sdp(True)
t.backends.cudnn.flags().__class__.__name__"""


def outcome(library, call):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return repr(eval(call, {"t": library}))
        except Exception as error:
            return f"{type(error).__name__}: {str(error).partition('. ')[0].partition(' (Could')[0].rstrip('.')}"


@pytest.mark.parametrize("call", [c.strip() for c in CALLS.replace("\n", ";").split(";")])
def test_the_answer_is_pytorchs(call):
    assert outcome(lw, call) == outcome(torch, call)


@pytest.mark.parametrize("queries, keys", [(3, 3), (2, 4), (4, 2)])
@pytest.mark.parametrize("corner", ["causal_upper_left", "causal_lower_right"])
def test_attention_with_a_causal_bias(corner, queries, keys):
    def attended(library):
        library.manual_seed(0)
        q, k, v = library.rand(1, 2, queries, 4), library.rand(1, 2, keys, 4), library.rand(1, 2, keys, 4)
        mask = getattr(library.nn.attention.bias, corner)(queries, keys)
        return library.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    ours = attended(lw)
    assert type(ours) is lw.Tensor
    if (corner, queries, keys) != ("causal_lower_right", 4, 2):             # rows that see nothing: PyTorch gives NaN
        torch.testing.assert_close(torch.tensor(ours.tolist()), attended(torch))


def test_a_file_as_memory(tmp_path):
    path = tmp_path / "numbers"
    path.write_bytes(b"\x01\x00\x02\x00\x03\x00")
    assert lw.from_file(str(path), size=3, dtype=lw.int16).tolist() == [1, 2, 3]
    lw.from_file(str(path), shared=True, size=3, dtype=lw.int16)[0] = 7
    assert path.read_bytes()[0] == 7
    lw.from_file(str(path), size=3, dtype=lw.int16)[0] = 9                  # private: the file keeps what it has
    assert path.read_bytes()[0] == 7


def test_attention_switches_are_remembered():
    cuda = lw.backends.cuda
    with pytest.warns(FutureWarning, match=r"sdp_kernel\(\)` is deprecated"):
        block = cuda.sdp_kernel(enable_flash=False)
    with block:
        assert not cuda.flash_sdp_enabled() and cuda.math_sdp_enabled()
    assert cuda.flash_sdp_enabled()


def test_what_cannot_be_done_says_what_to_do():
    with pytest.raises(NotImplementedError, match="replace them by hand"):
        lw.__future__.set_overwrite_module_params_on_conversion(True)


def test_the_newest_arguments_and_files():
    function = lambda x: 2 * x  # noqa: E731
    assert lw.compile(function, name="double", recompile_limit=3, isolate_recompiles=True, disable=True) is function
    from leafward.signal.windows.windows import hann
    from leafward.nn.parallel.data_parallel import DataParallel, data_parallel
    assert hann is lw.signal.windows.hann
    assert (DataParallel, data_parallel) == (lw.nn.parallel.DataParallel, lw.nn.parallel.data_parallel)
    assert lw.overrides.is_tensor_like(inp=lw.ones(1)) and lw.ones(1).untyped_storage().get_device() is None
    with pytest.raises(RuntimeError):
        lw.nn.Linear(1, 1).ipu()
