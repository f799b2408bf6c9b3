"""An op returns a view exactly where PyTorch does, with PyTorch's strides and offset."""
import itertools
from importlib import import_module

import pytest

import leafward
from leafward.core.runtime import runtime
from tests.comparisons import compared, compares
from tests.oracle import Outcome, assert_same, is_tensor, to_numpy, torch
from tests.ops.checks import call, tensors_in
from tests.samples import (
    every_op, every_sample, is_comparable, is_composite, is_public, name_of, ours, samples_of, theirs, writes_input,
)


def links(inputs, outputs):
    """Which input each output shares memory with, and where it lies in it."""
    found = []
    for out in outputs:
        shared = [k for k, x in enumerate(inputs) if out.untyped_storage().data_ptr() == x.untyped_storage().data_ptr()]
        found.append((shared, out.storage_offset(), out.stride(), out._is_view(), out.is_contiguous(), out.is_conj(),
                      out.is_neg()) if shared else None)
    return found


@pytest.mark.parametrize("sample", every_sample(lambda op: is_public(op) and not writes_input(op)), ids=name_of)
@compares
def test_shares_memory_as_pytorch_does(sample):
    for dtype, layout in (("float32", "contiguous"), ("float32", "transposed"), ("float32", "strided"),
                          ("complex64", "contiguous"), ("complex64", "lazy_conj"), ("float32", "lazy_conj")):
        seen = []
        for t, find in (torch, theirs), (leafward, ours):
            args, kwargs = sample.make(t, dtype, layout=layout)
            outcome = Outcome(find(sample.op), args, kwargs)
            if outcome.error is not None:
                break
            outputs = [x for x in tensors_in(outcome.value) if x.numel()]
            seen.append(links(tensors_in([args, kwargs]), outputs))
        if len(seen) == 2:
            compared()
            assert seen[1] == seen[0], f"{dtype}, {layout}: leafward first"


#: What is reshaped last on one side, as docs/differences.md says.
RESHAPED_LAST = ("linear", "max_pool1d", "empty_permuted")


@pytest.mark.parametrize("sample", every_sample(lambda op: is_public(op) and not writes_input(op)), ids=name_of)
@compares
def test_a_result_is_a_view_where_it_is_in_pytorch(sample):
    """Whatever it shares: ``detach_`` refuses views, and what is written to them goes to their base."""
    for wanted in False, True:
        seen = []
        for t, find in (torch, theirs), (leafward, ours):
            args, kwargs = sample.make(t, "float32", requires_grad=wanted)
            outcome = Outcome(call, (t, find(sample.op), sample.op, args, kwargs))
            if outcome.error is not None:
                break
            seen.append([x._is_view() for x in tensors_in(outcome.value)])
        if len(seen) == 2:
            compared()
            assert seen[1] == seen[0] or sample.op.name in RESHAPED_LAST, "leafward first"


def remembers_views(op):
    """Whether the views of ``op`` are remembered, or those of the op that it comes to."""
    return (op.views if is_composite(op) else op.alias is not None) and is_public(op)


@pytest.mark.parametrize("sample", every_sample(remembers_views), ids=name_of)
def test_the_second_view_is_what_the_first_was(sample):
    """A view op computes where its view lies once, and then remembers; the options 1 and True are still two."""
    for dtype, layout in (("float32", "contiguous"), ("complex64", "transposed"), ("int64", "strided"),
                          ("float32", "lazy_conj")):
        if runtime.view_again is not None:
            import_module("leafward.arrays.kernels.view_calls").forget_views()
        seen = []
        for _ in range(3):
            args, kwargs = sample.make(leafward, dtype, layout=layout)
            for x in tensors_in([args, kwargs]):
                x.requires_grad_(dtype != "int64")
            outcome = Outcome(ours(sample.op), args, kwargs)
            outputs = tensors_in(outcome.value) if outcome.error is None else []
            seen.append((type(outcome.error), links(tensors_in([args, kwargs]), outputs),
                         [(type(x.grad_fn).__name__, x.dtype, x.shape, x.tolist()) for x in outputs]))
        assert seen[1] == seen[0] and seen[2] == seen[0], (dtype, layout)


#: Results in another order than PyTorch's, which ``docs/differences.md`` names: ``reshape`` copies them where it views there.
IN_ANOTHER_ORDER = ("cosine_similarity", "einsum", "float_power", "linalg_lu_solve", "linalg_solve", "matrix_power", "nll_loss",
                    "pca_lowrank", "pow", "rms_norm", "rrelu", "svd", "svd_lowrank", "trapezoid")


@pytest.mark.parametrize("op", every_op(is_comparable), ids=name_of)
def test_results_are_in_order_where_pytorch_has_them_in_order(op):
    """So that ``view`` works where it works there; and memory is never walked backwards."""
    differs = False
    for sample, layout in itertools.product(samples_of(op), ("contiguous", "transposed")):
        found = []
        for t, find in (torch, theirs), (leafward, ours):
            args, kwargs = sample.make(t, "float32", layout=layout)
            outcome = Outcome(call, (t, find(op), op, args, kwargs))
            found.append([] if outcome.error is not None else [x for x in tensors_in(outcome.value) if x.numel()])
        for expected, given in zip(*found, strict=False):
            assert min(given.stride(), default=0) >= 0, (sample, layout)
            differs |= expected.is_contiguous() and not given.is_contiguous()
    assert differs == (op.name in IN_ANOTHER_ORDER)


