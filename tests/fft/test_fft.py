"""What the derived checks of ``tests/ops`` do not reach: precision, forms that PyTorch gets wrong, round trips."""
import numpy as np
import pytest

import leafward
from tests.oracle import Outcome, assert_same, assert_same_outcome, to_numpy, torch

NAMES = [name for name in torch.fft.__all__ + ["hfft2", "hfftn", "ihfft2", "ihfftn"] if name != "Tensor"]


def test_every_name_exists():
    assert [name for name in NAMES if not callable(getattr(leafward.fft, name, None))] == []


def draw(t, shape, dtype="float32"):
    values = np.random.default_rng(0).standard_normal(shape)
    if dtype.startswith("complex"):
        values = values + 1j * np.random.default_rng(1).standard_normal(shape)
    return t.tensor(values.tolist(), dtype=getattr(t, dtype))


@pytest.mark.parametrize("name", [n for n in NAMES if "freq" not in n])
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128", "int64", "bool", "float16"])
def test_precision_is_kept(name, dtype):
    """float32 is transformed in single precision, from one end to the other."""
    outcomes = [Outcome(getattr(t.fft, name), (draw(t, (6, 5), dtype),)) for t in (leafward, torch)]
    assert_same_outcome(*outcomes)


@pytest.mark.parametrize("name", ["ihfftn", "ihfft2"])
@pytest.mark.parametrize("options", [{"dim": 0}, {"dim": (-1,), "s": (2,), "norm": "ortho"}])
def test_half_a_signal_along_one_dimension(name, options):
    x = draw(leafward, (3, 4))
    expected = getattr(torch.fft, name)(draw(torch, (3, 4)), **options)
    assert_same(getattr(leafward.fft, name)(x, **options), expected)
    out = leafward.empty(tuple(expected.shape), dtype=leafward.complex64)
    getattr(leafward.fft, name)(x, **options, out=out)      # PyTorch leaves `out` as it was
    assert_same(out, expected)


@pytest.mark.parametrize("norm", ["backward", "ortho", "forward"])
@pytest.mark.parametrize("n", [7, 8])
def test_round_trips(norm, n):
    fft = leafward.fft
    real, complex_ = draw(leafward, (3, n), "float64"), draw(leafward, (3, n), "complex128")
    for there, back in [(fft.fft, fft.ifft), (fft.fft2, fft.ifft2), (fft.fftn, fft.ifftn)]:
        assert leafward.allclose(back(there(complex_, norm=norm), norm=norm), complex_)
    for there, back in [(fft.rfft, fft.irfft), (fft.ihfft, fft.hfft)]:
        assert leafward.allclose(back(there(real, norm=norm), n, norm=norm), real)
    for there, back in [(fft.rfft2, fft.irfft2), (fft.rfftn, fft.irfftn), (fft.ihfftn, fft.hfftn)]:
        assert leafward.allclose(back(there(real, norm=norm), (3, n), norm=norm), real)


def test_an_empty_batch_has_empty_spectra():
    assert leafward.fft.fft(leafward.zeros(0, 3)).shape == (0, 3)      # PyTorch fails in MKL


@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("hop", [1, 3, 4])
def test_istft_inverts_stft(center, hop):
    signal = draw(leafward, (2, 40), "float64")
    window = leafward.hann_window(8, dtype=leafward.float64) + 0.1
    spectra = leafward.stft(signal, 8, hop, window=window, center=center, return_complex=True)
    back = leafward.istft(spectra, 8, hop, window=window, center=center)
    assert leafward.allclose(back, signal[:, :back.shape[1]])


@pytest.mark.parametrize("call", [
    lambda t, x: t.stft(x, 4, return_complex=True),
    lambda t, x: t.stft(x, 4, window=t.hann_window(4), return_complex=False),
    lambda t, x: t.istft(t.stft(x, 4, window=t.ones(4), return_complex=True), 4),
    lambda t, x: t.istft(t.stft(x, 4, window=t.ones(4), return_complex=True), 4, window=t.ones(4), length=30),
], ids=["no window", "pairs", "no window back", "too short"])
def test_warnings(call):
    torch.set_warn_always(True)                 # otherwise each comes once in a process
    try:
        given, expected = (Outcome(call, (t, draw(t, 20))) for t in (leafward, torch))
    finally:
        torch.set_warn_always(False)
    texts = [str(w.message) for w in given.warnings]
    assert texts == [str(w.message).split(" (Triggered internally")[0] for w in expected.warnings]
    assert all(w.filename == __file__ for w in given.warnings)


def test_a_message_begins_with_the_call():
    for t in (leafward, torch):
        outcome = Outcome(t.stft, (draw(t, 20), 4), {"window": t.ones(3), "return_complex": True})
        assert str(outcome.error).startswith(
            "stft(torch.FloatTensor[24], n_fft=4, hop_length=1, win_length=4, window=torch.FloatTensor{[3]}, "
            "normalized=0, onesided=None, return_complex=1, align_to_window=None) : expected a 1D window tensor")


def test_gradient_of_a_spectral_loss():
    losses = []
    for t in (leafward, torch):
        x = draw(t, 64, "float64").requires_grad_()
        spectrum = t.fft.rfft(x * t.hann_window(64, dtype=t.float64))
        (spectrum.abs()[1:] + 1).log().sum().backward()
        losses.append(to_numpy(x.grad))
    assert np.allclose(*losses)
