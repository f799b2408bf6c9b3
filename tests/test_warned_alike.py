"""Of what PyTorch warns of, leafward does: the same kind of warning, with the same first sentence, and none of its own."""
import re
import warnings

import numpy as np
import pytest

import leafward
from leafward import errors
from tests.oracle import torch

CALLS = """
t.qr(x) | x.qr() | t.lu(x) | x.lu(get_infos=True) | t.lu_solve(x, *t.linalg.lu_factor(x)) | t.cholesky(x) | x.cholesky()
x.lu_solve(*t.linalg.lu_factor(x)) | t.triangular_solve(x, x) | x.triangular_solve(x) | t.chain_matmul(x, x)
t.linalg.qr(x) | t.linalg.lu_factor(x) | t.linalg.cholesky(x) | t.linalg.multi_dot([x, x]) | t.svd(x) | t.ger(x[0], x[0])
t.cross(v, v) | t.meshgrid(v, v) | t.range(0, 2) | t.set_default_tensor_type("torch.FloatTensor") | t.norm(x)
t.from_numpy(fixed) | t.as_tensor(fixed) | t.asarray(fixed) | t.asarray(fixed, copy=True) | t.tensor(fixed)
t.from_numpy(fixed.copy()) | t.frombuffer(b"abcd", dtype=t.uint8) | t.frombuffer(bytearray(b"abcd"), dtype=t.uint8)
x[byte] | x[[[0, 1], [1, 0]]] | x.where(byte, x) | t.where(byte, x, x) | t.where(byte == 1, x, x)
e.index_put_((i,), v[:1]) | e.index_fill_(0, i, 1) | e.masked_fill_(i == 0, 1.0) | e.__setitem__(i, 1.0)
x.scatter(0, i[None], 1.0, reduce="add") | x.scatter(0, i[None], x, reduce="add")
x.scatter_(0, i[None], x * 2, reduce="multiply") | t.scatter(x, 0, i[None], x, reduce="add", out=t.ones(0))
x[0, 0].T | x[None].T | x[0, 0].mT | x[0, 0].mH | x[0, 0].H | x[0, 0].adjoint()
x.adjoint() | t.stft(x[0].repeat(5), 4, return_complex=False) | t.stft(x[0].repeat(5), 4, return_complex=True)
float(v.requires_grad_().sum()) | (v.requires_grad_() ** 2).sum().backward(create_graph=True) | t.tensor([1j]).float()
t.tensor([1j]).to(t.float32) | x.copy_(x * 1j) | x.__setitem__(0, x[0] * 1j) | t.add(x, 1, out=t.ones(3))
t.is_autocast_cpu_enabled() | t.get_autocast_cpu_dtype() | t.is_autocast_enabled("cpu") | t.get_autocast_dtype("cpu")
t.cpu.amp.autocast() | t.cpu.amp.GradScaler() | t.cuda.amp.autocast() | t.cuda.amp.GradScaler() | t.backends.cuda.sdp_kernel()
t.std(v[:1]) | t.var_mean(v[:1]) | t.cov(v[:1]) | t.corrcoef(v[:1]) | (v.requires_grad_() * 1).grad | t.tensor(x)
F.softmax(x) | F.softmin(x) | F.log_softmax(x) | F.sigmoid(x) | F.tanh(x) | F.upsample(x[None], scale_factor=2)
F.gumbel_softmax(x, eps=1e-3) | F.gumbel_softmax(x) | F.kl_div(x, x) | F.mse_loss(x, x[0]) | F.huber_loss(x, x[0])
F.l1_loss(x, x, size_average=False) | F.nll_loss(x, i.expand(2), reduce=False) | F.dropout2d(x) | F.dropout3d(x)
F.grid_sample(x[None, None], t.zeros(1, 2, 2, 2)) | F.affine_grid(t.ones(1, 2, 3), (1, 1, 2, 2))
t.nn.utils.weight_norm(t.nn.Linear(2, 2)) | t.nn.utils.stateless.functional_call(t.nn.Linear(2, 2), {}, (x,))
t.nn.init.uniform(x) | t.nn.init.kaiming_uniform_(t.ones(0, 2)) | t.nn.LazyLinear(3) | t.nn.LSTM(2, 2, dropout=0.5)
t.nn.MSELoss(size_average=True) | t.nn.NLLLoss2d() | t.nn.Softmax()(x) | t.nn.utils.clip_grad_norm([t.nn.Parameter(x)], 1.0)
t.amp.GradScaler("cuda") | t.autograd.Variable(x, volatile=True) | t.utils.checkpoint.checkpoint(t.sin, x)
t.utils.checkpoint.checkpoint(t.sin, x, use_reentrant=True) | t.utils.checkpoint.checkpoint_sequential([t.sin], 1, x)
t.distributions.Normal(0.0, 1.0).sample_n(2) | t.utils.data.random_split([1], [0.5, 0.5])
t.optim.SGD([x.requires_grad_()] * 2, lr=1) | t.optim.lr_scheduler.StepLR(t.optim.SGD([v.requires_grad_()], lr=1), 1).step()
t.optim.lr_scheduler.StepLR(t.optim.SGD([v.requires_grad_()], lr=1), 1).get_lr()
"""


def told(t, text):
    """The kinds and the first sentences of the warnings, as if none had been given before."""
    errors.said.clear()
    fixed = np.ones(2)
    fixed.flags.writeable = False
    names = {"t": t, "F": t.nn.functional, "x": t.tensor([[2.0, 1.0], [1.0, 3.0]]), "v": t.ones(3), "i": t.tensor([0]),
             "e": t.zeros(1).expand(3), "byte": t.tensor([1, 0], dtype=t.uint8), "fixed": fixed}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        eval(text, names)           # noqa: S307  our own text
    return [(w.category, first_sentence(str(w.message))) for w in caught]


def first_sentence(message):
    """Without spaces: where PyTorch joins two literals it forgets the one between them."""
    return re.split(r"\. | \(Triggered|\n", message)[0].rstrip(".").replace(" ", "")


@pytest.fixture
def as_the_first_time():
    said, always = set(errors.said), torch.is_warn_always_enabled()
    torch.set_warn_always(True)
    yield
    torch.set_warn_always(always)
    errors.said.clear()
    errors.said.update(said)


@pytest.mark.usefixtures("as_the_first_time")
@pytest.mark.parametrize("text", [part for line in CALLS.strip().splitlines() for part in line.split(" | ")])
def test_warnings_are_pytorchs(text):
    ours, theirs = told(leafward, text), told(torch, text)
    if text.startswith("e."):           # whether an expanded tensor was written once or twice inside is PyTorch's affair
        theirs = theirs[:1]
    assert ours == theirs


def test_what_is_said_of_read_only_memory_is_true(as_the_first_time):
    fixed = np.ones(2)
    fixed.flags.writeable = False
    with pytest.warns(UserWarning, match="writing to it raises, and nothing is written"):
        x = leafward.from_numpy(fixed)
    with pytest.raises(RuntimeError, match="read-only"):
        x.add_(1)
    assert fixed.tolist() == [1, 1]
