"""The same cases over MPI: ranks that are processes of this machine, started without a launcher."""
import pytest

from tests.distributed.gloo import outcomes, run_ranks
from tests.distributed.test_collectives import differences
from tests.oracle import torch  # noqa: F401  (without PyTorch there is nothing to compare with)


@pytest.mark.parametrize("size", [2, 3, 4])
def test_mpi_agrees_with_gloo(size, tmp_path, tmp_path_factory):
    theirs = outcomes("tests.distributed.collective_cases", size, tmp_path_factory.getbasetemp().parent)
    ours, said = run_ranks("tests.distributed.collective_cases", size, tmp_path, library="leafward")
    assert differences(ours, theirs) == []
    assert said == [""] * size                                  # nothing complains at the end
