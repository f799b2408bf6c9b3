"""What has a shape that follows from values is computed anew in each call, however often arrays of that shape were seen."""
import numpy as np
import pytest

import leafward as lw


@pytest.mark.parametrize("shape", [(3, 4), (2, 3, 2), (7,)], ids=str)
def test_as_numpy(shape):
    lw.manual_seed(0)
    for _ in range(40):
        x = lw.randn(shape).mul(2).round()
        mask = x > 0
        assert np.array_equal(mask.nonzero().numpy(), np.argwhere(mask.numpy()))
        assert np.array_equal(x.nonzero().numpy(), np.argwhere(x.numpy()))
        assert np.array_equal(x[mask].numpy(), x.numpy()[mask.numpy()])
        assert np.array_equal(x.unique().numpy(), np.unique(x.numpy()))
        whole = x.abs().long().flatten()
        assert np.array_equal(whole.bincount().numpy(), np.bincount(whole.numpy()))
        assert np.array_equal(whole.repeat_interleave(whole).numpy(), whole.numpy().repeat(whole.numpy()))