def writable_views(sample, args, kwargs):
    """Not those with nothing to write, or with elements that share memory, which no write may touch."""
    return [view for view in tensors_in(ours(sample.op)(*args, **kwargs)) if view.numel() and 0 not in view.stride()]


@pytest.mark.parametrize("sample", [s for s in every_sample(lambda op: not is_composite(op) and op.alias)
                                    if writable_views(s, *s.make(leafward, "float32"))], ids=name_of)
def test_a_write_through_a_view_is_a_write_to_its_base(sample):
    args, kwargs = sample.make(leafward, "float32")
    base = next(x for x in tensors_in([args, kwargs]))
    for view in writable_views(sample, args, kwargs):
        version = base._version
        assert view._version == (0 if sample.op.untracked else version)
        view.zero_()
        assert view._version == (1 if sample.op.untracked else version + 1)
        assert base._version == (version if sample.op.untracked else version + 1)
        assert_same(view, torch.zeros(tuple(view.shape)), dtype=False)


def cloned(value):
    """The same with memory that no NumPy array owns, so that PyTorch can resize it."""
    if isinstance(value, (list, tuple)):
        return [cloned(v) for v in value]
    return value.clone() if is_tensor(value) else value


@pytest.mark.parametrize("sample", every_sample(lambda op: is_public(op) and not is_composite(op) and op.no_overlap),
                         ids=name_of)
def test_out_refuses_to_be_an_input_where_pytorch_does(sample):
    args, kwargs = sample.make(leafward, "float32")
    tried = 0
    for place in range(len(tensors_in([args, kwargs]))):
        found = []
        for t, find in (torch, theirs), (leafward, ours):
            args, kwargs = sample.make(t, "float32")
            args, kwargs = cloned(args), {name: cloned(value) for name, value in kwargs.items()}
            out = tensors_in([args, kwargs])[place]
            before = to_numpy(out.clone()).tobytes()          # what NumPy shares cannot be resized
            found.append(Outcome(call, (t, find(sample.op), sample.op, args, {**kwargs, "out": out})).error)
        if "refer to a single memory location" in str(found[0]):
            tried += 1
            assert str(found[1]).startswith(str(found[0]).partition("\n")[0]), f"input {place}: {found[1]}"
            assert to_numpy(out).tobytes() == before
    args, kwargs = sample.make(torch, "float32")
    shared = any(x.numel() for x in tensors_in([call(torch, theirs(sample.op), sample.op, args, kwargs)]))
    assert tried or not shared, "PyTorch lets every input be the output"


def test_kthvalue_refuses_to_write_into_its_input():
    for t in torch, leafward:
        x = t.tensor([3.0, 1.0, 2.0])
        with pytest.raises(RuntimeError, match="some elements of the input tensor and the written-to tensor refer to a single"):
            t.kthvalue(x, 2, out=(x, t.empty((), dtype=t.int64)))
        assert x.tolist() == [3.0, 1.0, 2.0]


def calls_of(function, *argument_lists):
    """What ``function`` does for each, twice: the second time as it is remembered."""
    seen = []
    for args in argument_lists + argument_lists:
        try:
            seen.append(function(*args).tolist())
        except RuntimeError as error:
            seen.append(type(error))
    assert seen[:len(argument_lists)] == seen[len(argument_lists):]
    return seen[:len(argument_lists)]


def test_what_decides_a_view_beside_its_layout_is_looked_at_each_time():
    memory = leafward.arange(12.0)
    assert calls_of(leafward.as_strided, (memory[:4], (2,), (5,)), (memory[4:8].clone(), (2,), (5,)), (memory[2:6], (2,), (5,)),
                    (memory[8:], (2,), (5,), 1)) == [[0.0, 5.0], RuntimeError, [2.0, 7.0], [1.0, 6.0]]
    assert calls_of(leafward.Tensor.view_as, (memory, leafward.ones(3, 4)), (memory, leafward.ones(12, 1)),
                    (memory, leafward.ones(5))) == [memory.reshape(3, 4).tolist(), memory.reshape(12, 1).tolist(), RuntimeError]


def test_a_list_of_sizes_may_change_after_it_was_remembered():
    base, dims = leafward.arange(6.0).reshape(2, 3).requires_grad_(), [1, 0]
    for _ in range(3):
        dims[:] = [1, 0]
        y = base * 1
        view = y.permute(dims)
        dims[:] = [0, 1]
        y.mul_(2.0)                             # the view looks for its history anew, by its options
        view.sum().backward()
        assert view.shape == (3, 2)
    assert base.grad.tolist() == [[6.0] * 3] * 2
